"""Every framework's tensors, in every layout and dtype, through dlport and back."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dlport

DTYPES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)


def torch_tensor(array: np.ndarray) -> Any:
    import torch

    return torch.from_numpy(array)


def jax_array(array: np.ndarray) -> Any:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.numpy.asarray(array)


def tensorflow_tensor(array: np.ndarray) -> Any:
    return TensorFlowProducer(pytest.importorskip("tensorflow").constant(array))


class TensorFlowProducer:
    """TensorFlow has functions instead of the protocol's methods."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    def __dlpack__(self, **keywords: Any) -> object:
        import tensorflow

        return tensorflow.experimental.dlpack.to_dlpack(self.tensor)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def arrow_tensor(array: np.ndarray) -> Any:
    return pytest.importorskip("pyarrow").Tensor.from_numpy(array)


def tvm_tensor(array: np.ndarray) -> Any:
    return pytest.importorskip("tvm_ffi").from_dlpack(array)


def ort_value(array: np.ndarray) -> Any:
    return pytest.importorskip("onnxruntime").OrtValue.ortvalue_from_numpy(array)


#: Producer -> how to make one, whether it shares NumPy's memory, and the dtypes that it lacks.
PRODUCERS: dict[str, tuple[Callable[[np.ndarray], Any], bool, set[str]]] = {
    "numpy": (lambda array: array, True, set()),
    "torch": (torch_tensor, True, set()),
    "jax": (jax_array, False, set()),
    "tensorflow": (tensorflow_tensor, False, set()),
    "pyarrow": (arrow_tensor, True, {"bool", "complex64", "complex128"}),
    "tvm_ffi": (tvm_tensor, True, set()),
    "onnxruntime": (ort_value, False, {"bool", "complex64", "complex128"}),  # it exports bool as uint8
}


def to_numpy(value: Any) -> np.ndarray:
    return np.from_dlpack(value)


def to_torch(value: Any) -> np.ndarray:
    import torch

    return torch.from_dlpack(value).numpy()


def to_torch_directly(value: dlport.Tensor) -> np.ndarray:
    import torch

    return value.to(torch).numpy()


def to_jax(value: Any) -> np.ndarray:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return np.asarray(jax.dlpack.from_dlpack(value))


def to_tensorflow(value: Any) -> np.ndarray:
    tensorflow = pytest.importorskip("tensorflow")
    return tensorflow.experimental.dlpack.from_dlpack(value.__dlpack__()).numpy()


def to_arrow(value: Any) -> np.ndarray:
    return pytest.importorskip("pyarrow").Tensor.from_numpy(np.asarray(value)).to_numpy()


def to_tvm(value: Any) -> np.ndarray:
    return np.from_dlpack(pytest.importorskip("tvm_ffi").from_dlpack(value))


def to_ort(value: Any) -> np.ndarray:
    return pytest.importorskip("onnxruntime").OrtValue.from_dlpack(value).numpy()


#: Consumer -> how it takes a tensor, and the dtypes that it lacks.
CONSUMERS: dict[str, tuple[Callable[[Any], np.ndarray], set[str]]] = {
    "numpy": (to_numpy, set()),
    "torch": (to_torch, set()),
    "torch, directly": (to_torch_directly, set()),
    "jax": (to_jax, set()),
    "tensorflow": (to_tensorflow, set()),
    "pyarrow": (to_arrow, {"bool", "complex64", "complex128"}),
    "tvm_ffi": (to_tvm, set()),
    "onnxruntime": (to_ort, {"bool", "complex64", "complex128"}),  # its from_dlpack takes bool for uint8
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("producer", PRODUCERS)
def test_every_dtype_comes_in_with_its_values(producer: str, dtype: str) -> None:
    make, shares, lacks = PRODUCERS[producer]
    if dtype in lacks:
        pytest.skip(f"{producer} has no {dtype}")
    array = np.arange(12).reshape(3, 4).astype(dtype)
    tensor = dlport.from_dlpack(make(array))
    assert tensor.dtype == dtype
    assert tensor.shape == (3, 4)
    np.testing.assert_array_equal(np.asarray(tensor), array)
    if shares:
        assert tensor.data_ptr == array.ctypes.data


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("consumer", CONSUMERS)
def test_every_dtype_goes_out_with_its_values(consumer: str, dtype: str) -> None:
    take, lacks = CONSUMERS[consumer]
    if dtype in lacks:
        pytest.skip(f"{consumer} has no {dtype}")
    array = np.arange(12).reshape(3, 4).astype(dtype)
    result = take(dlport.from_dlpack(array))
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, array)


