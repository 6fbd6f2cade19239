"""What from_dlpack makes of what producers say."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from handmade import CUDA, CUDA_HOST, EXTENSION, ONEAPI, READ_ONLY, ROCM, HandMade, capsule_name, new_capsule

import dlport

FLOATS = np.arange(6, dtype=np.float32).reshape(2, 3)


def imported(array: np.ndarray, **fields: Any) -> np.ndarray:
    return np.asarray(dlport.from_dlpack(HandMade(array, **fields)))


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("keywords", [True, False])
def test_both_structures_come_in_from_producers_old_and_new(versioned: bool, keywords: bool) -> None:
    producer = HandMade(FLOATS, versioned=versioned, keywords=keywords)
    tensor = dlport.from_dlpack(producer)
    assert tensor.data_ptr == FLOATS.ctypes.data
    np.testing.assert_array_equal(np.asarray(tensor), FLOATS)
    del tensor
    gc.collect()
    assert producer.made == producer.deleted == 1


def test_producer_is_asked_for_the_newest_version_known() -> None:
    producer = HandMade(FLOATS)
    dlport.from_dlpack(producer)
    assert producer.calls == [{"max_version": (1, 3)}]


@pytest.mark.parametrize("copy", [True, False])
def test_producer_is_told_about_copies_only_when_they_are_forbidden(copy: bool) -> None:
    producer = HandMade(FLOATS)
    tensor = dlport.from_dlpack(producer, copy=copy)
    assert producer.calls == [{"max_version": (1, 3)} if copy else {"max_version": (1, 3), "copy": False}]
    assert (tensor.data_ptr == FLOATS.ctypes.data) is not copy


@pytest.mark.parametrize("minor", [0, 3, 9])
def test_any_minor_version_is_read(minor: int) -> None:
    np.testing.assert_array_equal(imported(FLOATS, version=(1, minor)), FLOATS)


def test_newer_major_version_is_refused_and_released() -> None:
    producer = HandMade(FLOATS, version=(2, 0))
    with pytest.raises(BufferError, match=r"DLPack 2\.0"):
        dlport.from_dlpack(producer)
    assert producer.made == producer.deleted == 1


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"ndim": -1}, "ndim"),
        ({"ndim": 1 << 20}, "ndim"),
        ({"shape": None}, "shape"),
        ({"shape": (-2, 3)}, "shape"),
        ({"shape": (1 << 40, 1 << 40)}, "shape"),
        ({"data": None}, "data"),
        ({"strides": (1 << 62, 1)}, "strides"),
        ({"strides": (-(1 << 61), 1)}, "strides"),
        ({"byte_offset": (1 << 64) - 8}, "byte_offset"),
        ({"code": 99}, "dtype"),
        ({"bits": 31}, "dtype"),
        ({"bits": 0}, "dtype"),
        ({"lanes": 0}, "dtype"),
        ({"code": 6, "bits": 32}, "dtype"),
        ({"device": (0, 0)}, "device_type"),
        ({"device": (200, 3)}, "device_type"),
        ({"device": (1, -1)}, "device"),
        ({"flags": 1 << 40}, "flags"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_breaks_the_rules_is_refused_by_name_and_released(fields: dict[str, Any], names: str) -> None:
    producer = HandMade(FLOATS, **fields)
    with pytest.raises(BufferError, match=names):
        dlport.from_dlpack(producer)
    assert producer.made == producer.deleted == 1


@pytest.mark.parametrize("device", [(CUDA, 0), (ROCM, 0), (EXTENSION, 99), (ONEAPI, 0)])
def test_memory_of_a_device_that_is_not_here_is_never_touched(device: tuple[int, int]) -> None:
    producer = HandMade(FLOATS, data=0xDEAD0000, device=device)
    with pytest.raises(BufferError):
        dlport.from_dlpack(producer)
    assert producer.made == producer.deleted == 1


def test_pinned_host_memory_is_readable_and_keeps_its_device() -> None:
    tensor = dlport.from_dlpack(HandMade(FLOATS, device=(CUDA_HOST, 0)))
    assert tensor.device == "cuda_host:0"
    assert tensor.__dlpack_device__() == (CUDA_HOST, 0)
    np.testing.assert_array_equal(np.asarray(tensor), FLOATS)


def test_pinned_host_memory_asked_for_as_cpu_is_shared_as_cpu() -> None:
    tensor = dlport.from_dlpack(HandMade(FLOATS, device=(CUDA_HOST, 0)), device="cpu")
    assert tensor.device == tensor.physical_device == "cpu:0"
    assert tensor.data_ptr == FLOATS.ctypes.data
    pinned = dlport.from_dlpack(HandMade(FLOATS, device=(CUDA_HOST, 0)))
    assert dlport.from_dlpack(pinned.__dlpack__(dl_device=(1, 0))).device == "cpu:0"
    assert pinned.to("cpu").data_ptr == FLOATS.ctypes.data


@pytest.mark.parametrize("versioned", [True, False])
def test_missing_strides_mean_row_major(versioned: bool) -> None:
    tensor = dlport.from_dlpack(HandMade(FLOATS, versioned=versioned, strides=None))
    assert tensor.strides == (3, 1)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0, 4)])
@pytest.mark.parametrize("data", [None, FLOATS.ctypes.data], ids=["null", "some"])
def test_any_strides_and_data_will_do_without_elements(shape: tuple[int, ...], data: int | None) -> None:
    producer = HandMade(FLOATS, data=data, shape=shape, ndim=len(shape), strides=(99,) * len(shape))
    tensor = dlport.from_dlpack(producer)
    assert tensor.shape == shape
    assert tensor.is_contiguous
    del tensor
    assert producer.deleted == 1


@pytest.mark.parametrize("stride", [0, 1, 999, -5])
def test_strides_of_length_one_axes_are_never_read(stride: int) -> None:
    tensor = dlport.from_dlpack(HandMade(FLOATS, shape=(1, 6), strides=(stride, 1)))
    assert tensor.is_contiguous
    np.testing.assert_array_equal(np.asarray(tensor).ravel(), FLOATS.ravel())


def test_scalar_may_come_without_shape_and_strides() -> None:
    tensor = dlport.from_dlpack(HandMade(np.array(2.5), shape=None, strides=None))
    assert tensor.shape == ()
    assert float(np.asarray(tensor)) == 2.5


def test_missing_deleter_is_skipped() -> None:
    assert imported(FLOATS, deleter=False)[1, 2] == 5


def test_capsule_is_consumed_once() -> None:
    producer = HandMade(FLOATS, versioned=False)
    capsule = producer.capsule()
    tensor = dlport.from_dlpack(capsule)
    assert capsule_name(capsule) == b"used_dltensor"
    with pytest.raises(BufferError, match="consumed before"):
        dlport.from_dlpack(capsule)
    np.testing.assert_array_equal(np.asarray(tensor), FLOATS)
    del tensor
    assert producer.deleted == 1


@pytest.mark.parametrize("name", [b"x", b"DLTENSOR", b"dltensor\xff"])
def test_foreign_capsule_is_refused(name: bytes) -> None:
    with pytest.raises(BufferError, match="named"):
        dlport.from_dlpack(new_capsule(FLOATS.ctypes.data, name, None))


@pytest.mark.parametrize("value", [None, 3, "x", [1, 2], {}, object(), np.float32])
def test_what_is_no_tensor_is_a_type_error(value: object) -> None:
    with pytest.raises((TypeError, AttributeError)):
        dlport.from_dlpack(value)


def test_a_type_that_gains_or_loses_the_exchange_api_is_noticed() -> None:
    torch = pytest.importorskip("torch")

    class Wrapper:
        def __init__(self, tensor: Any) -> None:
            self.tensor = tensor

        def __dlpack__(self, **keywords: Any) -> Any:
            return self.tensor.__dlpack__(**keywords)

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    def raising(self: object, **keywords: Any) -> Any:
        raise BufferError("asked through Python")

    array = Wrapper(torch.arange(3.0))
    assert dlport.from_dlpack(array).shape == (3,)
    Wrapper.__dlpack__ = raising  # type: ignore[method-assign]
    with pytest.raises(BufferError, match="asked through Python"):
        dlport.from_dlpack(array)

    class Late(torch.Tensor):
        __dlpack_c_exchange_api__ = None
        __dlpack__ = raising

    late = torch.ones(3).as_subclass(Late)
    with pytest.raises(BufferError, match="asked through Python"):
        dlport.from_dlpack(late)
    del Late.__dlpack_c_exchange_api__
    assert dlport.from_dlpack(late).shape == (3,)


def test_an_exchange_api_is_not_taken_for_pytorchs() -> None:
    pytest.importorskip("torch")

    class Lookalike:
        """Not a PyTorch tensor, though it has the method that tells of lazy negation there."""

        __dlpack_c_exchange_api__ = dlport.Tensor.__dlpack_c_exchange_api__

        def is_neg(self) -> bool:
            return False

    with pytest.raises(TypeError, match="Lookalike"):
        dlport.from_dlpack(Lookalike())


class Raising:
    def __init__(self, outcome: Any) -> None:
        self.outcome = outcome

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, **keywords: Any) -> Any:
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome


@pytest.mark.parametrize(
    "error", [OSError("x"), MemoryError("m"), KeyboardInterrupt(), BufferError("b"), TypeError("t")]
)
def test_producers_own_exception_comes_through(error: BaseException) -> None:
    with pytest.raises(type(error)) as raised:
        dlport.from_dlpack(Raising(error))
    assert raised.value is error


@pytest.mark.parametrize("result", [None, 5, "dltensor", object(), FLOATS])
def test_what_is_no_capsule_is_not_taken_for_one(result: object) -> None:
    with pytest.raises(TypeError, match="instead of a capsule"):
        dlport.from_dlpack(Raising(result))


def test_read_only_flag_is_kept() -> None:
    tensor = dlport.from_dlpack(HandMade(FLOATS, flags=READ_ONLY))
    assert tensor.read_only
    assert not np.asarray(tensor).flags.writeable


def test_read_only_numpy_array_stays_read_only() -> None:
    array = FLOATS.copy()
    array.flags.writeable = False
    tensor = dlport.from_dlpack(array)
    assert tensor.read_only
    assert tensor.data_ptr == array.ctypes.data


def test_device_argument_names_where_the_tensor_has_to_be() -> None:
    assert dlport.from_dlpack(FLOATS, device="cpu").device == "cpu:0"
    assert dlport.from_dlpack(FLOATS, device=(1, 0)).device == "cpu:0"
    with pytest.raises(BufferError, match="cuda:1"):
        dlport.from_dlpack(FLOATS, device="cuda:1")
    with pytest.raises(ValueError, match="abacus"):
        dlport.from_dlpack(FLOATS, device="abacus")


@pytest.mark.parametrize(
    "array",
    [
        np.array(["ab", "c"]),
        np.array([1, "x"], object),
        np.array(["2020-01-01"], "M8[D]"),
        np.zeros(2, "i4,f4"),
        np.zeros(2, np.longdouble),
        np.arange(4).astype(">f4"),
    ],
    ids=lambda array: str(array.dtype),
)
def test_dtypes_that_dlpack_lacks_are_refused(array: np.ndarray) -> None:
    with pytest.raises((BufferError, TypeError, ValueError)):
        dlport.from_dlpack(array)


def test_misaligned_memory_is_shared_and_says_so() -> None:
    raw = np.zeros(33, np.uint8)
    array = raw[(1 - raw.ctypes.data) % 4 :][:28].view(np.float32)
    tensor = dlport.from_dlpack(HandMade(array))
    assert not tensor.is_aligned
    assert tensor.data_ptr == array.ctypes.data
    assert dlport.from_dlpack(HandMade(array), copy=True).is_aligned


def test_byte_offset_need_not_be_a_multiple_of_the_element_size() -> None:
    raw = np.zeros(32, np.uint8)
    raw[3:7] = np.array([1.5], np.float32).view(np.uint8)
    tensor = dlport.from_dlpack(HandMade(raw, code=2, bits=32, shape=(1,), strides=(1,), byte_offset=3))
    assert tensor.copy().data_ptr % 4 == 0
    assert float(np.asarray(tensor.copy())[0]) == 1.5


def test_more_elements_than_an_int32_can_count() -> None:
    array = np.zeros((1 << 31) + 16, np.uint8)  # pages that nobody touches take no memory
    array[-1] = 9
    tensor = dlport.from_dlpack(array)
    assert tensor.shape == ((1 << 31) + 16,)
    assert np.asarray(tensor)[-1] == 9
