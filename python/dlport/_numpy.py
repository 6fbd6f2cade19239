"""NumPy's view of a tensor, for the element types that the buffer protocol cannot spell."""

from __future__ import annotations

from typing import Any

import numpy as np

from dlport import _core

#: Names of NumPy's unsigned integers by size in bytes, as which foreign elements travel.
_CARRIERS = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64"}


def as_array(tensor: _core.Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    """What `numpy.asarray(tensor)` returns: the same memory, unless a dtype or `copy=True` asks for another."""
    try:
        array = np.asarray(memoryview(tensor))
    except BufferError:
        import ml_dtypes

        named = getattr(ml_dtypes, tensor.dtype, None)
        if named is None or tensor.itemsize not in _CARRIERS:
            raise
        array = np.asarray(memoryview(tensor.view(_CARRIERS[tensor.itemsize]))).view(named)
    if dtype is None:
        return array.copy() if copy else array
    return np.array(array, dtype=dtype, copy=copy)


def from_ml_dtypes(array: np.ndarray) -> _core.Tensor | None:
    """A tensor over an array of one of ml_dtypes' element types; None for any other type that NumPy cannot export."""
    name = array.dtype.name
    carrier = _CARRIERS.get(array.dtype.itemsize)
    if array.dtype.type.__module__ != "ml_dtypes" or carrier is None or name in _SUBBYTE:
        return None
    return _core.from_dlpack(array.view(carrier)).view(name)


#: ml_dtypes keeps one of these in a byte of its own, which DLPack calls padded and a view cannot express.
_SUBBYTE = frozenset(
    {"int1", "int2", "int4", "uint1", "uint2", "uint4", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn"}
)
