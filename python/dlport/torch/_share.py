"""Sharing memory between "ort" and the physical device below it."""

from __future__ import annotations

import torch

from dlport import _torch


def share(tensor: torch.Tensor, device: torch.device | str) -> torch.Tensor:
    """Returns `tensor` as a tensor on `device`, over the same memory.

    From "cpu" to "ort" (or "ort:N"), or back from "ort" to "cpu": a write through either is seen by both, and the
    memory lives as long as one of them does. The result is detached from autograd.

    Raises ValueError where the two devices do not share their memory; `tensor.to(device)` copies.
    """
    target = torch.device(device)
    if tensor.device.type == target.type:
        return tensor.detach()
    if tensor.device.type == "cpu" and target.type == "ort":
        return _torch.share_with_ort(tensor.detach(), target.index or 0)
    if tensor.device.type == "ort":
        physical = _torch.share_physical(tensor.detach())
        if physical.device.type == target.type:
            return physical
    raise ValueError(f"{tensor.device} and {target} do not share memory; tensor.to({str(device)!r}) copies")
