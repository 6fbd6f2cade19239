"""Reading, writing, copying and filling."""

from __future__ import annotations

import ctypes
from itertools import product

from dlport.conformance.checks import equal
from dlport.conformance.driver import SUITE
from dlport.conformance.driver.table import INVALID_ARGUMENT, NOT_FOUND, OK, UNSUPPORTED, Device, Driver

GROUP = "transfer"
PLACES = [{"offset": offset, "size": size} for offset, size in product((0, 1, 3, 8, 63, 1000), (1, 5, 64, 999))]


def pattern(size: int, seed: int = 1) -> bytes:
    return bytes((i * 31 + seed * 17) % 253 for i in range(size))


@SUITE.check(GROUP, "{size} bytes at offset {offset} are written and read, and no others", PLACES)
def at_offset(driver: Driver, offset: int, size: int) -> None:
    whole = pattern(2048)
    part = pattern(size, 2)
    with driver.memory(2048) as data:
        driver.write(data, whole)
        driver.write(data, part, offset)
        equal(driver.read(data, size, offset), part, "the part")
        equal(driver.read(data, 2048), whole[:offset] + part + whole[offset + size :], "the whole")


@SUITE.check(
    GROUP,
    "{size} bytes are copied from offset {source} to {target}",
    [
        {"source": source, "target": target, "size": size}
        for source, target, size in [(0, 0, 512), (1, 0, 7), (0, 1, 7), (3, 5, 100), (255, 256, 257), (64, 0, 448)]
    ],
)
def copies(driver: Driver, source: int, target: int, size: int) -> None:
    with driver.memory(512) as first, driver.memory(513) as second:
        driver.write(first, pattern(512))
        driver.write(second, bytes(513))
        driver.ok(driver.table.copy(driver.region(second, target), driver.region(first, source), size, None))
        expected = bytes(target) + pattern(512)[source : source + size] + bytes(513 - target - size)
        equal(driver.read(second, 513), expected, "the destination")


@SUITE.check(GROUP, "a copy within an allocation moves what does not overlap")
def within(driver: Driver) -> None:
    with driver.memory(128) as data:
        driver.write(data, pattern(128))
        driver.ok(driver.table.copy(driver.region(data, 64), driver.region(data), 64, None))
        equal(driver.read(data, 128), pattern(64) * 2, "the memory")


@SUITE.check(GROUP, "a copy onto itself shifted by {shift} is refused", [{"shift": n} for n in (1, -1, 63)])
def overlapping(driver: Driver, shift: int) -> None:
    with driver.memory(192) as data:
        driver.write(data, pattern(192))
        status = driver.table.copy(driver.region(data, 64 + shift), driver.region(data, 64), 64, None)
        driver.refused(status, INVALID_ARGUMENT)
        equal(driver.read(data, 192), pattern(192), "the memory")


@SUITE.check(
    GROUP,
    "a pattern of {width} bytes fills {count} times from offset {offset}",
    [
        {"width": width, "count": count, "offset": offset}
        for width in (1, 2, 4, 8, 16)
        for count, offset in [(1, 0), (33, 16)]
    ],
)
def fills(driver: Driver, width: int, count: int, offset: int) -> None:
    with driver.memory(1024) as data:
        driver.write(data, bytes(1024))
        unit = pattern(width, 5)
        driver.ok(driver.table.fill(driver.region(data, offset), unit, width, width * count, None))
        rest = 1024 - offset - width * count
        equal(driver.read(data, 1024), bytes(offset) + unit * count + bytes(rest), "the memory")


@SUITE.check(GROUP, "a fill at an odd place is right or unsupported")
def fills_oddly(driver: Driver) -> None:
    with driver.memory(64) as data:
        driver.write(data, bytes(64))
        status = driver.table.fill(driver.region(data, 1), b"abcd", 4, 8, None)
        if status == UNSUPPORTED:
            return
        driver.ok(status)
        equal(driver.read(data, 10), b"\0abcdabcd\0", "the memory")


@SUITE.check(GROUP, "a pattern of {width} bytes is refused", [{"width": width} for width in (0, 3, 32)])
def odd_pattern(driver: Driver, width: int) -> None:
    with driver.memory(96) as data:
        driver.refused(driver.table.fill(driver.region(data), bytes(32), width, 96, None), INVALID_ARGUMENT)


@SUITE.check(GROUP, "a fill that is not a multiple of its pattern is refused")
def odd_fill(driver: Driver) -> None:
    with driver.memory(64) as data:
        driver.refused(driver.table.fill(driver.region(data), bytes(8), 8, 60, None), INVALID_ARGUMENT)


