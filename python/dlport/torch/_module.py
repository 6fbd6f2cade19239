"""`torch.ort`: the ort device's own functions, under the names that PyTorch gives those of "cuda"."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType

import torch

from dlport import _torch
from dlport.torch._index import Device, index_of
from dlport.torch._launch import launch  # noqa: F401  torch.ort's own names
from dlport.torch._memory import (  # noqa: F401
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    memory_stats,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
    set_memory_limit,
    set_per_process_memory_fraction,
)
from dlport.torch._streams import (  # noqa: F401
    Event,
    Stream,
    current_stream,
    default_stream,
    set_stream,
    stream,
    synchronize,
)


def is_available() -> bool:
    """True where ONNX Runtime was found and has at least one configured device."""
    return device_count() > 0


def init() -> None:
    """Does nothing: `import dlport.torch` has made the device usable. Raises RuntimeError in a forked child."""
    if _is_in_bad_fork():
        raise RuntimeError(
            "Cannot re-initialize ort in forked subprocess. To use ort with multiprocessing, you must use the 'spawn' "
            "start method"
        )


def is_initialized() -> bool:
    """True, but in a child forked after the device was used, whose threads are gone."""
    return not _is_in_bad_fork()


def _lazy_init() -> None:
    init()


def _is_in_bad_fork() -> bool:
    """True in a child forked after the device was used, whose threads are gone."""
    return _torch.is_forked()


def device_count() -> int:
    """How many ort devices are configured."""
    return _torch.device_count()


def current_device() -> int:
    """The index of the device on which this thread makes tensors."""
    return _torch.current_device()


def set_device(device: Device) -> None:
    """Makes `device` the one on which this thread makes tensors."""
    _torch.set_device(index_of(device))


def _exchange_device(device: int) -> int:
    """Makes `device` the current one and returns the one before. A negative index changes nothing and returns -1."""
    if device < 0:
        return -1
    previous = current_device()
    set_device(device)
    return previous


#: The same, where a device that was never used need not be: none has a state that is made by being current.
_maybe_exchange_device = _exchange_device


class device:
    """Context manager: within it, `device` is the current one.

    A negative index or None changes nothing.
    """

    def __init__(self, device: Device) -> None:
        self.index = -1 if device is None else index_of(device)
        self.previous = -1

    def __enter__(self) -> None:
        self.previous = _exchange_device(self.index)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _exchange_device(self.previous)


class device_of(device):
    """Context manager: within it, the current device is that of `tensor`, if that is an ort tensor."""

    def __init__(self, tensor: torch.Tensor) -> None:
        super().__init__(tensor.device if tensor.device.type == "ort" else None)


def get_device_name(device: Device = None) -> str:
    """The execution provider behind `device`, e.g. "CPUExecutionProvider"."""
    return _torch.device_name(index_of(device))


def get_amp_supported_dtype() -> list[torch.dtype]:
    """The dtypes that `torch.autocast("ort")` takes."""
    return [torch.bfloat16, torch.float16]


def _generator(device: Device = None) -> torch.Generator:
    return _torch.default_generator(index_of(device))


def manual_seed(seed: int) -> None:
    """Seeds the current device's generator. It is the physical device's own, so "cpu" draws from the same numbers."""
    _generator().manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all ort devices."""
    for index in range(device_count()):
        _generator(index).manual_seed(seed)


def seed() -> int:
    """Seeds the current device's generator with a number that the system makes up, and returns it."""
    return _generator().seed()


def initial_seed() -> int:
    """The seed that the current device's generator started from."""
    return _generator().initial_seed()


def get_rng_state(device: Device = None) -> torch.Tensor:
    """The state of `device`'s generator, as a uint8 tensor on the cpu."""
    return _generator(device).get_state()


def set_rng_state(new_state: torch.Tensor, device: Device = None) -> None:
    """Puts `device`'s generator into a state that `get_rng_state` returned."""
    _generator(device).set_state(new_state)


def seed_all() -> int:
    """Seeds the generators of all ort devices with one number that the system makes up, and returns it."""
    number = seed()
    manual_seed_all(number)
    return number


def get_rng_state_all() -> list[torch.Tensor]:
    """The states of the generators of all ort devices."""
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    """Puts the generators of all ort devices into states that `get_rng_state_all` returned."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)
