"""Sending ort tensors to other processes through `torch.multiprocessing`: both see one memory, as with cpu tensors."""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch
from torch.multiprocessing import reductions

from dlport import _torch


def _rebuild(physical: torch.Tensor, index: int, requires_grad: bool, is_parameter: bool) -> torch.Tensor:
    tensor = _torch.share_with_ort(physical, index)
    if is_parameter:
        return torch.nn.Parameter(tensor, requires_grad)
    return tensor.requires_grad_(requires_grad)


def _reduce(tensor: torch.Tensor) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    if tensor.device.type != "ort" or not tensor.is_leaf:  # PyTorch says why a tensor with a history is not sent
        return reductions.reduce_tensor(tensor)  # type: ignore[no-any-return, no-untyped-call]
    torch.utils.hooks.warn_if_has_hooks(tensor)
    physical = _torch.share_physical(tensor.detach())
    return _rebuild, (physical, tensor.device.index, tensor.requires_grad, isinstance(tensor, torch.nn.Parameter))


def register() -> None:
    """Puts itself in front of PyTorch's own reduction of tensors."""
    for kind in (torch.Tensor, torch.nn.Parameter):
        ForkingPickler.register(kind, _reduce)
