"""The optional copy of rows."""

from __future__ import annotations

import ctypes

from dlport.conformance.checks import Skip, equal
from dlport.conformance.driver import SUITE
from dlport.conformance.driver.table import INVALID_ARGUMENT, Device, Driver
from dlport.conformance.driver.transfer import pattern

GROUP = "rows"
HOST = Device(1, 0)


def needs_rows(driver: Driver) -> None:
    if not driver.has("copy_rows"):
        raise Skip("the driver has no copy_rows")


def gathered(content: bytes, offset: int, pitch: int, row: int, rows: int) -> list[bytes]:
    return [content[offset + i * pitch : offset + i * pitch + row] for i in range(rows)]


CASES = [
    {"pitch": pitch, "row": row, "rows": rows, "offset": offset}
    for pitch, row, rows, offset in [(16, 16, 8, 0), (16, 7, 8, 0), (20, 10, 9, 3), (100, 1, 5, 99), (64, 64, 1, 5)]
]


@SUITE.check(GROUP, "{rows} rows of {row} bytes, {pitch} apart, are read from offset {offset}", CASES)
def read_rows(driver: Driver, pitch: int, row: int, rows: int, offset: int) -> None:
    needs_rows(driver)
    host = ctypes.create_string_buffer(row * rows)
    with driver.memory(1024) as data:
        driver.write(data, pattern(1024))
        target = Region(ctypes.addressof(host))
        driver.ok(driver.table.copy_rows(target, row, driver.region(data, offset), pitch, row, rows, None))
        equal(host.raw, b"".join(gathered(pattern(1024), offset, pitch, row, rows)), "the rows")


@SUITE.check(GROUP, "{rows} rows of {row} bytes, {pitch} apart, are written from offset {offset}, and no others", CASES)
def write_rows(driver: Driver, pitch: int, row: int, rows: int, offset: int) -> None:
    needs_rows(driver)
    host = ctypes.create_string_buffer(pattern(row * rows, 3))
    with driver.memory(1024) as data:
        driver.write(data, bytes(1024))
        source = Region(ctypes.addressof(host))
        driver.ok(driver.table.copy_rows(driver.region(data, offset), pitch, source, row, row, rows, None))
        after = driver.read(data, 1024)
        equal(b"".join(gathered(after, offset, pitch, row, rows)), pattern(row * rows, 3), "the rows")
        equal(1024 - after.count(0), row * rows - pattern(row * rows, 3).count(0), "the number of bytes written")


@SUITE.check(GROUP, "rows move within the device")
def device_rows(driver: Driver) -> None:
    needs_rows(driver)
    with driver.memory(256) as first, driver.memory(256) as second:
        driver.write(first, pattern(256))
        driver.write(second, bytes(256))
        driver.ok(driver.table.copy_rows(driver.region(second), 8, driver.region(first, 4), 32, 8, 7, None))
        equal(driver.read(second, 56), b"".join(gathered(pattern(256), 4, 32, 8, 7)), "the rows")


@SUITE.check(GROUP, "rows that lie closer than they are long are refused")
def short_pitch(driver: Driver) -> None:
    needs_rows(driver)
    host = ctypes.create_string_buffer(64)
    with driver.memory(64) as data:
        status = driver.table.copy_rows(driver.region(data), 7, Region(ctypes.addressof(host)), 8, 8, 4, None)
        driver.refused(status, INVALID_ARGUMENT)


@SUITE.check(GROUP, "rows past the end are refused")
def rows_out_of_range(driver: Driver) -> None:
    needs_rows(driver)
    host = ctypes.create_string_buffer(256)
    with driver.memory(64) as data:
        status = driver.table.copy_rows(driver.region(data), 16, Region(ctypes.addressof(host)), 16, 16, 5, None)
        driver.refused(status, INVALID_ARGUMENT)


def Region(address: int) -> object:
    from dlport.conformance.driver import table

    return table.Region(HOST, address, 0)
