"""Which operators ran where."""

from __future__ import annotations

from typing import TypedDict

from dlport import _torch


class Stats(TypedDict):
    """Operator calls on ort tensors since the last reset; views and allocations do not count."""

    lowered: int
    native: int
    lowered_operators: dict[str, int]
    native_operators: dict[str, int]


def stats() -> Stats:
    """How many operator calls ran on ONNX Runtime ("lowered") and how many on PyTorch's own kernels ("native")."""
    calls = {name: counts for name, counts in _torch.calls().items()}
    lowered = {name: count for name, (count, _) in calls.items() if count}
    native = {name: count for name, (_, count) in calls.items() if count}
    return {
        "lowered": sum(lowered.values()),
        "native": sum(native.values()),
        "lowered_operators": lowered,
        "native_operators": native,
    }


def reset_stats() -> None:
    """Sets all of the counts that `stats` returns to zero."""
    _torch.reset_calls()