@pytest.mark.parametrize("consumer", ["numpy", "torch", "torch, directly", "tvm_ffi"])
def test_a_write_on_one_side_is_seen_on_the_other(consumer: str) -> None:
    array = np.zeros(64, np.float32)
    result = CONSUMERS[consumer][0](dlport.from_dlpack(array))
    array[3] = 7
    assert result[3] == 7
    result[4] = 8
    assert array[4] == 8


def test_jax_values_cannot_be_written_to() -> None:
    import torch

    jax = pytest.importorskip("jax")
    value = jax.numpy.arange(1000.0) + 0
    tensor = dlport.from_dlpack(value)
    assert tensor.read_only
    tensor.to(torch).zero_()
    assert float(value[5]) == 5


def test_mpi4py_sends_and_receives_in_place() -> None:
    pytest.importorskip("mpi4py")
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:  # the package is there, an MPI is not
        pytest.skip(str(error))
    sent, received = np.arange(4.0), np.zeros(4)
    MPI.COMM_SELF.Sendrecv(dlport.from_dlpack(sent), 0, 0, dlport.from_dlpack(received), 0, 0)
    np.testing.assert_array_equal(received, sent)


def layouts() -> st.SearchStrategy[np.ndarray]:
    """Arrays of all dtypes, shapes and strides: sliced, flipped, transposed, broadcast."""

    def rearranged(draw: Any) -> np.ndarray:
        dtype = draw(st.sampled_from(DTYPES))
        array = draw(hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)))
        index = draw(hnp.basic_indices(array.shape, allow_newaxis=False)) if array.ndim else ()
        array = np.asarray(array[index])
        array = array.transpose(draw(st.permutations(range(array.ndim))))
        if draw(st.booleans()):
            array = np.broadcast_to(array, (draw(st.integers(1, 3)), *array.shape))
        return array

    return st.composite(rearranged)()


@settings(max_examples=300, deadline=None)
@given(layouts())
def test_any_layout_keeps_values_and_memory(array: np.ndarray) -> None:
    tensor = dlport.from_dlpack(array)
    assert tensor.shape == array.shape
    assert tensor.read_only is not array.flags.writeable
    seen = np.asarray(tensor)
    np.testing.assert_array_equal(seen, array)
    assert seen.dtype == array.dtype
    if array.size:
        assert seen.__array_interface__["data"][0] == array.__array_interface__["data"][0]
    copied = tensor.copy()
    assert copied.is_contiguous
    assert not copied.read_only
    np.testing.assert_array_equal(np.asarray(copied), array)


@settings(max_examples=150, deadline=None)
@given(layouts(), st.sampled_from(["numpy", "torch", "torch, directly", "tvm_ffi"]))
def test_any_layout_reaches_any_consumer(array: np.ndarray, consumer: str) -> None:
    np.testing.assert_array_equal(CONSUMERS[consumer][0](dlport.from_dlpack(array)), array)


@settings(max_examples=300, deadline=None)
@given(layouts(), st.sampled_from(DTYPES))
def test_any_layout_converts_as_in_numpy(array: np.ndarray, dtype: str) -> None:
    if array.dtype.kind in "fc" and np.dtype(dtype).kind in "iu":  # what does not fit has no value in C++ either
        array = np.asarray(np.clip(np.nan_to_num(array.real), 0, 100), array.dtype)
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        expected = array.astype(dtype)
    np.testing.assert_array_equal(np.asarray(dlport.from_dlpack(array).astype(dtype)), expected)


@pytest.mark.parametrize(
    "name", ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "bfloat16"]
)
def test_small_floats_of_pytorch_keep_type_and_bits(name: str) -> None:
    import torch

    dtype = getattr(torch, name)
    carrier = torch.int16 if name == "bfloat16" else torch.uint8
    source = torch.tensor([56, 64, 72], dtype=carrier).view(dtype)
    tensor = dlport.from_dlpack(source)
    assert tensor.dtype == name
    back = tensor.to(torch)
    assert back.dtype == dtype
    assert back.data_ptr() == source.data_ptr()
    assert np.asarray(tensor).dtype.name == name
