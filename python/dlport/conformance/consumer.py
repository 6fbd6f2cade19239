"""Checks on a consumer: a function that makes a framework's tensor from any producer."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np

from dlport.conformance import dlpack
from dlport.conformance import producer as producers
from dlport.conformance.checks import Skip, Suite, equal, require
from dlport.conformance.dlpack import READ_ONLY, VERSIONED, Handmade, as_array
from dlport.conformance.producer import CODES, SHAPES
from dlport.conformance.subject import resolve

SUITE = Suite()
Take = Callable[[Any], Any]

#: Producers that errors refer to stay alive: a consumer that kept a reference to one must not crash the next check.
_kept: list[object] = []


def open_target(target: str) -> Take:
    return resolve(target)


def example(dtype: str = "float32", shape: tuple[int, ...] = (3, 4)) -> np.ndarray[Any, Any]:
    return producers.example(dtype, shape)


def keep(producer: Handmade) -> Handmade:
    _kept.append(producer)
    return producer


def ask(take: Take, producer: Handmade) -> Any:
    """What the consumer makes of it; the check does not apply to one that never asks for this kind of capsule."""
    try:
        return take(producer)
    except Exception:
        if producer.unasked:
            raise Skip(f"the consumer never asks for a capsule named {(producer.only or b'').decode()}") from None
        raise


def taken(take: Take, producer: Handmade) -> Any:
    """As ask(); nor does the check apply where the consumer says that it cannot express such a tensor."""
    try:
        return ask(take, producer)
    except (BufferError, NotImplementedError, TypeError, ValueError, RuntimeError) as error:
        raise Skip(f"refused: {type(error).__name__}: {error}") from None


def refuses(take: Take, producer: Handmade, why: str) -> None:
    """The consumer has to raise, and to have let go of what it refused."""
    try:
        result = ask(take, producer)
    except Skip:
        raise
    except Exception:
        gc.collect()
        return
    _kept.append(result)
    raise AssertionError(f"it took {why}")


def drop(producer: Handmade) -> None:
    gc.collect()
    equal(producer.deleted, 1, "the number of deleter calls")


@SUITE.check("values", "{dtype} arrives with its values", [{"dtype": dtype} for dtype in CODES])
def dtypes(take: Take, dtype: str) -> None:
    producer = keep(Handmade(example(dtype)))
    equal(as_array(taken(take, producer)).tolist(), example(dtype).tolist(), "the values")


@SUITE.check("values", "shape {shape} arrives", [{"shape": shape} for shape in SHAPES])
def shapes(take: Take, shape: tuple[int, ...]) -> None:
    producer = keep(Handmade(example("float32", shape)))
    result = as_array(taken(take, producer))
    equal((result.shape, result.tolist()), (shape, example("float32", shape).tolist()), "shape and values")


LAYOUTS: dict[str, Callable[[], np.ndarray[Any, Any]]] = {
    "a transpose": lambda: example().T,
    "every second column": lambda: example("float32", (4, 6))[:, ::2],
    "a broadcast row": lambda: np.broadcast_to(example("float32", (4,)), (3, 4)),
    "columns first": lambda: np.asfortranarray(example("float32", (2, 3, 4))),
}


@SUITE.check("values", "{layout} arrives with its values", [{"layout": layout} for layout in LAYOUTS])
def layouts(take: Take, layout: str) -> None:
    array = LAYOUTS[layout]()
    equal(as_array(taken(take, keep(Handmade(array)))).tolist(), array.tolist(), "the values")


@SUITE.check("values", "byte_offset is added to the address")
def byte_offset(take: Take) -> None:
    def adjust(managed: Any) -> None:
        managed.tensor.byte_offset = 16
        managed.tensor.shape[0] = 4

    result = as_array(taken(take, keep(Handmade(example("float32", (8,)), adjust=adjust))))
    equal(result.tolist(), [4.0, 5.0, 6.0, 7.0], "the values")


@SUITE.check("values", "strides that are left out mean row-major")
def no_strides(take: Take) -> None:
    producer = keep(Handmade(example(), adjust=lambda managed: setattr(managed.tensor, "strides", None)))
    equal(as_array(taken(take, producer)).tolist(), example().tolist(), "the values")


@SUITE.check("values", "strides of a tensor without elements mean nothing")
def strides_of_nothing(take: Take) -> None:
    def adjust(managed: Any) -> None:
        managed.tensor.strides[0] = managed.tensor.strides[1] = 12345
        managed.tensor.data = None

    equal(as_array(taken(take, keep(Handmade(np.empty((0, 3), "float32"), adjust=adjust)))).shape, (0, 3), "the shape")


@SUITE.check("values", "the stride of an axis of length 1 means nothing")
def unit_stride(take: Take) -> None:
    def adjust(managed: Any) -> None:
        managed.tensor.strides[0] = 12345

    producer = keep(Handmade(example("float32", (1, 4)), adjust=adjust))
    equal(as_array(taken(take, producer)).tolist(), [[0.0, 1.0, 2.0, 3.0]], "the values")


@SUITE.check("protocol", "a producer that knows no keywords is asked without them")
def old_producer(take: Take) -> None:
    producer = keep(Handmade(example(), understands_keywords=False))
    equal(as_array(take(producer)).tolist(), example().tolist(), "the values")


@SUITE.check("protocol", "a versioned capsule is taken")
def versioned(take: Take) -> None:
    equal(as_array(ask(take, keep(Handmade(example(), only=VERSIONED)))).tolist(), example().tolist(), "the values")


@SUITE.check("protocol", "a newer minor version is taken")
def newer_minor(take: Take) -> None:
    producer = keep(Handmade(example(), only=VERSIONED, adjust=lambda managed: setattr(managed.version, "minor", 99)))
    equal(as_array(ask(take, producer)).tolist(), example().tolist(), "the values")


@SUITE.check("protocol", "a newer major version is refused")
def newer_major(take: Take) -> None:
    producer = keep(Handmade(example(), only=VERSIONED, adjust=lambda managed: setattr(managed.version, "major", 2)))
    refuses(take, producer, "a layout that it cannot know")


@SUITE.check("protocol", "a newer major version is released by its deleter")
def newer_major_released(take: Take) -> None:
    producer = keep(Handmade(example(), only=VERSIONED, adjust=lambda managed: setattr(managed.version, "major", 2)))
    refuses(take, producer, "a layout that it cannot know")
    drop(producer)


@SUITE.check("protocol", "a tensor on a device that is not there is refused")
def absent_device(take: Take) -> None:
    refuses(take, keep(Handmade(example(), device=(9, 77))), "memory of a device that is not there")


@SUITE.check("protocol", "the producer's own error comes through")
def producer_raises(take: Take) -> None:
    class Broken(Handmade):
        def __dlpack__(self, **keywords: Any) -> object:
            raise LookupError("the cellar is flooded")

    try:
        take(keep(Broken(example())))
    except Exception as error:
        chain = f"{error!r} {error.__cause__!r} {error.__context__!r}"
        require("flooded" in chain, f"it became {error!r}")
        return
    raise AssertionError("it raises nothing")


@SUITE.check("protocol", "what is not a capsule is refused")
def not_a_capsule(take: Take) -> None:
    class Lying(Handmade):
        def __dlpack__(self, **keywords: Any) -> object:
            return "tensor"

    refuses(take, keep(Lying(example())), "a string for a capsule")


@SUITE.check("protocol", "a capsule that was taken is renamed")
def renamed(take: Take) -> None:
    capsules = []

    class Watched(Handmade):
        def __dlpack__(self, **keywords: Any) -> object:
            capsules.append(super().__dlpack__(**keywords))
            return capsules[-1]

    result = take(keep(Watched(example())))
    equal(dlpack.capsule_name(capsules[-1])[:5], b"used_", "the front of its name")
    del result


@SUITE.check("protocol", "a capsule that was taken is not taken again")
def taken_twice(take: Take) -> None:
    class Reusing(Handmade):
        def __dlpack__(self, **keywords: Any) -> object:
            if not hasattr(self, "kept"):
                self.kept = super().__dlpack__(**keywords)
            return self.kept

    producer = keep(Reusing(example()))
    _kept.append(take(producer))
    refuses(take, producer, "a capsule that was taken before")


@SUITE.check("lifetime", "the deleter is called once, when the tensor goes")
def deleted_once(take: Take) -> None:
    producer = keep(Handmade(example()))
    result = take(producer)
    del result
    drop(producer)


@SUITE.check("lifetime", "the deleter of before 1.0 is called once, when the tensor goes")
def legacy_deleted_once(take: Take) -> None:
    producer = keep(Handmade(example(), understands_keywords=False))
    result = take(producer)
    del result
    drop(producer)


@SUITE.check("lifetime", "a tensor without a deleter is taken and dropped")
def no_deleter(take: Take) -> None:
    result = take(keep(Handmade(example(), deleter=False)))
    equal(as_array(result).tolist(), example().tolist(), "the values")
    del result
    gc.collect()


@SUITE.check("lifetime", "what is refused is released once")
def refused_is_released(take: Take) -> None:
    producer = keep(Handmade(example(), adjust=lambda managed: setattr(managed.tensor, "code", 77)))
    refuses(take, producer, "a dtype that DLPack does not have")
    drop(producer)


@SUITE.check("lifetime", "the memory is shared where the layout allows it")
def shared(take: Take) -> None:
    array = example("float32", (64,))
    result = take(keep(Handmade(array)))
    array[0] = 99.0
    equal(as_array(result).tolist()[0], 99.0, "the first value, after it was changed by the producer,")


@SUITE.check("safety", "a read-only tensor is not handed out as writable")
def read_only(take: Take) -> None:
    array = example()
    producer = keep(Handmade(array, only=VERSIONED, adjust=lambda managed: setattr(managed, "flags", READ_ONLY)))
    try:
        result = ask(take, producer)
    except (BufferError, NotImplementedError, ValueError, RuntimeError, TypeError):
        return
    _kept.append(result)
    try:
        result[0, 0] = 55.0
    except Exception:
        return
    require(array[0, 0] != 55.0, "it was written to")


BAD: dict[str, Callable[[Any], None]] = {
    "a negative dimension": lambda tensor: tensor.shape.__setitem__(0, -3),
    "more elements than 63 bits count": lambda tensor: (
        tensor.shape.__setitem__(0, 1 << 62),
        tensor.shape.__setitem__(1, 1 << 62),
    )[0],
    "a negative ndim": lambda tensor: setattr(tensor, "ndim", -1),
    "a dtype of 77 bits": lambda tensor: setattr(tensor, "bits", 77),
    "a dtype of no lanes": lambda tensor: setattr(tensor, "lanes", 0),
    "elements but no memory": lambda tensor: setattr(tensor, "data", None),
    "dimensions but no shape": lambda tensor: setattr(tensor, "shape", None),
}


@SUITE.check("safety", "{what} is refused", [{"what": what} for what in BAD])
def malformed(take: Take, what: str) -> None:
    producer = keep(Handmade(example(), adjust=lambda managed: BAD[what](managed.tensor)))
    refuses(take, producer, what)


@SUITE.check(
    "safety",
    "{name} is taken right or refused",
    [
        {"name": "float32 in 4 lanes", "code": 2, "bits": 32, "lanes": 4},
        {"name": "int4", "code": 0, "bits": 4, "lanes": 1},
        {"name": "float8_e4m3fn", "code": 10, "bits": 8, "lanes": 1},
        {"name": "float4 in 2 lanes", "code": 17, "bits": 4, "lanes": 2},
        {"name": "an opaque handle", "code": 3, "bits": 64, "lanes": 1},
    ],
)
def odd_dtypes(take: Take, name: str, code: int, bits: int, lanes: int) -> None:
    def adjust(managed: Any) -> None:
        managed.tensor.code, managed.tensor.bits, managed.tensor.lanes = code, bits, lanes
        managed.tensor.shape[0] = managed.tensor.shape[1] = 1

    try:
        _kept.append(take(keep(Handmade(example("float64"), adjust=adjust))))
    except Exception:
        gc.collect()


@SUITE.check("safety", "an address that is not aligned is taken right or refused")
def unaligned(take: Take) -> None:
    buffer = np.zeros(65, np.uint8)
    start = (-buffer.ctypes.data) % 4 + 1
    values = np.ndarray((8,), "float32", buffer, start)
    values[:] = np.arange(8)
    result = taken(take, keep(Handmade(values)))
    equal(as_array(result).tolist(), list(map(float, range(8))), "the values")
