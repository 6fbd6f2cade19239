"""DLPack of ort tensors: what leaves is the physical device's memory.

`torch.Tensor` speaks the protocol in Python (`__dlpack__`, `__dlpack_device__`) and in C (`__dlpack_c_exchange_api__`).
Both are wrapped once: tensors of other devices go the way that they went before.
"""

from __future__ import annotations

from enum import IntEnum
from functools import wraps
from typing import Any

import torch

from dlport import _torch

#: DLPack's extension device, under which PyTorch itself imports and exports private devices.
EXTENSION_DEVICE = 12


def install() -> None:
    """Wraps the three attributes of `torch.Tensor`. Called once, when the device is registered."""
    tensor_dlpack = torch.Tensor.__dlpack__
    tensor_device = torch.Tensor.__dlpack_device__

    @wraps(tensor_dlpack)
    def __dlpack__(self: torch.Tensor, *, dl_device: tuple[IntEnum, int] | None = None, **kwargs: Any) -> object:
        if self.device.type != "ort":
            return tensor_dlpack(self, dl_device=dl_device, **kwargs)
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        if self.is_neg():
            raise BufferError("Can't export tensors with the negative bit set, use tensor.resolve_neg()")
        if dl_device is not None and int(dl_device[0]) == EXTENSION_DEVICE:
            tensor = self.clone() if kwargs.get("copy") else self
            max_version = kwargs.get("max_version")
            return _torch.virtual_capsule(tensor, int(dl_device[1]), max_version is not None and max_version[0] >= 1)
        return tensor_dlpack(_torch.share_physical(self), dl_device=dl_device, **kwargs)

    @wraps(tensor_device)
    def __dlpack_device__(self: torch.Tensor) -> tuple[int, int]:
        return tensor_device(_torch.share_physical(self) if self.device.type == "ort" else self)

    setattr(torch.Tensor, "__dlpack__", __dlpack__)  # noqa: B010  (mypy: a method is assigned)
    setattr(torch.Tensor, "__dlpack_device__", __dlpack_device__)  # noqa: B010
    setattr(torch.Tensor, "__dlpack_c_exchange_api__", _torch.exchange_api(torch.Tensor.__dlpack_c_exchange_api__))  # noqa: B010
