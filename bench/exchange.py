"""The exchange beside its peers: python bench/exchange.py

Each row measures one piece of work with dlport and with what else does it, in turns, in one run; the ratio is the
median of the turns. Two more tables: time against the tensor's size and against its number of dimensions, neither of
which should matter.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import tvm_ffi
from rich.console import Console
from rich.table import Table

import dlport

ROUNDS, CALLS = 15, 20_000
console = Console()


Call = tuple[Callable[[Any], object], object]  # a function and what it is given


def nanoseconds(call: Call, calls: int = CALLS) -> float:
    function, argument = call
    loop = range(calls)
    start = time.perf_counter_ns()
    for _ in loop:
        function(argument)
    return (time.perf_counter_ns() - start) / calls


def beside(ours: Call, peer: Call) -> tuple[float, float, float]:
    """Medians of our time and the peer's, and of their ratio, over rounds that alternate between the two."""
    for call in (ours, peer):
        nanoseconds(call, 1000)
    rounds = [(nanoseconds(ours), nanoseconds(peer)) for _ in range(ROUNDS)]
    mine, theirs = (statistics.median(column) for column in zip(*rounds, strict=True))
    return mine, theirs, statistics.median(a / b for a, b in rounds)


def peers() -> None:
    from onnxruntime import OrtValue

    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    tensor = torch.from_numpy(array)
    ours, tvm = dlport.from_dlpack(array), tvm_ffi.from_dlpack(array)
    take = dlport.from_dlpack
    work: list[tuple[str, str, Call, Call, str]] = [
        ("PyTorch tensor -> owned tensor", "tvm-ffi", (take, tensor), (tvm_ffi.from_dlpack, tensor), "≤ 0.7"),
        ("PyTorch tensor -> owned tensor", "OrtValue.from_dlpack", (take, tensor), (OrtValue.from_dlpack, tensor), ""),
        ("NumPy array -> owned tensor", "tvm-ffi", (take, array), (tvm_ffi.from_dlpack, array), "≤ 0.7"),
        ("NumPy array -> owned tensor", "torch.from_dlpack", (take, array), (torch.from_dlpack, array), ""),
        (
            "owned tensor -> PyTorch tensor",
            "torch.from_dlpack(tvm-ffi)",
            (ours.to, torch),
            (torch.from_dlpack, tvm),
            "≤ 0.3",
        ),
        ("owned tensor -> NumPy array", "np.from_dlpack(tvm-ffi)", (np.from_dlpack, ours), (np.from_dlpack, tvm), ""),
    ]
    table = Table("work", "peer", "peer, ns", "dlport, ns", "ratio", "aim", title="Exchange")
    for name, peer, mine, theirs, aim in work:
        ours_ns, peer_ns, ratio = beside(mine, theirs)
        table.add_row(name, peer, f"{peer_ns:.0f}", f"{ours_ns:.0f}", f"{ratio:.2f}", aim)
    console.print(table)


def table_of(title: str, key: str, cases: dict[str, np.ndarray]) -> None:
    """One column a case, one row a direction of the exchange."""
    directions: dict[str, Callable[[np.ndarray], object]] = {
        "from_dlpack(NumPy), ns": dlport.from_dlpack,
        "... and to(torch), ns": lambda array: dlport.from_dlpack(array).to(torch),
    }
    table = Table(key, *cases, title=title)
    for name, direction in directions.items():
        times = (min(nanoseconds((direction, array), 5000) for _ in range(9)) for array in cases.values())
        table.add_row(name, *(f"{time_taken:.0f}" for time_taken in times))
    console.print(table)


def main() -> None:
    peers()
    sizes = {"4 B": 1, "4 KB": 1 << 10, "4 MB": 1 << 20, "4 GB": 1 << 30}  # memory that nobody touches costs nothing
    table_of("Time against size", "size", {name: np.empty(count, np.float32) for name, count in sizes.items()})
    table_of("Time against dimensions", "ndim", {str(n): np.zeros((2,) * n, np.float32) for n in range(9)})


if __name__ == "__main__":
    main()
