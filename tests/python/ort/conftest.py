"""What the tests of dlport.ort share: the devices that each runs on, and a small model."""

from __future__ import annotations

import onnx
import pytest
from onnx import TensorProto, helper
from onnx_models import model_of

from dlport import ort
from providers import PROVIDERS, configure


@pytest.fixture
def doubling() -> onnx.ModelProto:
    """y = x + x, of shape (n, 3)."""
    shape = ["n", 3]
    return model_of(
        [helper.make_node("Add", ["x", "x"], ["y"])],
        [("x", TensorProto.FLOAT, shape)],
        [("y", TensorProto.FLOAT, shape)],
    )


@pytest.fixture(params=PROVIDERS)
def device(request: pytest.FixtureRequest) -> str:
    """Each execution provider, as `device=` takes it."""
    configured = [info.provider.lower().removesuffix("executionprovider") for info in ort.devices()]
    if request.param not in configured:
        configure(len(configured), request.param)
    return f"ort:{request.param}"
