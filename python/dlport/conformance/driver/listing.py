"""The table and the devices."""

from __future__ import annotations

import ctypes

from dlport.conformance.checks import equal, require
from dlport.conformance.driver import SUITE
from dlport.conformance.driver.table import INVALID_ARGUMENT, NOT_FOUND, REQUIRED_SIZE, Driver, Properties, Table

GROUP = "listing"
REQUIRED = [
    name for name, *_ in Table._fields_ if Table.last_error.offset <= getattr(Table, name).offset < REQUIRED_SIZE
]


@SUITE.check(GROUP, "the table reaches as far as every driver's does")
def size(driver: Driver) -> None:
    require(driver.table.size >= REQUIRED_SIZE, f"size is {driver.table.size}, less than {REQUIRED_SIZE}")


@SUITE.check(GROUP, "the table is of version 1")
def version(driver: Driver) -> None:
    equal(driver.table.abi_version, 1, "abi_version")


@SUITE.check(GROUP, "the driver has a name of lower-case letters, digits and underscores")
def name(driver: Driver) -> None:
    text = (driver.table.name or b"").decode()
    require(text and text == text.lower() and text.replace("_", "").isalnum(), f"name is {text!r}")


@SUITE.check(GROUP, "{function} is there", [{"function": function} for function in REQUIRED])
def function_there(driver: Driver, function: str) -> None:
    require(getattr(driver.table, function), f"{function} is a null pointer")


@SUITE.check(GROUP, "last_error is never a null pointer")
def error_there(driver: Driver) -> None:
    require(driver.table.last_error() is not None, "last_error() is a null pointer")


@SUITE.check(GROUP, "the devices are counted alike every time")
def count_is_stable(driver: Driver) -> None:
    first, second = ctypes.c_int32(), ctypes.c_int32()
    driver.ok(driver.table.device_count(first))
    driver.ok(driver.table.device_count(second))
    equal(second.value, first.value, "the second count")


@SUITE.check(GROUP, "counting into a null pointer is refused")
def count_into_null(driver: Driver) -> None:
    driver.refused(driver.table.device_count(None), INVALID_ARGUMENT)


@SUITE.check(GROUP, "a device has a name, and an alignment that is a power of two")
def properties(driver: Driver) -> None:
    require(driver.properties.name, "name is empty")
    alignment = driver.properties.alignment
    require(alignment and alignment & (alignment - 1) == 0, f"alignment is {alignment}")


@SUITE.check(GROUP, "device {index} is not there", [{"index": -1}, {"index": 1 << 20}])
def no_such_device(driver: Driver, index: int) -> None:
    found = Properties(size=ctypes.sizeof(Properties))
    driver.refused(driver.table.device_properties(index, found), NOT_FOUND, INVALID_ARGUMENT)


@SUITE.check(GROUP, "properties into a null pointer are refused")
def properties_into_null(driver: Driver) -> None:
    driver.refused(driver.table.device_properties(0, None), INVALID_ARGUMENT)


@SUITE.check(GROUP, "a host that knows less of the properties is given what it knows")
def older_host(driver: Driver) -> None:
    known = Properties.memory.offset
    found = Properties(size=known)
    found.alignment = 12345
    driver.ok(driver.table.device_properties(0, found))
    equal(found.name, driver.properties.name, "name")
    equal(found.alignment, 12345, "alignment, behind what the host knows,")


@SUITE.check(GROUP, "a host that knows more of the properties is told how much was filled in")
def newer_host(driver: Driver) -> None:
    room = ctypes.create_string_buffer(ctypes.sizeof(Properties) + 64)
    found = Properties.from_buffer(room)
    found.size = len(room)
    driver.ok(driver.table.device_properties(0, found))
    require(found.size <= ctypes.sizeof(Properties), f"size is still {found.size}, more than the driver can know")
