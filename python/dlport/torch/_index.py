"""Which ort device an argument means."""

from __future__ import annotations

import torch

from dlport import _torch

Device = torch.device | str | int | None


def index_of(device: Device = None) -> int:
    """The index that `device` names; the current device's where it names none."""
    if device is None:
        return _torch.current_device()
    if isinstance(device, int):
        return device
    named = torch.device(device)
    if named.type != "ort":
        raise ValueError(f"expected an ort device, got {named}")
    return _torch.current_device() if named.index is None else named.index
