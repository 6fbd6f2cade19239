"""Device drivers: which there are, loading more of them, and work on any device.

    scale = Operator("opencl:0", "scale", "kernel void scale(global float* x, float by) { x[get_global_id(0)] *= by; }")
    stream = Stream("opencl:0")
    x = dlport.to(array, "opencl:0", stream=stream)
    scale(x, np.float32(2), grid=len(array), stream=stream)
    host = x.copy_to("cpu", stream)
    stream.synchronize()


Drivers come with dlport (cpu, OpenCL, CUDA), from the environment's ``DLPORT_DRIVER_PATH`` (libraries, separated by
colons), and from Python packages: an entry point of the group ``dlport.drivers`` names a function that returns the
library's path (or such a path itself). One that cannot be used is reported by :func:`left_out`, and harms nobody.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.metadata import entry_points
from typing import TypedDict

from dlport import _core
from dlport._core import Event, Operator, Stream

__all__ = ["Device", "Event", "Operator", "Stream", "devices", "left_out", "load"]

GROUP = "dlport.drivers"


class Device(TypedDict):
    """One device of a driver."""

    device: str
    driver: str
    name: str
    memory: int
    alignment: int
    host_access: bool
    streams: bool
    operators: str


def load(path: str | os.PathLike[str]) -> str:
    """Loads the driver in the library at `path` and returns its name.

    It is tried out in a child process first. Raises RuntimeError with the reason where it cannot be used.
    """
    return str(_core.load_driver(os.fspath(path)))


@cache
def _load_packages() -> list[tuple[str, str]]:
    """Loads what packages offer, once; what was left out, and why. A package's own mistakes are among the reasons."""
    failed = []
    for point in entry_points(group=GROUP):
        try:
            found = point.load()
            load(found() if callable(found) else found)
        except Exception as error:
            failed.append((f"entry point {point.name}", str(error) or type(error).__name__))
    return failed


def devices() -> list[Device]:
    """Every device of every driver. Opens the runtimes that the drivers need."""
    _load_packages()
    found: list[Device] = _core.devices()
    return found


def left_out() -> list[tuple[str, str]]:
    """(source, reason) of every driver that could not be used, or whose runtime is missing."""
    failed = _load_packages()
    return [*_core.rejected_drivers(), *failed]
