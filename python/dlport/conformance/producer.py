"""Checks on a producer: a function that makes a framework's tensor from a NumPy array."""

from __future__ import annotations

import ctypes
import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from dlport.conformance import dlpack
from dlport.conformance.checks import Skip, Suite, equal, require
from dlport.conformance.dlpack import IS_COPIED, LEGACY, VERSIONED, Managed, ManagedVersioned
from dlport.conformance.subject import resolve

SUITE = Suite()
Make = Callable[[np.ndarray[Any, Any]], Any]

CODES = {
    "bool": (6, 8),
    **{f"int{bits}": (0, bits) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (1, bits) for bits in (8, 16, 32, 64)},
    **{f"float{bits}": (2, bits) for bits in (16, 32, 64)},
    **{f"complex{bits}": (5, bits) for bits in (64, 128)},
}


def open_target(target: str) -> Make:
    return resolve(target)


def tensor(make: Make, array: np.ndarray[Any, Any]) -> Any:
    """A tensor with the values of `array`; the check does not apply where the framework cannot make one."""
    try:
        return make(array)
    except Exception as error:
        raise Skip(f"no tensor of {array.dtype} {array.shape}: {error}") from None


def example(dtype: str = "float32", shape: tuple[int, ...] = (12,)) -> np.ndarray[Any, Any]:
    count = int(np.prod(shape))
    return (np.arange(count) % 2 if dtype == "bool" else np.arange(count)).astype(dtype).reshape(shape)


def export(made: Any, **keywords: Any) -> Any:
    require(hasattr(made, "__dlpack__"), f"{type(made).__name__} has no __dlpack__")
    return made.__dlpack__(**keywords)


def read(managed: Managed | ManagedVersioned) -> np.ndarray[Any, Any]:
    """The values that an exported tensor on the host describes."""
    tensor_ = managed.tensor
    kind = {code: name for name, code in CODES.items()}[(tensor_.code, tensor_.bits)]
    shape = dlpack.shape_of(tensor_)
    if 0 in shape:
        return np.empty(shape, kind)
    strides = dlpack.strides_of(tensor_)
    size = np.dtype(kind).itemsize
    if strides is None:
        strides = tuple(int(np.prod(shape[i + 1 :], dtype=np.int64)) for i in range(len(shape)))
    reach = 1 + sum(step * (dim - 1) for dim, step in zip(shape, strides, strict=True))
    raw = (ctypes.c_char * (reach * size)).from_address(tensor_.data + tensor_.byte_offset)
    flat: np.ndarray[Any, Any] = np.frombuffer(memoryview(raw), np.dtype(kind))
    return np.lib.stride_tricks.as_strided(flat, shape, tuple(step * size for step in strides)).copy()


def on_host(made: Any) -> None:
    if int(made.__dlpack_device__()[0]) not in (1, 3, 11, 13):
        raise Skip("the tensor is not in host memory")


@SUITE.check("protocol", "__dlpack_device__ gives a device type and an index")
def device(make: Make) -> None:
    found = tensor(make, example()).__dlpack_device__()
    require(isinstance(found, tuple) and len(found) == 2, f"it gives {found!r}")
    require(int(found[0]) in range(1, 19) and int(found[1]) >= 0, f"it gives {found!r}")


@SUITE.check("protocol", "the exported tensor is on the device that __dlpack_device__ names")
def device_agrees(make: Make) -> None:
    made = tensor(make, example())
    found = dlpack.open_capsule(capsule := export(made)).tensor.device
    equal((found.type, found.index), tuple(map(int, made.__dlpack_device__())), "the device")
    del capsule


@SUITE.check("protocol", "without max_version the capsule is of before 1.0")
def legacy(make: Make) -> None:
    equal(dlpack.capsule_name(export(tensor(make, example()))), LEGACY, "the capsule's name")


@SUITE.check(
    "protocol",
    "with max_version {version} the capsule is versioned",
    [{"version": v} for v in [(1, 0), (1, 3), (2, 0)]],
)
def versioned(make: Make, version: tuple[int, int]) -> None:
    equal(dlpack.capsule_name(export(tensor(make, example()), max_version=version)), VERSIONED, "the capsule's name")


