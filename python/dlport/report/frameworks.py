"""The frameworks that exchange tensors, as the reports drive them: how each makes a tensor, and how it takes one."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np

import dlport

#: Elements of the tensors exchanged: more than any framework keeps inside its object.
ELEMENTS = 4096


@dataclass(frozen=True)
class Framework:
    """One framework: `make` gives a tensor of ELEMENTS float32, `take` imports a producer, `pointer` finds its data."""

    name: str
    version: str
    make: Callable[[], Any]
    take: Callable[[Any], Any]
    pointer: Callable[[Any], int]


class _TensorFlowProducer:
    """TensorFlow has a function instead of the protocol's methods."""

    def __init__(self, tensor: Any, to_dlpack: Callable[[Any], object]) -> None:
        self.tensor, self._to_dlpack = tensor, to_dlpack

    def __dlpack__(self, **keywords: object) -> object:
        return self._to_dlpack(self.tensor)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def _array() -> np.ndarray:
    """An array in dlport's memory: NumPy's own is aligned to 64 bytes, as JAX needs it to share it, only at times."""
    array = np.asarray(dlport.empty((ELEMENTS,), "float32"))
    array[:] = np.arange(ELEMENTS)
    return array


def _numpy_pointer(value: Any) -> int:
    return int(np.asarray(value).__array_interface__["data"][0])


def _capsule_of(producer: Any) -> object:
    return producer.__dlpack__()


def _dlport() -> Framework:
    return Framework(
        "dlport", dlport.__version__, lambda: dlport.from_dlpack(_array()), dlport.from_dlpack, lambda t: t.data_ptr
    )


def _numpy() -> Framework:
    return Framework("numpy", np.__version__, _array, np.from_dlpack, _numpy_pointer)


def _torch() -> Framework:
    torch = import_module("torch")
    make = lambda: torch.arange(ELEMENTS, dtype=torch.float32)
    return Framework("torch", torch.__version__, make, torch.from_dlpack, lambda t: t.data_ptr())


def _torch_ort() -> Framework:
    torch = import_module("torch")
    share = import_module("dlport.torch").share
    make = lambda: torch.arange(ELEMENTS, dtype=torch.float32, device="ort")
    take = lambda producer: share(torch.from_dlpack(producer), "ort")
    return Framework("torch (ort device)", torch.__version__, make, take, lambda t: t.data_ptr())


def _jax() -> Framework:
    jax = import_module("jax")
    make = lambda: jax.numpy.arange(ELEMENTS, dtype="float32") + 0
    return Framework("jax", jax.__version__, make, jax.dlpack.from_dlpack, lambda a: a.unsafe_buffer_pointer())


def _tensorflow() -> Framework:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    tensorflow = import_module("tensorflow")
    dlpack = tensorflow.experimental.dlpack
    make = lambda: _TensorFlowProducer(tensorflow.constant(_array()), dlpack.to_dlpack)
    take = lambda producer: _TensorFlowProducer(dlpack.from_dlpack(_capsule_of(producer)), dlpack.to_dlpack)
    return Framework("tensorflow", tensorflow.__version__, make, take, lambda t: _numpy_pointer(np.from_dlpack(t)))


def _pyarrow() -> Framework:
    arrow = import_module("pyarrow")
    make = lambda: arrow.Tensor.from_numpy(_array())
    return Framework(
        "pyarrow", arrow.__version__, make, arrow.Tensor.from_dlpack, lambda t: _numpy_pointer(t.to_numpy())
    )


def _tvm_ffi() -> Framework:
    tvm = import_module("tvm_ffi")
    make = lambda: tvm.from_dlpack(_array())
    pointer = lambda t: _numpy_pointer(np.from_dlpack(t))
    return Framework("tvm-ffi", version("apache-tvm-ffi"), make, tvm.from_dlpack, pointer)


def _onnxruntime() -> Framework:
    onnxruntime = import_module("onnxruntime")
    value = onnxruntime.OrtValue
    make = lambda: value.ortvalue_from_numpy(_array())
    return Framework("onnxruntime", onnxruntime.__version__, make, value.from_dlpack, lambda v: v.data_ptr())


def _cupy() -> Framework:
    cupy = import_module("cupy")
    make = lambda: cupy.arange(ELEMENTS, dtype="float32")
    return Framework("cupy", cupy.__version__, make, cupy.from_dlpack, lambda a: a.data.ptr)


_ALL: dict[str, Callable[[], Framework]] = {
    "dlport": _dlport,
    "numpy": _numpy,
    "torch": _torch,
    "torch (ort device)": _torch_ort,
    "jax": _jax,
    "tensorflow": _tensorflow,
    "pyarrow": _pyarrow,
    "tvm-ffi": _tvm_ffi,
    "onnxruntime": _onnxruntime,
    "cupy": _cupy,
}


def installed() -> tuple[list[Framework], list[str]]:
    """The frameworks that are there, and the names of those that are missing."""
    found, missing = [], []
    for name, load in _ALL.items():
        try:
            found.append(load())
        except ImportError:
            missing.append(name)
    return found, missing
