"""Which way operators take: the environment's DLPORT_LOWERING and DLPORT_FALLBACK, and their setters."""

from __future__ import annotations

import os
from enum import Enum
from typing import TypeVar

from dlport import _torch

Mode = TypeVar("Mode", bound=Enum)


def set_lowering(mode: str) -> None:
    """Sets which of the operators in the lowering table run on ONNX Runtime.

    "auto" (the default): those for which PyTorch's own kernel is not known to be faster. "always": all of them.
    "never": none, which tells whether a difference in results comes from ONNX Runtime. The environment variable
    DLPORT_LOWERING sets the same. Holds for all threads.
    """
    _torch.set_lowering(_parse("lowering", mode, _torch.LoweringMode))


def set_fallback(mode: str) -> None:
    """Sets what happens to a call that runs on PyTorch's own kernel because no lowering takes it.

    "native" (the default): nothing is said. "warn": each such operator is named once. "error": it raises
    NotImplementedError; operators that have a lowering then always take it. The environment variable DLPORT_FALLBACK
    sets the same. Holds for all threads.
    """
    _torch.set_fallback(_parse("fallback", mode, _torch.Fallback))


def read_environment() -> None:
    """Sets both modes from the environment."""
    if mode := os.environ.get("DLPORT_LOWERING"):
        _torch.set_lowering(_parse("DLPORT_LOWERING", mode, _torch.LoweringMode))
    if mode := os.environ.get("DLPORT_FALLBACK"):
        _torch.set_fallback(_parse("DLPORT_FALLBACK", mode, _torch.Fallback))


def _parse(what: str, mode: str, modes: type[Mode]) -> Mode:
    if mode not in modes.__members__:
        raise ValueError(f"{what}={mode!r} is not one of {', '.join(modes.__members__)}")
    return modes[mode]
