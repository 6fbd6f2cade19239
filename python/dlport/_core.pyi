"""The compiled exchange core."""

from collections.abc import Sequence
from types import EllipsisType, ModuleType
from typing import Any, ClassVar, SupportsIndex, overload

import numpy as np

_Index = SupportsIndex | slice | EllipsisType

class Tensor:
    """A tensor of any framework, over that framework's own memory. Made by from_dlpack."""

    __dlpack_c_exchange_api__: ClassVar[object]

    @property
    def shape(self) -> tuple[int, ...]:
        """The dimensions."""
    @property
    def strides(self) -> tuple[int, ...]:
        """Steps from one element to the next along each axis, in elements."""
    @property
    def dtype(self) -> str:
        """The element type by name, e.g. 'float32' or 'bfloat16'."""
    @property
    def device(self) -> str:
        """The device that the tensor was made on, e.g. 'cpu:0' or 'ort:0'."""
    @property
    def physical_device(self) -> str:
        """The device whose memory it is; what every export hands out."""
    @property
    def ndim(self) -> int:
        """The number of dimensions."""
    @property
    def size(self) -> int:
        """The number of elements."""
    @property
    def itemsize(self) -> int:
        """Bytes of one element, rounded up."""
    @property
    def nbytes(self) -> int:
        """Bytes of the elements, packed."""
    @property
    def data_ptr(self) -> int:
        """The address of the first element."""
    @property
    def read_only(self) -> bool:
        """True where the producer forbids writing to the memory."""
    @property
    def is_contiguous(self) -> bool:
        """True where the elements lie row-major without gaps."""
    @property
    def is_aligned(self) -> bool:
        """True where the first element lies at a multiple of its own alignment."""
    @property
    def T(self) -> Tensor:
        """The tensor with its axes reversed."""
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A DLPack capsule of the tensor, on its physical device unless dl_device names the virtual one.

        Raises BufferError where only a copy would do and copy=False forbids one.
        """
    def __dlpack_device__(self) -> tuple[int, int]:
        """The physical device, as DLPack's (device_type, device_id)."""
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """A NumPy array over the same memory; ml_dtypes' types included."""
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: _Index | tuple[_Index, ...], /) -> Tensor: ...
    def to(self, target: ModuleType | type | str | tuple[int, int], /) -> Any:
        """The tensor as a framework's own, where `target` is a module (torch, jax, ...) or a tensor type.

        Shares the memory; a read-only tensor is copied for a framework that cannot say read-only. The tensor on a
        device, where `target` is a name such as 'cuda:0': itself, or a row-major copy.
        """
    def copy_to(self, device: str | tuple[int, int], stream: Stream | None = None) -> Tensor:
        """A row-major copy in fresh memory of `device`.

        With a stream, of the device that is not the host, the copy may still be under way when this returns.
        """
    @overload
    def reshape(self, shape: Sequence[int], /) -> Tensor: ...
    @overload
    def reshape(self, *shape: int) -> Tensor:
        """A view of another shape; one dimension may be -1. Raises BufferError where it takes a copy."""
    @overload
    def permute(self, axes: Sequence[int], /) -> Tensor: ...
    @overload
    def permute(self, *axes: int) -> Tensor:
        """A view with its axes in another order."""
    @overload
    def broadcast_to(self, shape: Sequence[int], /) -> Tensor: ...
    @overload
    def broadcast_to(self, *shape: int) -> Tensor:
        """A view repeated along axes of length 1."""
    def view(self, dtype: str, /) -> Tensor:
        """The same bytes as elements of another dtype of the same size."""
    def astype(self, dtype: str, /) -> Tensor:
        """A row-major copy in host memory whose elements are converted: a float that becomes an integer is cut off, one
        that becomes a smaller float is rounded to the nearest."""
    def copy(self) -> Tensor:
        """A row-major copy in memory of its own."""

def from_dlpack(x: Any, /, *, device: str | tuple[int, int] | None = None, copy: bool | None = None) -> Tensor:
    """The memory of `x`, any framework's tensor or a DLPack capsule, as a dlport.Tensor.

    device: where the result has to be, e.g. 'cpu:0' or (device_type, device_id); BufferError where it is not.
    copy: None shares where possible, True always copies, False raises BufferError rather than copying.

    The tensor keeps the producer's memory alive. Everything that the producer says is checked first.
    """

def devices() -> list[Any]:
    """Every device of every driver, as dictionaries; see dlport.drivers."""

def rejected_drivers() -> list[tuple[str, str]]:
    """(source, reason) of each driver that was left out, or whose runtime is missing."""

def load_driver(path: str) -> str:
    """Loads the driver at `path` and returns its name; RuntimeError where it cannot be used."""

def driver_table(name: str) -> int:
    """The address of a driver's C table (dlport/driver.h)."""

def empty(
    shape: Sequence[int],
    dtype: str = "float32",
    device: str | tuple[int, int] = "cpu",
    *,
    stream: Stream | None = None,
) -> Tensor:
    """An uninitialised row-major tensor on `device`; with a stream, given and taken back in its order."""

def copy(dst: Any, src: Any, *, stream: Stream | None = None) -> None:
    """Copies each element of `src` to `dst`: any two tensors of one shape, on any devices, of any strides.

    In host memory elements convert to the dtype of `dst`; elsewhere the two are of one dtype. With a
    stream, of the device that is not the host, the copy may still be under way when this returns.
    """

def to(tensor: Any, device: str | tuple[int, int], *, stream: Stream | None = None) -> Tensor:
    """`tensor`, any framework's, on `device`: shared where it is there already, otherwise as Tensor.copy_to does."""

class Stream:
    """A queue of work on a device: copies and launches given to it run in order, and may still be under way when the
    call returns. What they read and write is kept alive until they are done. Thread-safe."""

    def __init__(self, device: str | tuple[int, int]) -> None: ...
    @property
    def device(self) -> str:
        """The device, e.g. 'opencl:0'."""
    @property
    def handle(self) -> int:
        """The driver's own handle: what DLPack's `stream` argument takes on CUDA."""
    def synchronize(self) -> None:
        """Waits for everything given so far. Raises RuntimeError where any of it failed."""

class Event:
    """A point in a stream's work."""

    def __init__(self, device: str | tuple[int, int]) -> None: ...
    def record(self, stream: Stream) -> None:
        """Marks the end of what `stream` has been given so far."""
    def wait(self, stream: Stream) -> None:
        """Holds what `stream` is given from now on until the event has been reached."""
    def synchronize(self) -> None:
        """Waits until the event has been reached."""
    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds on the device's own clock from this event to `end_event`; waits for both."""

class Operator:
    """A computation of a device, ready to launch: `name` in `code`, which is in the device's format (dlport.devices()
    says which), or an operator that the driver has. Raises ValueError with the compiler's log. Thread-safe."""

    def __init__(self, device: str | tuple[int, int], name: str, code: str = "", options: str = "") -> None: ...
    def __call__(
        self,
        *arguments: Any,
        grid: int | tuple[int, ...] = 1,
        group: int | tuple[int, ...] | None = None,
        shared_memory: int = 0,
        stream: Stream | None = None,
    ) -> None:
        """Launches it on tensors (any framework's, on its device) and numbers of a certain width (numpy.float32(0.5)).

        grid: work items, one to three directions. group: work items of a group; the driver's choice by default.
        Without a stream the work is done when this returns.
        """
