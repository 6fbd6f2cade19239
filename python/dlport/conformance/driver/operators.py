"""Creating and launching operators: `x = x * factor` on floats, in the formats for which there is code here."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator
from contextlib import contextmanager

from dlport.conformance.checks import Skip, equal, require
from dlport.conformance.driver import SUITE
from dlport.conformance.driver.table import (
    INVALID_ARGUMENT,
    NOT_FOUND,
    OPERATORS,
    UNSUPPORTED,
    Argument,
    Device,
    DLTensor,
    Driver,
    Launch,
    Source,
)

GROUP = "operators"
COUNT = 256

CODE = {
    "opencl-c": b"kernel void scale(global float* x, float factor) { x[get_global_id(0)] *= factor; }",
    "ptx": b"""
.version 6.0
.target sm_30
.address_size 64
.visible .entry scale(.param .u64 x, .param .f32 factor) {
  .reg .b64 %rd<4>; .reg .b32 %r<5>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [x]; ld.param.f32 %f1, [factor];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd1, %rd2;
  ld.global.f32 %f2, [%rd3]; mul.f32 %f3, %f2, %f1; st.global.f32 [%rd3], %f3;
  ret;
}
""",
}


def source_of(name: bytes, code: bytes | None) -> Source:
    return Source(ctypes.sizeof(Source), name, code, len(code or b""), None)


def create(driver: Driver, source: Source, device: Device | None = None) -> tuple[int, ctypes.c_void_p]:
    made = ctypes.c_void_p()
    return driver.table.operator_create(device or driver.device, source, made), made


def code_for(driver: Driver) -> bytes:
    if not driver.can(OPERATORS):
        raise Skip("the device has no operators")
    code = CODE.get(driver.properties.operator_format.decode())
    if code is None:
        raise Skip(f"there is no code here in the format {driver.properties.operator_format.decode()!r}")
    return code


@contextmanager
def scale(driver: Driver) -> Iterator[ctypes.c_void_p]:
    status, made = create(driver, source_of(b"scale", code_for(driver)))
    driver.ok(status)
    try:
        yield made
    finally:
        driver.ok(driver.table.operator_destroy(driver.device, made))


class Call:
    """A launch of `scale`, with everything that it points to."""

    def __init__(self, driver: Driver, data: int | None, factor: float = 2.0) -> None:
        self.shape = (ctypes.c_int64 * 1)(COUNT)
        self.tensor = DLTensor(data, driver.device, 1, 2, 32, 1, self.shape, None, 0)
        self.factor = ctypes.c_float(factor)
        self.arguments = (Argument * 2)(
            Argument(ctypes.pointer(self.tensor), None, 0),
            Argument(None, ctypes.addressof(self.factor), 4),
        )
        self.launch = Launch(ctypes.sizeof(Launch), self.arguments, 2, 0, (COUNT, 1, 1), (0, 0, 0))


def ones(count: int = COUNT) -> bytes:
    return struct.pack(f"{count}f", *range(count))


def floats(driver: Driver, data: int | None) -> list[float]:
    return list(struct.unpack(f"{COUNT}f", driver.read(data, 4 * COUNT)))


@SUITE.check(GROUP, "a device that has operators names their format")
def format_is_named(driver: Driver) -> None:
    if not driver.can(OPERATORS):
        raise Skip("the device has no operators")


@SUITE.check(GROUP, "a device without operators says that they are unsupported")
def without(driver: Driver) -> None:
    if driver.can(OPERATORS):
        raise Skip("the device has operators")
    driver.refused(create(driver, source_of(b"anything", None))[0], UNSUPPORTED)


@SUITE.check(GROUP, "an operator from code computes")
def computes(driver: Driver) -> None:
    with scale(driver) as op, driver.memory(4 * COUNT) as data:
        driver.write(data, ones())
        driver.ok(driver.table.operator_launch(driver.device, op, Call(driver, data).launch, None))
        equal(floats(driver, data), [2.0 * i for i in range(COUNT)], "the result")


@SUITE.check(GROUP, "launches of a stream are done in order")
def in_order(driver: Driver) -> None:
    with scale(driver) as op, driver.stream() as stream, driver.memory(4 * COUNT) as data:
        driver.write(data, ones())
        for _ in range(10):
            driver.ok(driver.table.operator_launch(driver.device, op, Call(driver, data).launch, stream))
        driver.synchronise(stream)
        equal(floats(driver, data)[1], 1024.0, "the result")


@SUITE.check(GROUP, "an operator may be destroyed while it runs")
def destroyed_early(driver: Driver) -> None:
    with driver.stream() as stream, driver.memory(4 * COUNT) as data:
        driver.write(data, ones())
        with scale(driver) as op:
            driver.ok(driver.table.operator_launch(driver.device, op, Call(driver, data).launch, stream))
        driver.synchronise(stream)
        equal(floats(driver, data)[3], 6.0, "the result")


@SUITE.check(GROUP, "values are read when an operator is launched")
def values_are_read(driver: Driver) -> None:
    with scale(driver) as op, driver.stream() as stream, driver.memory(4 * COUNT) as data:
        driver.write(data, ones())
        call = Call(driver, data, 4.0)
        driver.ok(driver.table.operator_launch(driver.device, op, call.launch, stream))
        call.factor.value = 100.0
        driver.synchronise(stream)
        equal(floats(driver, data)[2], 8.0, "the result")


@SUITE.check(GROUP, "groups of {size} items compute the same", [{"size": size} for size in (1, 16, 64)])
def groups(driver: Driver, size: int) -> None:
    with scale(driver) as op, driver.memory(4 * COUNT) as data:
        driver.write(data, ones())
        call = Call(driver, data)
        call.launch.local[0] = size
        driver.ok(driver.table.operator_launch(driver.device, op, call.launch, None))
        equal(floats(driver, data)[COUNT - 1], 2.0 * (COUNT - 1), "the result")


@SUITE.check(GROUP, "groups that do not divide the items are refused")
def odd_groups(driver: Driver) -> None:
    with scale(driver) as op, driver.memory(4 * COUNT) as data:
        call = Call(driver, data)
        call.launch.local[0] = 7
        driver.refused(driver.table.operator_launch(driver.device, op, call.launch, None), INVALID_ARGUMENT)


@SUITE.check(GROUP, "no work items are refused")
def no_items(driver: Driver) -> None:
    with scale(driver) as op, driver.memory(4 * COUNT) as data:
        call = Call(driver, data)
        call.launch.groups[0] = 0
        driver.refused(driver.table.operator_launch(driver.device, op, call.launch, None), INVALID_ARGUMENT)


@SUITE.check(GROUP, "a tensor of another device is refused as an argument")
def wrong_tensor(driver: Driver) -> None:
    with scale(driver) as op, driver.memory(4 * COUNT) as data:
        call = Call(driver, data)
        call.tensor.device = Device(driver.device.type, 9999)
        driver.refused(driver.table.operator_launch(driver.device, op, call.launch, None), INVALID_ARGUMENT)


@SUITE.check(GROUP, "an argument that is neither tensor nor value is refused")
def empty_argument(driver: Driver) -> None:
    with scale(driver) as op, driver.memory(4 * COUNT) as data:
        call = Call(driver, data)
        call.arguments[1] = Argument(None, None, 0)
        driver.refused(driver.table.operator_launch(driver.device, op, call.launch, None), INVALID_ARGUMENT)


@SUITE.check(GROUP, "code that does not compile is refused with the compiler's log")
def does_not_compile(driver: Driver) -> None:
    code_for(driver)
    status, _ = create(driver, source_of(b"scale", b"this is no code at all {"))
    driver.refused(status, INVALID_ARGUMENT)
    require(len(driver.error) > 40, f"last_error is only {driver.error!r}")


@SUITE.check(GROUP, "a name that is not in the code is not found")
def name_not_found(driver: Driver) -> None:
    status, _ = create(driver, source_of(b"shrink", code_for(driver)))
    driver.refused(status, NOT_FOUND)
    require("shrink" in driver.error, f"last_error does not name it: {driver.error!r}")


@SUITE.check(GROUP, "an operator that the driver does not have is not found")
def unknown(driver: Driver) -> None:
    if not driver.can(OPERATORS):
        raise Skip("the device has no operators")
    driver.refused(create(driver, source_of(b"no_such_operator", None))[0], NOT_FOUND)


@SUITE.check(GROUP, "a source without a name is refused")
def nameless(driver: Driver) -> None:
    if not driver.can(OPERATORS):
        raise Skip("the device has no operators")
    driver.refused(create(driver, source_of(None, b"code"))[0], INVALID_ARGUMENT)  # type: ignore[arg-type]


@SUITE.check(
    GROUP, "{what} is refused as a null pointer", [{"what": what} for what in ("source", "operator", "launch")]
)
def null_pointers(driver: Driver, what: str) -> None:
    if not driver.can(OPERATORS):
        raise Skip("the device has no operators")
    if what == "source":
        status = driver.table.operator_create(driver.device, None, ctypes.c_void_p())
    elif what == "operator":
        with driver.memory(4 * COUNT) as data:
            status = driver.table.operator_launch(driver.device, None, Call(driver, data).launch, None)
    else:
        with scale(driver) as op:
            driver.refused(driver.table.operator_launch(driver.device, op, None, None), INVALID_ARGUMENT)
            return
    driver.refused(status, INVALID_ARGUMENT)