@SUITE.check("protocol", "with max_version (0, 8) the capsule is of before 1.0")
def old_consumer(make: Make) -> None:
    equal(dlpack.capsule_name(export(tensor(make, example()), max_version=(0, 8))), LEGACY, "the capsule's name")


@SUITE.check("protocol", "a versioned tensor is of version 1.x and has only known flags")
def version_field(make: Make) -> None:
    managed = dlpack.open_capsule(capsule := export(tensor(make, example()), max_version=(1, 0)))
    require(isinstance(managed, ManagedVersioned), "the capsule is of before 1.0")
    equal(managed.version.major, 1, "the major version")
    equal(managed.flags & ~7, 0, "the unknown flags")
    del capsule


@SUITE.check("protocol", "stream={stream} is taken for host memory", [{"stream": None}, {"stream": -1}])
def stream(make: Make, stream: int | None) -> None:
    made = tensor(make, example())
    on_host(made)
    export(made, stream=stream)


@SUITE.check("protocol", "dl_device of the host is taken")
def to_host(make: Make) -> None:
    made = tensor(make, example())
    on_host(made)
    export(made, max_version=(1, 0), dl_device=(1, 0))


@SUITE.check("protocol", "a device that is not there raises BufferError")
def to_nowhere(make: Make) -> None:
    made = tensor(make, example())
    try:
        export(made, max_version=(1, 0), dl_device=(9, 77))
    except BufferError:
        return
    except Exception as error:
        raise AssertionError(f"it raises {type(error).__name__}: {error}") from None
    raise AssertionError("it raises nothing")


@SUITE.check("copy", "copy=False shares the memory")
def never(make: Make) -> None:
    made = tensor(make, example())
    first = dlpack.open_capsule(one := export(made, max_version=(1, 0)))
    second = dlpack.open_capsule(two := export(made, max_version=(1, 0), copy=False))
    equal(second.tensor.data, first.tensor.data, "the address")
    del one, two


@SUITE.check("copy", "copy=True is another memory with the same values")
def always(make: Make) -> None:
    made = tensor(make, example())
    on_host(made)
    first = dlpack.open_capsule(one := export(made, max_version=(1, 0)))
    second = dlpack.open_capsule(two := export(made, max_version=(1, 0), copy=True))
    require(second.tensor.data != first.tensor.data, "it is the same memory")
    equal(read(second).tolist(), read(first).tolist(), "the values")
    del one, two


@SUITE.check("copy", "copy=True sets the is-copied flag")
def copied_flag(make: Make) -> None:
    managed = dlpack.open_capsule(capsule := export(tensor(make, example()), max_version=(1, 0), copy=True))
    require(isinstance(managed, ManagedVersioned) and managed.flags & IS_COPIED, "it is not set")
    del capsule


@SUITE.check("copy", "an export that is not a copy does not set the is-copied flag")
def no_copied_flag(make: Make) -> None:
    managed = dlpack.open_capsule(capsule := export(tensor(make, example()), max_version=(1, 0)))
    require(not (isinstance(managed, ManagedVersioned) and managed.flags & IS_COPIED), "it is set")
    del capsule


@SUITE.check("layout", "{dtype} is exported with its code, bits and values", [{"dtype": dtype} for dtype in CODES])
def dtypes(make: Make, dtype: str) -> None:
    made = tensor(make, example(dtype))
    on_host(made)
    source = dlpack.as_array(made)
    if source.dtype != np.dtype(dtype):
        raise Skip(f"the framework makes it {source.dtype}")
    managed = dlpack.open_capsule(capsule := export(made))
    found = (managed.tensor.code, managed.tensor.bits, managed.tensor.lanes)
    equal(found, (*CODES[dtype], 1), "(code, bits, lanes)")
    equal(read(managed).tolist(), source.tolist(), "the values")
    del capsule


SHAPES: list[tuple[int, ...]] = [(), (1,), (5,), (2, 3), (2, 3, 4), (1, 1, 1, 7), (0,), (3, 0, 2)]


@SUITE.check("layout", "shape {shape} is exported", [{"shape": shape} for shape in SHAPES])
def shapes(make: Make, shape: tuple[int, ...]) -> None:
    made = tensor(make, example("float32", shape))
    managed = dlpack.open_capsule(capsule := export(made))
    equal(dlpack.shape_of(managed.tensor), shape, "the shape")
    del capsule


