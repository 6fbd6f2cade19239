"""Allocating and freeing."""

from __future__ import annotations

import ctypes

from dlport.conformance.checks import Skip, equal, require
from dlport.conformance.driver import SUITE
from dlport.conformance.driver.table import (
    HANDLES,
    INVALID_ARGUMENT,
    NOT_FOUND,
    OK,
    OUT_OF_MEMORY,
    UNSUPPORTED,
    Device,
    Driver,
)

GROUP = "memory"
SIZES = [1, 2, 3, 7, 8, 63, 64, 255, 256, 257, 4095, 4096, 65537, 1 << 20, (1 << 22) + 3]


@SUITE.check(GROUP, "{size} bytes are given and hold what is written", [{"size": size} for size in SIZES])
def allocates(driver: Driver, size: int) -> None:
    content = bytes(i * 7 % 251 for i in range(min(size, 4096)))
    with driver.memory(size) as data:
        require(data, "data is a null pointer")
        driver.write(data, content, size - len(content))
        equal(driver.read(data, len(content), size - len(content)), content, "what was read back")


@SUITE.check(GROUP, "no bytes are a null pointer, which can be freed")
def nothing(driver: Driver) -> None:
    data = ctypes.c_void_p(1)
    driver.ok(driver.table.allocate(driver.device, 0, 0, None, data))
    equal(data.value, None, "data")
    driver.free(None)


@SUITE.check(GROUP, "memory is aligned to what the device says")
def aligned(driver: Driver) -> None:
    if driver.can(HANDLES):
        raise Skip("memory is a handle here")
    for size in (1, 100, 5000):
        with driver.memory(size) as data:
            require((data or 0) % driver.properties.alignment == 0, f"{data:#x} is not")


@SUITE.check(GROUP, "an alignment of {alignment} is refused", [{"alignment": n} for n in (3, 48, 257)])
def odd_alignment(driver: Driver, alignment: int) -> None:
    data = ctypes.c_void_p()
    driver.refused(driver.table.allocate(driver.device, 64, alignment, None, data), INVALID_ARGUMENT)


@SUITE.check(GROUP, "an alignment of {alignment} is given or unsupported", [{"alignment": n} for n in (1, 16, 4096)])
def even_alignment(driver: Driver, alignment: int) -> None:
    data = ctypes.c_void_p()
    status = driver.table.allocate(driver.device, 64, alignment, None, data)
    if status == UNSUPPORTED:
        return
    driver.ok(status)
    wrong = not driver.can(HANDLES) and (data.value or 0) % alignment != 0
    driver.free(data.value)
    require(not wrong, f"{data.value:#x} is not aligned")


@SUITE.check(
    GROUP,
    "{size} bytes are more than there are",
    [{"size": size} for size in (1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)],
)
def too_much(driver: Driver, size: int) -> None:
    data = ctypes.c_void_p(77)
    driver.refused(driver.table.allocate(driver.device, size, 0, None, data), OUT_OF_MEMORY)
    equal(data.value, 77, "data, which a failed call does not touch,")


@SUITE.check(GROUP, "after a refusal memory is given as before")
def recovers(driver: Driver) -> None:
    data = ctypes.c_void_p()
    driver.table.allocate(driver.device, 1 << 63, 0, None, data)
    with driver.memory(128) as memory:
        require(memory, "data is a null pointer")


@SUITE.check(GROUP, "two allocations are different memory")
def distinct(driver: Driver) -> None:
    with driver.memory(64) as first, driver.memory(64) as second:
        require(first != second, "both have the same address or handle")
        driver.write(first, b"a" * 64)
        driver.write(second, b"b" * 64)
        equal(driver.read(first, 64), b"a" * 64, "the first")


@SUITE.check(GROUP, "memory freed twice is refused the second time")
def freed_twice(driver: Driver) -> None:
    data = driver.allocate(64)
    driver.free(data)
    driver.refused(driver.table.free(driver.device, data, None), INVALID_ARGUMENT)


@SUITE.check(GROUP, "memory of somebody else is not freed")
def foreign(driver: Driver) -> None:
    host = ctypes.create_string_buffer(64)
    driver.refused(driver.table.free(driver.device, ctypes.addressof(host), None), INVALID_ARGUMENT)


@SUITE.check(GROUP, "an address inside an allocation is not freed")
def interior(driver: Driver) -> None:
    with driver.memory(64) as data:
        driver.refused(driver.table.free(driver.device, (data or 0) + 8, None), INVALID_ARGUMENT)


@SUITE.check(GROUP, "allocating into a null pointer is refused")
def into_null(driver: Driver) -> None:
    driver.refused(driver.table.allocate(driver.device, 64, 0, None, None), INVALID_ARGUMENT)


@SUITE.check(GROUP, "allocating on another driver's device is refused")
def other_device(driver: Driver) -> None:
    data = ctypes.c_void_p()
    other = Device(driver.device.type, 9999)
    driver.refused(driver.table.allocate(other, 64, 0, None, data), NOT_FOUND, INVALID_ARGUMENT)


@SUITE.check(GROUP, "freeing on another driver's device is refused, and frees nothing")
def free_elsewhere(driver: Driver) -> None:
    with driver.memory(64) as data:
        driver.refused(driver.table.free(Device(driver.device.type, 9999), data, None), NOT_FOUND, INVALID_ARGUMENT)


@SUITE.check(GROUP, "memory is given and taken back 2000 times without a leak")
def leaks(driver: Driver) -> None:
    size = 4 << 20
    for _ in range(2000):
        data = driver.allocate(size)
        if not data:
            raise AssertionError("data is a null pointer")
        driver.free(data)


@SUITE.check(GROUP, "memory is given on a stream, and taken back on it")
def on_stream(driver: Driver) -> None:
    with driver.stream() as stream:
        data = driver.allocate(4096, stream)
        content = bytes(range(256)) * 16
        driver.write(data, content, stream=stream)
        driver.synchronise(stream)
        equal(driver.read(data, 4096), content, "what was read back")
        driver.free(data, stream)


@SUITE.check(GROUP, "a thousand small allocations live side by side")
def many(driver: Driver) -> None:
    all_data = [driver.allocate(16) for _ in range(1000)]
    for index, data in enumerate(all_data):
        driver.write(data, index.to_bytes(16, "little"))
    for index, data in enumerate(all_data):
        equal(driver.read(data, 16), index.to_bytes(16, "little"), f"allocation {index}")
        driver.free(data)


@SUITE.check(GROUP, "a failed call does not disturb a status that follows")
def status_is_fresh(driver: Driver) -> None:
    data = ctypes.c_void_p()
    driver.table.allocate(driver.device, 1 << 63, 0, None, data)
    equal(driver.table.allocate(driver.device, 64, 0, None, data), OK, "the status")
    driver.free(data.value)
