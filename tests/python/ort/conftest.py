"""What the tests of dlport.ort share: the devices that each runs on, and a small model."""

from __future__ import annotations

import onnx
import pytest
from onnx import TensorProto, helper
from onnx_models import model_of

from dlport import ort


@pytest.fixture
def doubling() -> onnx.ModelProto:
    """y = x + x, of shape (n, 3)."""
    shape = ["n", 3]
    return model_of(
        [helper.make_node("Add", ["x", "x"], ["y"])],
        [("x", TensorProto.FLOAT, shape)],
        [("y", TensorProto.FLOAT, shape)],
    )


@pytest.fixture(params=["cpu", "openvino"])
def device(request: pytest.FixtureRequest) -> str:
    """Each execution provider; OpenVINO's offers a device on Intel's hardware alone."""
    if request.param not in {
        info.provider.lower().removesuffix("executionprovider") for info in ort.available_devices()
    }:
        pytest.skip(f"no device of the {request.param} provider on this machine")
    return f"ort:{request.param}"
