"""Streams and events."""

from __future__ import annotations

import ctypes
import time

from dlport.conformance.checks import equal, require
from dlport.conformance.driver import SUITE
from dlport.conformance.driver.table import INVALID_ARGUMENT, NOT_FOUND, OK, Device, Driver
from dlport.conformance.driver.transfer import pattern

GROUP = "streams"
SIZE = 1 << 20


@SUITE.check(GROUP, "work of a stream is done in order")
def in_order(driver: Driver) -> None:
    content = pattern(4096) * 256
    host = ctypes.create_string_buffer(SIZE)
    with driver.stream() as stream, driver.memory(SIZE) as first, driver.memory(SIZE) as second:
        for round_ in range(8):
            source = content[round_:] + content[:round_]
            driver.ok(driver.table.write(driver.region(first), source, SIZE, stream))
            driver.ok(driver.table.copy(driver.region(second), driver.region(first), SIZE, stream))
            driver.ok(driver.table.read(host, driver.region(second), SIZE, stream))
            driver.synchronise(stream)
            require(host.raw == source, f"round {round_} read something else")


@SUITE.check(GROUP, "the last of many fills stands")
def fills_in_order(driver: Driver) -> None:
    with driver.stream() as stream, driver.memory(SIZE) as data:
        for value in range(64):
            driver.ok(driver.table.fill(driver.region(data), bytes([value]), 1, SIZE, stream))
        driver.synchronise(stream)
        equal(set(driver.read(data, SIZE)), {63}, "the set of bytes")


@SUITE.check(GROUP, "a call without a stream is done when it returns")
def synchronous(driver: Driver) -> None:
    with driver.memory(SIZE) as data:
        for value in range(8):
            driver.ok(driver.table.fill(driver.region(data), bytes([value]), 1, SIZE, None))
            equal(set(driver.read(data, SIZE)), {value}, "the set of bytes")


@SUITE.check(GROUP, "a pattern may change once fill has returned")
def pattern_is_copied(driver: Driver) -> None:
    unit = ctypes.create_string_buffer(b"abcd", 4)
    with driver.stream() as stream, driver.memory(4096) as data:
        driver.ok(driver.table.fill(driver.region(data), unit, 4, 4096, stream))
        unit.raw = b"wxyz"
        driver.synchronise(stream)
        equal(driver.read(data, 8), b"abcdabcd", "the memory")


@SUITE.check(GROUP, "a stream waits for an event of another")
def waits(driver: Driver) -> None:
    host = ctypes.create_string_buffer(SIZE)
    with driver.stream() as first, driver.stream() as second, driver.event() as event, driver.memory(SIZE) as data:
        for value in range(16):
            driver.ok(driver.table.fill(driver.region(data), bytes([value]), 1, SIZE, first))
            driver.ok(driver.table.event_record(driver.device, event, first))
            driver.ok(driver.table.stream_wait(driver.device, second, event))
            driver.ok(driver.table.read(host, driver.region(data), SIZE, second))
            driver.synchronise(second)
            equal(set(host.raw), {value}, "the set of bytes")


@SUITE.check(GROUP, "an event that was never recorded holds nothing up")
def unrecorded(driver: Driver) -> None:
    with driver.stream() as stream, driver.event() as event:
        driver.ok(driver.table.stream_wait(driver.device, stream, event))
        driver.ok(driver.table.event_synchronise(driver.device, event))
        driver.synchronise(stream)


@SUITE.check(GROUP, "waiting for an event means that what came before it is done")
def event_synchronise(driver: Driver) -> None:
    host = ctypes.create_string_buffer(SIZE)
    with driver.stream() as stream, driver.event() as event, driver.memory(SIZE) as data:
        driver.ok(driver.table.fill(driver.region(data), b"e", 1, SIZE, stream))
        driver.ok(driver.table.read(host, driver.region(data), SIZE, stream))
        driver.ok(driver.table.event_record(driver.device, event, stream))
        driver.ok(driver.table.event_synchronise(driver.device, event))
        equal(set(host.raw), {ord("e")}, "the set of bytes")


@SUITE.check(GROUP, "the time between two events is not negative, nor more than passed")
def elapsed(driver: Driver) -> None:
    seconds = ctypes.c_double(-1)
    with driver.stream() as stream, driver.event() as start, driver.event() as end, driver.memory(SIZE) as data:
        begin = time.perf_counter()
        driver.ok(driver.table.event_record(driver.device, start, stream))
        driver.ok(driver.table.fill(driver.region(data), b"t", 1, SIZE, stream))
        driver.ok(driver.table.event_record(driver.device, end, stream))
        driver.ok(driver.table.event_elapsed(driver.device, start, end, seconds))
        passed = time.perf_counter() - begin
    require(0 <= seconds.value <= passed + 0.01, f"{seconds.value} s, when {passed} s passed")


