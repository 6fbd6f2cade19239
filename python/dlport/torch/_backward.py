"""Backward passes of ort tensors, in the thread that asks for them.

PyTorch gives each device but the cpu a thread of its own for backward passes. A thread has its own OpenMP workers, so
the kernels of the physical cpu would wake others in the backward pass than in the forward one, twice a step. Without
these threads a pass runs as one on "cpu" does.
"""

from __future__ import annotations

from typing import Any

import torch


class _Engine(type(torch.autograd.Variable._execution_engine)):  # type: ignore[misc]
    """PyTorch's engine; a pass that concerns no device but cpu and ort runs in the caller's thread."""

    def run_backward(self, outputs: Any, *arguments: Any, **options: Any) -> Any:
        threads = torch._C._is_multithreading_enabled()
        if not threads or (_others_in_use() and not any(getattr(output, "is_ort", False) for output in outputs)):
            return super().run_backward(outputs, *arguments, **options)
        torch._C._set_multithreading_enabled(False)
        try:
            return super().run_backward(outputs, *arguments, **options)
        finally:
            torch._C._set_multithreading_enabled(True)


def _others_in_use() -> bool:
    return bool(torch.cuda.is_initialized() or torch.xpu.is_initialized())  # type: ignore[no-untyped-call]


def install() -> None:
    """Puts the engine in the place of PyTorch's."""
    torch.autograd.Variable._execution_engine = _Engine()
