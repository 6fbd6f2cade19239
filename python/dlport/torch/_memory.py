"""The memory functions of `torch.ort`. Their names and figures are those of `torch.cuda`."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import torch

from dlport import _torch
from dlport.torch._index import Device, index_of


def memory_stats(device: Device = None) -> OrderedDict[str, Any]:
    """Every figure that the pool of `device` keeps, by PyTorch's name for it."""
    return torch.accelerator.memory_stats(index_of(device))


def memory_allocated(device: Device = None) -> int:
    """Bytes held by tensors on `device`, or by whoever its memory was exported to.

    Memory that was shared from elsewhere (`dlport.torch.share`) does not count.
    """
    return torch.accelerator.memory_allocated(index_of(device))


def max_memory_allocated(device: Device = None) -> int:
    """The most that `memory_allocated` has been since the last `reset_peak_memory_stats`."""
    return torch.accelerator.max_memory_allocated(index_of(device))


def memory_reserved(device: Device = None) -> int:
    """Bytes held by tensors, or kept for the next ones."""
    return torch.accelerator.memory_reserved(index_of(device))


def max_memory_reserved(device: Device = None) -> int:
    """The most that `memory_reserved` has been since the last `reset_peak_memory_stats`."""
    return torch.accelerator.max_memory_reserved(index_of(device))


def reset_peak_memory_stats(device: Device = None) -> None:
    """Starts the peaks afresh."""
    torch.accelerator.reset_peak_memory_stats(index_of(device))


def reset_accumulated_memory_stats(device: Device = None) -> None:
    """Starts the sums of all allocations afresh."""
    torch.accelerator.reset_accumulated_memory_stats(index_of(device))


def empty_cache() -> None:
    """Gives the memory that is kept for the next tensors back to the system."""
    torch.accelerator.empty_cache()


def mem_get_info(device: Device = None) -> tuple[int, int]:
    """Free and total bytes of `device`: the machine's, or those of its limit where that is less."""
    return torch.accelerator.get_memory_info(index_of(device))


def set_memory_limit(bytes: int | None, device: Device = None) -> None:
    """Makes any tensor that would bring `device` above `bytes` raise torch.OutOfMemoryError; None lifts the limit."""
    if bytes is not None and bytes < 0:
        raise ValueError(f"a limit of {bytes} bytes is negative; None means no limit")
    _torch.set_memory_limit(index_of(device), bytes)


def set_per_process_memory_fraction(fraction: float, device: Device = None) -> None:
    """The same as `set_memory_limit`, as a part of the machine's memory."""
    if not 0 <= fraction <= 1:
        raise ValueError(f"a fraction of {fraction} is not between 0 and 1")
    set_memory_limit(None, device)
    set_memory_limit(int(mem_get_info(device)[1] * fraction), device)