@SUITE.check(GROUP, "the time between two events the wrong way round is not positive")
def elapsed_backwards(driver: Driver) -> None:
    seconds = ctypes.c_double(1)
    with driver.stream() as stream, driver.event() as start, driver.event() as end:
        driver.ok(driver.table.event_record(driver.device, start, stream))
        driver.ok(driver.table.event_record(driver.device, end, stream))
        driver.ok(driver.table.event_elapsed(driver.device, end, start, seconds))
    require(seconds.value <= 0, f"{seconds.value} s")


@SUITE.check(GROUP, "the time to an event that was never recorded is refused")
def elapsed_unrecorded(driver: Driver) -> None:
    with driver.stream() as stream, driver.event() as start, driver.event() as end:
        driver.ok(driver.table.event_record(driver.device, start, stream))
        status = driver.table.event_elapsed(driver.device, start, end, ctypes.c_double())
        driver.refused(status, INVALID_ARGUMENT)


@SUITE.check(GROUP, "an event that is recorded again moves")
def recorded_again(driver: Driver) -> None:
    first, second = ctypes.c_double(), ctypes.c_double()
    with driver.stream() as stream, driver.event() as start, driver.event() as end:
        driver.ok(driver.table.event_record(driver.device, start, stream))
        driver.ok(driver.table.event_record(driver.device, end, stream))
        driver.ok(driver.table.event_elapsed(driver.device, start, end, first))
        time.sleep(0.01)
        driver.ok(driver.table.event_record(driver.device, end, stream))
        driver.ok(driver.table.event_elapsed(driver.device, start, end, second))
    require(second.value > first.value, f"{first.value} s, then {second.value} s")


@SUITE.check(GROUP, "{call} of null is refused", [{"call": "stream_create"}, {"call": "event_create"}])
def create_into_null(driver: Driver, call: str) -> None:
    driver.refused(getattr(driver.table, call)(driver.device, None), INVALID_ARGUMENT)


@SUITE.check(
    GROUP,
    "{call} on a null event is refused",
    [{"call": call} for call in ("event_record", "event_synchronise", "stream_wait", "event_elapsed")],
)
def null_event(driver: Driver, call: str) -> None:
    table, device = driver.table, driver.device
    with driver.stream() as stream, driver.event() as event:
        calls = {
            "event_record": lambda: table.event_record(device, None, stream),
            "event_synchronise": lambda: table.event_synchronise(device, None),
            "stream_wait": lambda: table.stream_wait(device, stream, None),
            "event_elapsed": lambda: table.event_elapsed(device, event, None, ctypes.c_double()),
        }
        driver.refused(calls[call](), INVALID_ARGUMENT)


@SUITE.check(
    GROUP, "{call} on a device that is not there is refused", [{"call": "stream_create"}, {"call": "event_create"}]
)
def create_elsewhere(driver: Driver, call: str) -> None:
    status = getattr(driver.table, call)(Device(driver.device.type, 9999), ctypes.c_void_p())
    driver.refused(status, NOT_FOUND, INVALID_ARGUMENT)


@SUITE.check(GROUP, "destroying a stream waits for its work")
def destroy_waits(driver: Driver) -> None:
    host = ctypes.create_string_buffer(SIZE)
    with driver.memory(SIZE) as data:
        with driver.stream() as stream:
            driver.ok(driver.table.fill(driver.region(data), b"d", 1, SIZE, stream))
            driver.ok(driver.table.read(host, driver.region(data), SIZE, stream))
        equal(set(host.raw), {ord("d")}, "the set of bytes")


@SUITE.check(GROUP, "memory freed on a stream serves the work before it")
def free_behind_work(driver: Driver) -> None:
    host = ctypes.create_string_buffer(SIZE)
    with driver.stream() as stream:
        data = driver.allocate(SIZE, stream)
        driver.ok(driver.table.fill(driver.region(data), b"f", 1, SIZE, stream))
        driver.ok(driver.table.read(host, driver.region(data), SIZE, stream))
        driver.free(data, stream)
        driver.synchronise(stream)
    equal(set(host.raw), {ord("f")}, "the set of bytes")


@SUITE.check(GROUP, "the default stream can be synchronised")
def default_stream(driver: Driver) -> None:
    equal(driver.table.stream_synchronise(driver.device, None), OK, "the status")


@SUITE.check(GROUP, "a hundred streams are made and destroyed")
def many_streams(driver: Driver) -> None:
    for _ in range(100):
        with driver.stream() as stream:
            driver.synchronise(stream)
