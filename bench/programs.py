"""Whole PyTorch programs on "ort" beside the same on "cpu": time a step, and peak memory.

    python bench/programs.py [PROGRAM ...]

Steps alternate between the devices, so that a drift of the machine's speed meets both; the ratio is the median of the
pairs. Peak memory is that of a process of its own for each device; its growth is what 1,000 steps on "ort", in
runs of 50, add to the peak of the first run.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
import dlport.torch  # noqa: F401  registers "ort"
from examples.programs import PROGRAMS

STEPS, PAIRS = 3, 7
STEPS_A_RUN = 50


def seconds(program: object, device: str) -> float:
    start = time.perf_counter()
    program.run(device, steps=STEPS)
    return (time.perf_counter() - start) / STEPS


def peak_megabytes(name: str, device: str, runs: int) -> tuple[float, float]:
    """Runs the program alone in a process and returns the most memory that it held in its first run, and in all."""
    code = f"import bench.programs as b; b.report_peaks({name!r}, {device!r}, {runs})"
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    peaks = [float(peak) for peak in done.stdout.split()[-runs:]]
    return peaks[0], peaks[-1]


def report_peaks(name: str, device: str, runs: int) -> None:
    program = import_module(f"examples.programs.{name}")
    for _ in range(runs):
        program.run(device, steps=STEPS_A_RUN)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main(names: list[str]) -> None:
    memory_columns = ("peak memory ort / cpu", "growth in 1,000 steps, MB")
    table = Table("program", "cpu, ms a step", "ort, ms a step", "time ort / cpu", *memory_columns, title="Programs")
    for name in track(names or PROGRAMS, description="programs"):
        program = import_module(f"examples.programs.{name}")
        for device in ("cpu", "ort"):
            seconds(program, device)
        pairs = [(seconds(program, "cpu"), seconds(program, "ort")) for _ in range(PAIRS)]
        cpu, ort = (1e3 * statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(b / a for a, b in pairs)
        first, last = peak_megabytes(name, "ort", 1000 // STEPS_A_RUN)
        memory = first / peak_megabytes(name, "cpu", 1)[0]
        table.add_row(name, f"{cpu:.2f}", f"{ort:.2f}", f"{ratio:.2f}", f"{memory:.2f}", f"{last - first:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
