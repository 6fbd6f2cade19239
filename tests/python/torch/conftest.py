"""What several files of these tests need."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import dlport.torch
from providers import PROVIDERS, configure


@pytest.fixture(scope="module")
def second_device() -> int:
    """Configures ort:1, and returns its index."""
    configure(1, "cpu")
    return 1


@pytest.fixture(scope="module", params=PROVIDERS)
def provider(request: pytest.FixtureRequest) -> Iterator[str]:
    """Makes ort:0 each of the execution providers in turn."""
    configure(0, request.param)
    yield request.param
    configure(0, "cpu")


@pytest.fixture
def lower_all() -> Iterator[None]:
    """Also what PyTorch's kernels are known to do faster."""
    dlport.torch.set_lowering("always")
    yield
    dlport.torch.set_lowering("auto")
