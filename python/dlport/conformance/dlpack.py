"""DLPack's structures by ctypes: reading what a producer hands out, and making by hand what a consumer is to take."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import CFUNCTYPE, PYFUNCTYPE, Structure, c_uint32, c_uint64, c_void_p, py_object
from typing import Any

import numpy as np

from dlport.conformance.driver.table import Device, DLTensor

READ_ONLY, IS_COPIED, PADDED = 1, 2, 4
LEGACY, VERSIONED = b"dltensor", b"dltensor_versioned"


class Version(Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32)]


Deleter = CFUNCTYPE(None, c_void_p)


class Managed(Structure):
    """The structure of before 1.0."""

    _fields_ = [("tensor", DLTensor), ("context", c_void_p), ("deleter", Deleter)]


class ManagedVersioned(Structure):
    _fields_ = [
        ("version", Version),
        ("context", c_void_p),
        ("deleter", Deleter),
        ("flags", c_uint64),
        ("tensor", DLTensor),
    ]


_api = ctypes.pythonapi
_api.PyCapsule_IsValid.argtypes = [py_object, ctypes.c_char_p]
_api.PyCapsule_IsValid.restype = ctypes.c_int
_api.PyCapsule_GetPointer.argtypes = [py_object, ctypes.c_char_p]
_api.PyCapsule_GetPointer.restype = c_void_p
_api.PyCapsule_GetName.argtypes = [py_object]
_api.PyCapsule_GetName.restype = ctypes.c_char_p
_api.PyCapsule_SetName.argtypes = [py_object, ctypes.c_char_p]
_api.PyCapsule_New.argtypes = [c_void_p, ctypes.c_char_p, c_void_p]
_api.PyCapsule_New.restype = py_object


# Within a capsule's destructor, where the object has no references left that Python could count.
_is_valid = PYFUNCTYPE(ctypes.c_int, c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _api))
_pointer = PYFUNCTYPE(c_void_p, c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))


def _destroy(capsule: int) -> None:
    """What every producer's capsules do when nobody took them: call the deleter."""
    for name, kind in ((VERSIONED, ManagedVersioned), (LEGACY, Managed)):
        if _is_valid(capsule, name):
            delete(kind.from_address(_pointer(capsule, name)))


_destroy_capsule = PYFUNCTYPE(None, c_void_p)(_destroy)


def capsule_name(capsule: object) -> bytes:
    name: bytes | None = _api.PyCapsule_GetName(capsule)
    return name or b""


def open_capsule(capsule: object) -> Managed | ManagedVersioned:
    """What a capsule holds; the capsule still owns it."""
    for name, kind in ((VERSIONED, ManagedVersioned), (LEGACY, Managed)):
        if _api.PyCapsule_IsValid(capsule, name):
            return kind.from_address(_api.PyCapsule_GetPointer(capsule, name))
    raise AssertionError(f"the capsule is named {capsule_name(capsule)!r}")


def consume(capsule: object) -> Managed | ManagedVersioned:
    """Takes over what a capsule holds: the caller calls the deleter."""
    managed = open_capsule(capsule)
    name = VERSIONED if isinstance(managed, ManagedVersioned) else LEGACY
    _USED[name] = b"used_" + name
    _api.PyCapsule_SetName(capsule, _USED[name])
    return managed


_USED: dict[bytes, bytes] = {}  # a capsule borrows its name


def delete(managed: Managed | ManagedVersioned) -> None:
    """Calls the deleter once, as a consumer does."""
    if managed.deleter:
        managed.deleter(ctypes.addressof(managed))


def shape_of(tensor: DLTensor) -> tuple[int, ...]:
    return tuple(tensor.shape[i] for i in range(tensor.ndim))


def strides_of(tensor: DLTensor) -> tuple[int, ...] | None:
    return tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else None


class Handmade:
    """A producer over a NumPy array, every field of whose DLPack structure can be set; it counts deleter calls.

    A consumer is given the structure that it asks for: that of 1.0 where its max_version says so, else the older one.
    `adjust` is called with that before it is handed out. Where a check is about one of the two, `only` says which, and
    a consumer that asks for the other is refused and remembered in `unasked`.
    """

    def __init__(
        self,
        array: np.ndarray[Any, Any],
        *,
        only: bytes | None = None,
        adjust: Callable[[Any], None] = lambda managed: None,
        device: tuple[int, int] = (1, 0),
        deleter: bool = True,
        understands_keywords: bool = True,
    ) -> None:
        self.array = array
        self.device = device
        self.only = only
        self.adjust = adjust
        self.deleted = 0
        self.unasked = False
        self.understands_keywords = understands_keywords
        self._delete = Deleter(self._count) if deleter else Deleter()
        self._handed_out: list[object] = []

    def _count(self, _: object) -> None:
        self.deleted += 1

    def _tensor(self) -> DLTensor:
        codes = {"b": 6, "i": 0, "u": 1, "f": 2, "c": 5}
        array, room = self.array, max(self.array.ndim, 1)
        shape = (ctypes.c_int64 * room)(*array.shape)
        strides = (ctypes.c_int64 * room)(*(step // array.itemsize for step in array.strides))
        kind, bits = codes[array.dtype.kind], 8 * array.itemsize
        return DLTensor(array.ctypes.data, Device(*self.device), array.ndim, kind, bits, 1, shape, strides, 0)

    def capsule(self, name: bytes = VERSIONED) -> object:
        tensor = self._tensor()
        managed = (
            ManagedVersioned(Version(1, 0), None, self._delete, 0, tensor)
            if name == VERSIONED
            else Managed(tensor, None, self._delete)
        )
        self.adjust(managed)
        self._handed_out.append(managed)
        return _api.PyCapsule_New(ctypes.addressof(managed), name, ctypes.cast(_destroy_capsule, c_void_p))

    def __dlpack__(self, **keywords: Any) -> object:
        if keywords and not self.understands_keywords:
            raise TypeError(f"__dlpack__() got an unexpected keyword argument '{next(iter(keywords))}'")
        name = VERSIONED if (keywords.get("max_version") or (0, 0))[0] >= 1 else LEGACY
        if self.only and self.only != name:
            self.unasked = True
            raise BufferError(f"this tensor is exported as {self.only.decode()} only")
        return self.capsule(name)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


def as_array(result: Any) -> np.ndarray[Any, Any]:
    """The values of a framework's tensor, in whichever way it gives them."""
    for way in (np.asarray, np.from_dlpack, _from_list):
        try:
            array = way(result)
        except Exception:
            continue
        if array.dtype != object:
            return array
    raise AssertionError(f"{type(result).__name__} cannot be read through NumPy")


def _from_list(result: Any) -> np.ndarray[Any, Any]:
    values: Sequence[Any] = result.tolist() if hasattr(result, "tolist") else result.to_pylist()
    return np.array(values)