@SUITE.check("layout", "strides are given, as 1.2 asks")
def strides(make: Make) -> None:
    managed = dlpack.open_capsule(capsule := export(tensor(make, example())))
    require(dlpack.strides_of(managed.tensor) is not None, "strides is a null pointer")
    del capsule


@SUITE.check("layout", "a transpose keeps its values")
def transposed(make: Make) -> None:
    matrix = example("float32", (3, 4))
    made = tensor(make, matrix)
    on_host(made)
    if not hasattr(made, "T"):
        raise Skip("the tensor has no .T")
    managed = dlpack.open_capsule(capsule := export(made.T))
    equal(read(managed).tolist(), matrix.T.tolist(), "the values")
    del capsule


@SUITE.check("layout", "the tail of a tensor keeps its values")
def tail(make: Make) -> None:
    made = tensor(make, example("float32", (9,)))
    on_host(made)
    try:
        part = made[3:]
    except Exception as error:
        raise Skip(f"the tensor is not sliced: {error}") from None
    managed = dlpack.open_capsule(capsule := export(part))
    equal(read(managed).tolist(), list(map(float, range(3, 9))), "the values")
    del capsule


@SUITE.check("layout", "the first element lies at a multiple of its size")
def aligned(make: Make) -> None:
    managed = dlpack.open_capsule(capsule := export(tensor(make, example("float64"))))
    equal((managed.tensor.data + managed.tensor.byte_offset) % 8, 0, "the remainder")
    del capsule


@SUITE.check("layout", "memory of the framework's own is aligned to 256 bytes")
def aligned_to_256(make: Make) -> None:
    managed = dlpack.open_capsule(
        capsule := export(tensor(make, example("float32", (1000,))), max_version=(1, 0), copy=True)
    )
    equal(managed.tensor.data % 256, 0, "the remainder")
    del capsule


@SUITE.check("lifetime", "the memory outlives the tensor")
def outlives(make: Make) -> None:
    made = tensor(make, example("float32", (4096,)))
    on_host(made)
    capsule = export(made)
    del made
    gc.collect()
    np.ones(4096, np.float32)  # what would take the memory's place
    equal(read(dlpack.open_capsule(capsule)).tolist(), example("float32", (4096,)).tolist(), "the values")


@SUITE.check(
    "lifetime", "{what} lets go of the tensor", [{"what": "a capsule that nobody takes"}, {"what": "the deleter"}]
)
def lets_go(make: Make, what: str) -> None:
    made = tensor(make, example())
    try:
        gone = weakref.ref(made)
    except TypeError:
        raise Skip("the tensor takes no weak references") from None
    capsule = export(made)
    if what == "the deleter":
        dlpack.delete(dlpack.consume(capsule))
    del made, capsule
    gc.collect()
    require(gone() is None, "the tensor is still alive")


@SUITE.check("lifetime", "the deleter may be called by another thread")
def other_thread(make: Make) -> None:
    managed = dlpack.consume(export(tensor(make, example())))
    thread = threading.Thread(target=dlpack.delete, args=(managed,))
    thread.start()
    thread.join()


@SUITE.check("lifetime", "the deleter may be called without the interpreter's lock")
def without_lock(make: Make) -> None:
    managed = dlpack.consume(export(tensor(make, example())))
    address = ctypes.cast(managed.deleter, ctypes.c_void_p).value
    if address is None:
        raise AssertionError("there is no deleter")
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)(ctypes.addressof(managed))  # ctypes lets go of the lock


@SUITE.check("lifetime", "a tensor is exported again and again")
def repeatedly(make: Make) -> None:
    made = tensor(make, example())
    addresses = {dlpack.open_capsule(export(made)).tensor.data for _ in range(100)}
    equal(len(addresses), 1, "the number of addresses")


@SUITE.check("lifetime", "two exports are alive at once")
def two_at_once(make: Make) -> None:
    made = tensor(make, example())
    on_host(made)
    first, second = dlpack.consume(export(made)), dlpack.consume(export(made))
    dlpack.delete(first)
    equal(read(second).tolist(), example().tolist(), "the values")
    dlpack.delete(second)
