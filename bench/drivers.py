"""Moving tensors between layouts and devices, beside PyTorch: `python bench/drivers.py`.

A row is work, peer, ours and their ratio (below 1: ours is faster), all medians of one run.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

import dlport

SIZE, SECONDS = 2048, 0.1


def median(work: Callable[[], object]) -> float:
    """Seconds a call.

    The threads of the peer may still be looking for work on the cores that this one needs, so it waits first, and then
    is called for long enough that its own threads are awake.
    """
    time.sleep(0.02)
    times = []
    until = time.perf_counter() + SECONDS
    while (begin := time.perf_counter()) < until:
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def pair(peer: Callable[[], object], ours: Callable[[], object]) -> tuple[float, float]:
    """Both in turns, so that what else the machine does hits both."""
    peer(), ours()
    rounds = [(median(peer), median(ours)) for _ in range(5)]
    return statistics.median(p for p, _ in rounds), statistics.median(o for _, o in rounds)


LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.T,
    "every second column": lambda x: x[:, ::2],
    "a window": lambda x: x[100:-100, 100:-100],
    "channels last": lambda x: x.view(16, 128, 2048).permute(0, 2, 1),
}


def main() -> None:
    table = Table(title="t.to / copy of a strided tensor, milliseconds", title_justify="left")
    for column in ("work", "peer", "peer ms", "ours ms", "ratio"):
        table.add_column(column)
    source = torch.arange(SIZE * SIZE, dtype=torch.float32).view(SIZE, SIZE)
    for name, view in LAYOUTS.items():
        strided = view(source)
        ours_in = dlport.from_dlpack(strided)
        target = torch.empty(strided.shape)
        ours_out = dlport.from_dlpack(torch.empty(strided.shape))
        peer, ours = pair(lambda: target.copy_(strided), lambda: dlport.copy(ours_out, ours_in))  # noqa: B023
        table.add_row(
            f"cpu to cpu, {name}", "torch copy_", f"{1e3 * peer:.2f}", f"{1e3 * ours:.2f}", f"{ours / peer:.2f}"
        )
    if "opencl:0" in {entry["device"] for entry in dlport.devices()}:
        for name, view in LAYOUTS.items():
            strided = view(source)
            there = dlport.empty(tuple(strided.shape), "float32", "opencl:0")
            target = torch.empty(strided.shape)
            peer, ours = pair(lambda: target.copy_(strided), lambda: dlport.copy(there, strided))  # noqa: B023
            row = (f"{1e3 * peer:.2f}", f"{1e3 * ours:.2f}", f"{ours / peer:.2f}")
            table.add_row(f"cpu to opencl, {name}", "torch copy_ (cpu to cpu)", *row)
    Console(soft_wrap=True).print(table)
    assert np.array_equal(np.asarray(dlport.to(source.T, "cpu")), source.T.numpy())


if __name__ == "__main__":
    main()
