"""Which library, which execution providers, and what `ort:N` stands for."""

from __future__ import annotations

import importlib.util
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from dlport._core import Tensor
from dlport.ort import _native
from dlport.ort._native import copy, register_provider, use_library, version

__all__ = [
    "DeviceInfo",
    "available_devices",
    "copy",
    "device_index",
    "devices",
    "empty",
    "register_provider",
    "set_device",
    "use_library",
    "version",
]


@dataclass(frozen=True)
class DeviceInfo:
    """A device of an execution provider. `index` is N of ort:N, -1 where it is available but not configured."""

    index: int
    provider: str
    vendor: str
    hardware: str
    physical: str
    sync_streams: bool
    options: dict[str, str]


def _hand_over_library() -> None:
    """Tells where the installed onnxruntime package keeps its library."""
    spec = importlib.util.find_spec("onnxruntime")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for path in sorted(Path(folder, "capi").glob("libonnxruntime.so*")):
            use_library(str(path))


_hand_over_library()
_registered: set[str] = set()


def register_installed_providers() -> None:
    """Registers the providers of all `onnxruntime_ep_*` packages that are installed, each once."""
    for module in pkgutil.iter_modules():
        if module.name.startswith("onnxruntime_ep_") and module.name not in _registered:
            register_provider(module.name, import_module(module.name).get_library_path())
            _registered.add(module.name)


def devices() -> list[DeviceInfo]:
    """The configured devices, ort:0 first; that one is the CPU provider unless it was set."""
    return [DeviceInfo(*info) for info in _native.devices()]


def available_devices() -> list[DeviceInfo]:
    """Every device of every provider that the library has or that is installed as an `onnxruntime_ep_*` package."""
    register_installed_providers()
    return [DeviceInfo(*info) for info in _native.available_devices()]


def set_device(index: int, provider: str, options: dict[str, Any] | None = None) -> None:
    """Makes ort:`index` the named provider: "cpu", "openvino", or ONNX Runtime's own name.

    Installed `onnxruntime_ep_*` packages are registered first. RuntimeError names the providers that there are.
    """
    register_installed_providers()
    _native.set_device(index, provider, options or {})


def device_index(device: int | str) -> int:
    """N of ort:N, from N, "ort:N", or a provider's name ("openvino", "ort:openvino"), configured if need be."""
    if isinstance(device, int):
        return device
    name = device.removeprefix("ort").removeprefix(":") or "0"
    if name.isdecimal():
        return int(name)
    configured = devices()
    for info in configured:
        if name.lower() in (info.provider.lower(), info.provider.lower().removesuffix("executionprovider")):
            return info.index
    set_device(len(configured), name)
    return len(configured)


def empty(shape: Sequence[int], dtype: str = "float32", device: int | str = 0) -> Tensor:
    """Uninitialised memory of what the device computes on, from its provider's allocator."""
    return _native.empty(shape, dtype, device_index(device))
