"""Streams and events of `torch.ort`.

An operator is done when its call returns, so that every stream is always idle and every recorded event has happened.
Programs that order their work with streams run unchanged.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from dlport.torch._index import Device, index_of


class Stream(torch.Stream):
    """A stream of an ort device."""

    def __new__(cls, device: Device = None, priority: int = 0, **kwargs: Any) -> Stream:
        if "stream_id" in kwargs:
            return super().__new__(cls, priority=priority, **kwargs)
        return super().__new__(cls, device=torch.device("ort", index_of(device)), priority=priority)


def Event(enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> torch.Event:
    """An event of the current ort device; `elapsed_time` between two is in milliseconds."""
    return torch.Event(device="ort", enable_timing=enable_timing, blocking=blocking, interprocess=interprocess)


def synchronize(device: Device = None) -> None:
    """Waits for all work on `device`, of which there is never any left."""
    torch.accelerator.synchronize(index_of(device))


def current_stream(device: Device = None) -> torch.Stream:
    """The stream on which this thread uses `device`."""
    return torch.accelerator.current_stream(index_of(device))


def default_stream(device: Device = None) -> torch.Stream:
    """The stream on which a thread uses `device` until it sets another."""
    return Stream(stream_id=0, device_index=index_of(device), device_type=_DEVICE_TYPE)


def set_stream(stream: torch.Stream) -> None:
    """Makes `stream` the one on which this thread uses its device."""
    torch.accelerator.set_stream(stream)


def stream(stream: torch.Stream | None) -> AbstractContextManager[Any]:
    """Context manager: within it, `stream` is the current one. None changes nothing."""
    return nullcontext() if stream is None else stream


#: c10::DeviceType::PrivateUse1, the number under which PyTorch knows the device.
_DEVICE_TYPE = 20