@SUITE.check(GROUP, "{call} of no bytes does nothing", [{"call": call} for call in ("read", "write", "copy", "fill")])
def of_nothing(driver: Driver, call: str) -> None:
    nowhere = driver.region(None)
    host = ctypes.create_string_buffer(16)
    calls = {
        "read": lambda: driver.table.read(host, nowhere, 0, None),
        "write": lambda: driver.table.write(nowhere, host, 0, None),
        "copy": lambda: driver.table.copy(nowhere, nowhere, 0, None),
        "fill": lambda: driver.table.fill(nowhere, host, 1, 0, None),
    }
    equal(calls[call](), OK, "the status")


OUTSIDE = [(0, 65), (64, 1), (60, 5), (1 << 40, 1), ((1 << 64) - 1, 1), ((1 << 64) - 8, 16)]


@SUITE.check(
    GROUP,
    "{call} of {size} bytes at {offset} is out of range",
    [
        {"call": call, "offset": offset, "size": size}
        for call, (offset, size) in product(("read", "write", "fill"), OUTSIDE)
    ],
)
def out_of_range(driver: Driver, call: str, offset: int, size: int) -> None:
    host = ctypes.create_string_buffer(b"h" * 128)
    with driver.memory(64) as data:
        driver.write(data, pattern(64))
        place = driver.region(data, offset)
        calls = {
            "read": lambda: driver.table.read(host, place, size, None),
            "write": lambda: driver.table.write(place, host, size, None),
            "fill": lambda: driver.table.fill(place, host, 1, size, None),
        }
        driver.refused(calls[call](), INVALID_ARGUMENT)
        equal(driver.read(data, 64), pattern(64), "the memory")
        equal(host.raw[:128], b"h" * 128, "the host's memory")


@SUITE.check(
    GROUP,
    "a copy whose {side} is out of range is refused",
    [{"side": "source"}, {"side": "destination"}],
)
def copy_out_of_range(driver: Driver, side: str) -> None:
    with driver.memory(64) as small, driver.memory(256) as large:
        source, target = (small, large) if side == "source" else (large, small)
        driver.refused(driver.table.copy(driver.region(target), driver.region(source), 65, None), INVALID_ARGUMENT)


@SUITE.check(GROUP, "{call} with a null pointer is refused", [{"call": call} for call in ("read", "write", "fill")])
def null_host(driver: Driver, call: str) -> None:
    with driver.memory(64) as data:
        place = driver.region(data)
        calls = {
            "read": lambda: driver.table.read(None, place, 8, None),
            "write": lambda: driver.table.write(place, None, 8, None),
            "fill": lambda: driver.table.fill(place, None, 1, 8, None),
        }
        driver.refused(calls[call](), INVALID_ARGUMENT)


@SUITE.check(GROUP, "{call} of null memory is refused", [{"call": call} for call in ("read", "write", "copy", "fill")])
def null_memory(driver: Driver, call: str) -> None:
    nowhere = driver.region(None)
    host = ctypes.create_string_buffer(16)
    with driver.memory(64) as data:
        calls = {
            "read": lambda: driver.table.read(host, nowhere, 8, None),
            "write": lambda: driver.table.write(nowhere, host, 8, None),
            "copy": lambda: driver.table.copy(nowhere, driver.region(data), 8, None),
            "fill": lambda: driver.table.fill(nowhere, host, 1, 8, None),
        }
        driver.refused(calls[call](), INVALID_ARGUMENT)


@SUITE.check(GROUP, "{call} on a device that is not there is refused", [{"call": c} for c in ("read", "write", "fill")])
def wrong_device(driver: Driver, call: str) -> None:
    host = ctypes.create_string_buffer(16)
    with driver.memory(64) as data:
        place = driver.region(data, device=Device(driver.device.type, 9999))
        calls = {
            "read": lambda: driver.table.read(host, place, 8, None),
            "write": lambda: driver.table.write(place, host, 8, None),
            "fill": lambda: driver.table.fill(place, host, 1, 8, None),
        }
        driver.refused(calls[call](), NOT_FOUND, INVALID_ARGUMENT)


@SUITE.check(GROUP, "twenty megabytes come back as they were")
def large(driver: Driver) -> None:
    content = pattern(4096) * 5120
    with driver.memory(len(content)) as first, driver.memory(len(content)) as second:
        driver.write(first, content)
        driver.ok(driver.table.copy(driver.region(second), driver.region(first), len(content), None))
        equal(driver.read(second, len(content)) == content, True, "that they are equal")
