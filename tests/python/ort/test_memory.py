"""Nothing grows with the number of launches and runs."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pytest

from dlport import ort

A = np.ones(64, np.float32)


def resident_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(call: Callable[[], object], calls: int) -> int:
    for _ in range(2_000):
        call()
    before = resident_bytes()
    for _ in range(calls):
        call()
    return resident_bytes() - before


CALLS = [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)]


@pytest.mark.parametrize("calls", CALLS)
def test_launches_leave_nothing_behind(calls: int) -> None:
    assert growth(lambda: ort.launch("Add", [A, A]), calls) < 5e6


@pytest.mark.parametrize("calls", CALLS)
def test_runs_leave_nothing_behind(calls: int) -> None:
    graph = ort.Graph()
    graph.output(graph.node("Neg", [graph.input("float32", [64], name="x")]), name="y")
    session = ort.Session(graph)
    assert growth(lambda: session(A), calls) < 5e6


def test_refusals_leave_nothing_behind() -> None:
    """A run that ONNX Runtime itself gives up keeps a kilobyte or two, as it does under its own bindings."""
    graph = ort.Graph()
    graph.output(graph.node("Neg", [graph.input("float32", [64], name="x")]), name="y")
    session = ort.Session(graph)

    def refused() -> None:
        for inputs in ({"y": A}, {"x": A.astype(np.int64)}, {"x": A[:3]}, {}):
            try:
                session(**inputs)
            except ValueError:
                continue
            raise AssertionError("a wrong input was taken")

    assert growth(refused, 5_000) < 5e6
