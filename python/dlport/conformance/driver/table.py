"""``dlport/driver.h`` for Python: the C table by ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

OK, INVALID_ARGUMENT, UNSUPPORTED, DEVICE, OUT_OF_MEMORY, NOT_FOUND = 0, 2, 3, 5, 6, 7
NAMES = {
    0: "OK",
    1: "INVALID_TENSOR",
    2: "INVALID_ARGUMENT",
    3: "UNSUPPORTED",
    4: "WOULD_COPY",
    5: "DEVICE",
    6: "OUT_OF_MEMORY",
    7: "NOT_FOUND",
    8: "INTERNAL",
}
HOST_ACCESS, HANDLES, ASYNC, OPERATORS = 1, 2, 4, 8


class Device(Structure):
    _fields_ = [("type", c_int32), ("index", c_int32)]


class Properties(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("device", Device),
        ("name", c_char * 128),
        ("memory", c_uint64),
        ("max_allocation", c_uint64),
        ("alignment", c_uint32),
        ("capabilities", c_uint32),
        ("operator_format", c_char * 32),
    ]


class Region(Structure):
    _fields_ = [("device", Device), ("data", c_void_p), ("offset", c_uint64)]


class Source(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("code", c_char_p),
        ("code_size", c_size_t),
        ("options", c_char_p),
    ]


class DLTensor(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device", Device),
        ("ndim", c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", POINTER(ctypes.c_int64)),
        ("strides", POINTER(ctypes.c_int64)),
        ("byte_offset", c_uint64),
    ]


class Argument(Structure):
    _fields_ = [("tensor", POINTER(DLTensor)), ("value", c_void_p), ("size", c_size_t)]


class Launch(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("arguments", POINTER(Argument)),
        ("argument_count", c_uint32),
        ("shared_memory", c_uint32),
        ("groups", c_uint64 * 3),
        ("local", c_uint64 * 3),
    ]


def _function(*parameters: Any) -> Any:
    return ctypes.CFUNCTYPE(ctypes.c_int, *parameters)


_stream = _event = _operator = _host = c_void_p
_pointer = POINTER(c_void_p)


class Table(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("abi_version", c_uint32),
        ("reserved", c_uint32),
        ("name", c_char_p),
        ("version", c_char_p),
        ("last_error", ctypes.CFUNCTYPE(c_char_p)),
        ("device_count", _function(POINTER(c_int32))),
        ("device_properties", _function(c_int32, POINTER(Properties))),
        ("allocate", _function(Device, c_uint64, c_uint64, _stream, _pointer)),
        ("free", _function(Device, c_void_p, _stream)),
        ("read", _function(_host, Region, c_uint64, _stream)),
        ("write", _function(Region, _host, c_uint64, _stream)),
        ("copy", _function(Region, Region, c_uint64, _stream)),
        ("fill", _function(Region, _host, c_size_t, c_uint64, _stream)),
        ("stream_create", _function(Device, _pointer)),
        ("stream_destroy", _function(Device, _stream)),
        ("stream_synchronise", _function(Device, _stream)),
        ("stream_wait", _function(Device, _stream, _event)),
        ("event_create", _function(Device, _pointer)),
        ("event_destroy", _function(Device, _event)),
        ("event_record", _function(Device, _event, _stream)),
        ("event_synchronise", _function(Device, _event)),
        ("event_elapsed", _function(Device, _event, _event, POINTER(c_double))),
        ("operator_create", _function(Device, POINTER(Source), _pointer)),
        ("operator_destroy", _function(Device, _operator)),
        ("operator_launch", _function(Device, _operator, POINTER(Launch), _stream)),
        ("copy_rows", _function(Region, c_uint64, Region, c_uint64, c_uint64, c_uint64, _stream)),
    ]


REQUIRED_SIZE = Table.copy_rows.offset


class Driver:
    """A driver under test, on its first device. Every helper raises AssertionError where a call fails."""

    def __init__(self, table: Any) -> None:
        self.table = table
        self.properties = Properties(size=ctypes.sizeof(Properties))
        count = c_int32(-1)
        self.ok(table.device_count(count))
        if count.value == 0:
            raise RuntimeError(f"the driver has no devices here: {self.error}")
        self.ok(table.device_properties(0, self.properties))
        self.device = self.properties.device

    @property
    def error(self) -> str:
        sentence: bytes | None = self.table.last_error()
        return (sentence or b"").decode(errors="replace")

    def ok(self, status: int) -> None:
        if status != OK:
            raise AssertionError(f"a call gave {NAMES.get(status, status)}: {self.error}")

    def refused(self, status: int, *allowed: int) -> None:
        """The call has to have failed in one of the allowed ways, and to have said something."""
        wanted = " or ".join(NAMES[code] for code in allowed)
        if status not in allowed:
            raise AssertionError(f"the call gave {NAMES.get(status, status)} instead of {wanted}")
        if not self.error.strip():
            raise AssertionError(f"the call gave {NAMES[status]}, and last_error is empty")

    def has(self, member: str) -> bool:
        field = getattr(Table, member)
        return bool(self.table.size >= field.offset + field.size and getattr(self.table, member))

    def can(self, capability: int) -> bool:
        return bool(self.properties.capabilities & capability)

    def region(self, data: int | None, offset: int = 0, device: Device | None = None) -> Region:
        return Region(device or self.device, data, offset)

    def allocate(self, size: int, stream: int | None = None) -> int | None:
        data = c_void_p()
        self.ok(self.table.allocate(self.device, size, 0, stream, data))
        return data.value

    def free(self, data: int | None, stream: int | None = None) -> None:
        self.ok(self.table.free(self.device, data, stream))

    @contextmanager
    def memory(self, size: int) -> Iterator[int | None]:
        data = self.allocate(size)
        try:
            yield data
        finally:
            self.free(data)

    def write(self, data: int | None, content: bytes, offset: int = 0, stream: int | None = None) -> None:
        self.ok(self.table.write(self.region(data, offset), content, len(content), stream))

    def read(self, data: int | None, size: int, offset: int = 0) -> bytes:
        host = ctypes.create_string_buffer(max(size, 1))
        self.ok(self.table.read(host, self.region(data, offset), size, None))
        return host.raw[:size]

    @contextmanager
    def stream(self) -> Iterator[int | None]:
        made = c_void_p()
        self.ok(self.table.stream_create(self.device, made))
        try:
            yield made.value
        finally:
            self.ok(self.table.stream_destroy(self.device, made))

    @contextmanager
    def event(self) -> Iterator[int | None]:
        made = c_void_p()
        self.ok(self.table.event_create(self.device, made))
        try:
            yield made.value
        finally:
            self.ok(self.table.event_destroy(self.device, made))

    def synchronise(self, stream: int | None) -> None:
        self.ok(self.table.stream_synchronise(self.device, stream))
