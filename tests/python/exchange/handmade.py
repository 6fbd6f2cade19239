"""A DLPack producer made by hand through ctypes, which can say anything and counts how often its deleter is called."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

CPU, CUDA, CUDA_HOST, OPENCL, ROCM, EXTENSION, ONEAPI = 1, 2, 3, 4, 10, 12, 14
READ_ONLY, IS_COPIED = 1, 2
CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class Legacy(ctypes.Structure):
    _fields_ = (("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    )


def _api(name: str, result: Any, *arguments: Any) -> Any:
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


new_capsule = _api("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
capsule_name = _api("PyCapsule_GetName", ctypes.c_char_p, ctypes.py_object)
capsule_pointer = _api("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
set_capsule_name = _api("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)

_producers: dict[int, HandMade] = {}


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _deleter(address: int) -> None:
    _producers[address].deleted += 1


class HandMade:
    """Hands out `array`'s memory, with any field of the managed tensor overridden."""

    def __init__(self, array: np.ndarray, *, versioned: bool = True, keywords: bool = True, **fields: Any) -> None:
        self.array, self.versioned, self.keywords = array, versioned, keywords
        self.made = self.deleted = 0
        self.calls: list[dict[str, Any]] = []
        self.structures: list[Any] = []
        self.fields: dict[str, Any] = {
            "data": array.ctypes.data,
            "device": (CPU, 0),
            "ndim": array.ndim,
            "code": CODES[array.dtype.kind],
            "bits": 8 * array.dtype.itemsize,
            "lanes": 1,
            "shape": array.shape,
            "strides": tuple(step // array.dtype.itemsize for step in array.strides),
            "byte_offset": 0,
            "flags": 0,
            "version": (1, 3),
            "deleter": True,
        } | fields

    def capsule(self) -> object:
        fields = self.fields
        made: Any = Versioned() if self.versioned else Legacy()
        if self.versioned:
            made.major, made.minor = fields["version"]
            made.flags = fields["flags"]
        made.deleter = ctypes.cast(_deleter, ctypes.c_void_p).value if fields["deleter"] else None
        tensor = made.tensor
        tensor.data, tensor.ndim, tensor.byte_offset = fields["data"], fields["ndim"], fields["byte_offset"]
        tensor.device_type, tensor.device_id = fields["device"]
        tensor.code, tensor.bits, tensor.lanes = fields["code"], fields["bits"], fields["lanes"]
        for name in ("shape", "strides"):
            if fields[name] is not None:
                setattr(tensor, name, (ctypes.c_int64 * max(1, len(fields[name])))(*fields[name]))
        address = ctypes.addressof(made)
        self.structures.append(made)
        _producers[address] = self
        self.made += 1
        return new_capsule(address, b"dltensor_versioned" if self.versioned else b"dltensor", None)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.fields["device"]

    def __dlpack__(self, **keywords: Any) -> object:
        self.calls.append(keywords)
        if keywords and not self.keywords:
            raise TypeError(f"__dlpack__() got an unexpected keyword argument '{next(iter(keywords))}'")
        return self.capsule()


def fields_of(capsule: object) -> Any:
    """The managed tensor in a capsule that nobody has consumed yet."""
    name = capsule_name(capsule)
    kind: Any = Versioned if name == b"dltensor_versioned" else Legacy
    fields = kind.from_address(capsule_pointer(capsule, name))
    fields.capsule = capsule  # whose end would be that of the fields
    return fields
