"""What other frameworks see of an ort tensor: the physical memory below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import dlport
import dlport.torch

pytestmark = pytest.mark.usefixtures("provider")

EXTENSION = 12


def jax_view(tensor: torch.Tensor) -> Any:
    return pytest.importorskip("jax").dlpack.from_dlpack(tensor)


def tensorflow_view(tensor: torch.Tensor) -> Any:
    return pytest.importorskip("tensorflow").experimental.dlpack.from_dlpack(tensor.__dlpack__())


def tvm_view(tensor: torch.Tensor) -> Any:
    return np.from_dlpack(pytest.importorskip("tvm_ffi").from_dlpack(tensor))


def arrow_view(tensor: torch.Tensor) -> Any:
    return pytest.importorskip("pyarrow").Tensor.from_dlpack(tensor).to_numpy()


CONSUMERS: dict[str, Callable[[torch.Tensor], Any]] = {
    "numpy": np.from_dlpack,
    "torch": torch.from_dlpack,
    "dlport": dlport.from_dlpack,
    "jax": jax_view,
    "tensorflow": tensorflow_view,
    "tvm_ffi": tvm_view,
    "pyarrow": arrow_view,
}


@pytest.mark.parametrize("name", CONSUMERS)
def test_framework_shares_the_memory_of_an_ort_tensor(name: str) -> None:
    tensor = torch.arange(64.0).to("ort")
    view = CONSUMERS[name](tensor)
    tensor[3] = 42
    assert float(np.asarray(view)[3]) == 42


@pytest.mark.parametrize("name", ["numpy", "torch", "dlport"])
def test_write_from_outside_is_seen(name: str) -> None:
    tensor = torch.zeros(64, device="ort")
    np.from_dlpack(CONSUMERS[name](tensor))[5] = 3
    assert tensor[5] == 3


def test_mpi4py_sends_ort_tensors() -> None:
    pytest.importorskip("mpi4py")
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:  # the package is there, an MPI is not
        pytest.skip(str(error))
    sent, received = torch.arange(4.0, device="ort"), torch.zeros(4, device="ort")
    MPI.COMM_SELF.Sendrecv(sent, 0, 0, received, 0, 0)
    assert torch.equal(sent.cpu(), received.cpu())


def test_memory_outlives_the_ort_tensor() -> None:
    view = np.from_dlpack(torch.arange(1000.0).to("ort"))
    torch.zeros(1000, device="ort").fill_(-1)
    assert view[999] == 999


def test_device_that_is_told_is_the_physical_one() -> None:
    tensor = torch.ones(3, device="ort")
    assert tuple(map(int, tensor.__dlpack_device__())) == (1, 0)
    assert torch.from_dlpack(tensor).device.type == "cpu"


def test_virtual_device_is_handed_out_to_who_asks_for_it() -> None:
    tensor = torch.arange(3.0, device="ort")
    back = torch.from_dlpack(tensor, device=torch.device("ort", 0))
    assert back.device.type == "ort"
    capsule = tensor.__dlpack__(dl_device=(EXTENSION, 0), max_version=(1, 0))
    resolved = dlport.from_dlpack(capsule)
    assert (resolved.device, resolved.physical_device) == ("ort:0", "cpu:0")
    assert resolved.data_ptr == tensor.data_ptr()
    with pytest.raises(BufferError, match="ort:0"):
        tensor.__dlpack__(dl_device=(EXTENSION, 7))


def test_tensors_of_other_devices_are_left_as_they_were() -> None:
    tensor = torch.arange(3.0)
    assert np.from_dlpack(tensor).ctypes.data == tensor.data_ptr()
    with pytest.raises(BufferError, match="require gradient"):
        torch.ones(2, requires_grad=True).__dlpack__()


def test_gradients_and_pending_views_are_not_exported() -> None:
    with pytest.raises(BufferError, match="require gradient"):
        np.from_dlpack(torch.ones(2, device="ort", requires_grad=True))
    with pytest.raises(BufferError, match="conjugate"):
        torch.ones(2, dtype=torch.complex64, device="ort").conj().__dlpack__()
    with pytest.raises(BufferError, match="negative"):
        torch._neg_view(torch.ones(2, device="ort")).__dlpack__()
