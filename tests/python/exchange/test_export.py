"""What a dlport.Tensor tells its consumers, and which of them it gets along with."""

from __future__ import annotations

import numpy as np
import pytest
from handmade import CUDA, IS_COPIED, READ_ONLY, fields_of

import dlport

FLOATS = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def exported(array: np.ndarray = FLOATS, **request: object):
    return fields_of(dlport.from_dlpack(array).__dlpack__(**request))


def test_consumer_gets_the_newest_structure_that_it_reads() -> None:
    assert (exported(max_version=(1, 0)).major, exported(max_version=(1, 0)).minor) == (1, 3)
    assert not hasattr(exported(), "major")
    assert not hasattr(exported(max_version=(0, 8)), "major")


@pytest.mark.parametrize("array", [FLOATS, FLOATS.T, FLOATS[:, ::2], np.zeros((2, 0)), np.array(1.0)])
@pytest.mark.parametrize("max_version", [None, (1, 3)])
def test_strides_are_never_missing(array: np.ndarray, max_version: tuple[int, int] | None) -> None:
    tensor = exported(array, max_version=max_version).tensor
    assert tensor.ndim == array.ndim
    if array.size:
        assert [tensor.strides[i] for i in range(array.ndim)] == [s // array.itemsize for s in array.strides]
    else:
        assert bool(tensor.strides)


@pytest.mark.parametrize("array", [FLOATS[::-1], FLOATS[..., ::-2], FLOATS.ravel()[::-1]])
def test_negative_strides_leave_as_a_copy_or_not_at_all(array: np.ndarray) -> None:
    import torch

    tensor = dlport.from_dlpack(array)
    assert tensor.data_ptr == array.ctypes.data
    np.testing.assert_array_equal(torch.from_dlpack(tensor).numpy(), array)
    np.testing.assert_array_equal(tensor.to(torch).numpy(), array)
    assert np.shares_memory(np.asarray(tensor), array)
    with pytest.raises(BufferError, match="negative strides"):
        tensor.__dlpack__(max_version=(1, 0), copy=False)


def test_copy_is_flagged_and_shares_nothing() -> None:
    fields = exported(max_version=(1, 0), copy=True)
    assert fields.flags & IS_COPIED
    assert fields.tensor.data != FLOATS.ctypes.data
    assert not exported(max_version=(1, 0)).flags & IS_COPIED


def read_only() -> np.ndarray:
    array = FLOATS.copy()
    array.flags.writeable = False
    return array


def test_read_only_leaves_with_its_flag_or_as_a_copy() -> None:
    array = read_only()
    assert exported(array, max_version=(1, 0)).flags & READ_ONLY
    assert exported(array, max_version=(1, 0)).tensor.data == array.ctypes.data
    assert exported(array).tensor.data != array.ctypes.data, "a consumer of before 1.0 would write to it"
    with pytest.raises(BufferError, match="read-only"):
        dlport.from_dlpack(array).__dlpack__(copy=False)


def test_read_only_reaches_pytorch_as_a_copy() -> None:
    import torch

    array = read_only()
    tensor = dlport.from_dlpack(array).to(torch)
    tensor.zero_()
    assert array[1, 2, 3] == 23


@pytest.mark.parametrize("framework", ["torch", "numpy", "jax", "jax.numpy", "tensorflow", "tvm_ffi"])
def test_to_takes_a_frameworks_module(framework: str) -> None:
    module = pytest.importorskip(framework)
    np.testing.assert_array_equal(np.from_dlpack(dlport.from_dlpack(FLOATS).to(module)), FLOATS)


def test_to_says_what_it_takes() -> None:
    with pytest.raises(TypeError, match=r"pytest.* is neither a module with from_dlpack nor a tensor type"):
        dlport.from_dlpack(FLOATS).to(pytest)


def test_astype_converts() -> None:
    array = np.array([[1.5, -2.75, 300.0]], np.float64).T
    tensor = dlport.from_dlpack(array)
    for dtype in ("float16", "float32", "int32", "complex64"):
        np.testing.assert_array_equal(np.asarray(tensor.astype(dtype)), array.astype(dtype))
    assert tensor.astype("float64").data_ptr != tensor.data_ptr
    with pytest.raises(ValueError, match="float99"):
        tensor.astype("float99")
    into = dlport.empty(array.shape, "int16")
    dlport.copy(into, array)
    np.testing.assert_array_equal(np.asarray(into), array.astype(np.int16))


def test_other_device_is_refused() -> None:
    for copy in (None, False):
        with pytest.raises(BufferError, match="cuda:0"):
            exported(dl_device=(CUDA, 0), copy=copy)
    assert exported(dl_device=(1, 0), copy=False).tensor.data == FLOATS.ctypes.data


@pytest.mark.parametrize("stream", [1, 2, 123456, 0])
def test_host_memory_has_no_streams(stream: int) -> None:
    with pytest.raises(ValueError, match="stream"):
        exported(stream=stream)
    exported(stream=None)


def test_device_is_a_plain_pair() -> None:
    assert dlport.from_dlpack(FLOATS).__dlpack_device__() == (1, 0)


def test_buffer_protocol_describes_any_layout() -> None:
    for array in (FLOATS, FLOATS.T, FLOATS[:, ::-1, ::2], np.array(1 + 2j), np.zeros((2, 0)), np.array([True])):
        view = memoryview(dlport.from_dlpack(array))
        assert (view.shape, view.strides, view.format) == (array.shape, array.strides, memoryview(array).format)
        np.testing.assert_array_equal(np.asarray(view), array)


def test_buffer_of_read_only_memory_is_read_only() -> None:
    assert memoryview(dlport.from_dlpack(read_only())).readonly
    assert not memoryview(dlport.from_dlpack(FLOATS)).readonly


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"])
def test_numpy_gets_the_types_of_ml_dtypes(name: str) -> None:
    import ml_dtypes

    array = np.array([1.0, 0.5, 2.0], getattr(ml_dtypes, name))
    tensor = dlport.from_dlpack(array)
    assert tensor.dtype == name
    seen = np.asarray(tensor)
    assert seen.dtype == array.dtype
    assert np.shares_memory(seen.view(np.uint8), array.view(np.uint8))


def test_indexing_is_numpys_and_shares() -> None:
    tensor = dlport.from_dlpack(FLOATS)
    for key in (0, -1, slice(1, None), (slice(None), 1), (..., slice(None, None, -1)), (0, ..., 2), (1, 2, 3), ()):
        view = tensor[key]
        np.testing.assert_array_equal(np.asarray(view), FLOATS[key])
        assert FLOATS.size == 0 or np.shares_memory(np.asarray(view), FLOATS)
    with pytest.raises(IndexError, match="out of range"):
        tensor[2]
    with pytest.raises(IndexError, match="one ellipsis"):
        tensor[..., :, ...]
    with pytest.raises(IndexError, match="4 indices"):
        tensor[0, 0, 0, 0]
    for key in ("a", True, None, [0, 1]):
        with pytest.raises(TypeError, match=type(key).__name__):
            tensor[key]


def test_layout_operations_are_views() -> None:
    tensor = dlport.from_dlpack(FLOATS)
    assert tensor.T.shape == (4, 3, 2)
    assert tensor.permute(2, 0, 1).strides == (1, 12, 4)
    assert tensor.reshape(6, -1).shape == (6, 4)
    assert tensor.reshape((24,)).data_ptr == tensor.data_ptr
    assert dlport.from_dlpack(FLOATS[0, :1]).broadcast_to(5, 4).strides == (0, 1)
    with pytest.raises(BufferError, match="copy"):
        tensor.T.reshape(24)
    for shape in ((5, 5), (-1, -1), (0, -1), (-2, 12), (1 << 62, 4, -1), (1 << 32, 1 << 32, 24)):
        with pytest.raises(ValueError, match="24 elements"):
            tensor.reshape(shape)
    for axes in ((0, 1), (0, 1, 1), (0, 1, 1 << 32), (0, 1, -4)):
        with pytest.raises(ValueError, match=r"ax[ei]s"):
            tensor.permute(axes)


def test_repr_says_what_it_is() -> None:
    assert repr(dlport.from_dlpack(FLOATS)) == "dlport.Tensor(shape=(2, 3, 4), dtype=float32, device=cpu:0)"
    assert "strides=(1, 4, 12)" in repr(dlport.from_dlpack(FLOATS).T)
    assert "read_only=True" in repr(dlport.from_dlpack(read_only()))


def test_lazy_views_of_pytorch_are_refused() -> None:
    import torch

    z = torch.tensor([1 + 2j, 3 - 4j])
    for view in (z.conj(), z.conj().imag, torch._neg_view(torch.ones(3))):
        with pytest.raises(BufferError, match="pending"):
            dlport.from_dlpack(view)
    assert dlport.from_dlpack(z.conj().resolve_conj()).dtype == "complex64"
