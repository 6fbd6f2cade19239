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
