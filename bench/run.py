"""Runs every benchmark of this folder and prints its table: `make bench`.

    python bench/run.py [NAME ...]

A Python benchmark is a script beside this one; a C++ one is a program that the build puts under build/bench/bench.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
BUILD = HERE.parent / "build" / "bench" / "bench"


#: The benchmarks of a program take turns, so that a drift of the machine's speed meets all of them.
INTERLEAVED = [
    "--benchmark_enable_random_interleaving=true",
    "--benchmark_repetitions=9",
    "--benchmark_min_time=0.1",
    "--benchmark_format=json",
]


def programs() -> dict[str, Path]:
    return {path.name: path for path in sorted(BUILD.glob("*_bench")) if path.is_file()}


def scripts() -> dict[str, Path]:
    return {path.stem: path for path in sorted(HERE.glob("*.py")) if path != Path(__file__)}


def run_program(path: Path) -> bool:
    """Runs a C++ benchmark and prints the medians."""
    done = subprocess.run(
        [str(path), *INTERLEAVED], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    if done.returncode != 0:
        return False
    found = json.loads(done.stdout)["benchmarks"]
    table = Table("benchmark", "median, ns", "GB/s")
    for row in found:
        if row.get("aggregate_name") != "median":
            continue
        speed = row.get("bytes_per_second")
        nanoseconds = row["real_time"] * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[row["time_unit"]]
        table.add_row(row["run_name"], f"{nanoseconds:,.0f}", f"{speed / 1e9:.1f}" if speed else "")
    Console(width=100).print(table)
    return True


def environment() -> dict[str, str]:
    """C++ programs do not look for ONNX Runtime in Python's packages, so they are told where it is."""
    package = importlib.util.find_spec("onnxruntime")
    found = sorted(Path(str(package.origin)).parent.glob("capi/libonnxruntime.so*")) if package else []
    return {"DLPORT_ORT_LIBRARY": str(found[0]), **os.environ} if found else dict(os.environ)


def main(names: list[str]) -> int:
    failed = []
    for name, path in (programs() | scripts()).items():
        if names and name not in names:
            continue
        print(f"\n== {name}", flush=True)
        if name in programs():
            passed = run_program(path)
        else:
            passed = subprocess.run([sys.executable, str(path)], env=environment()).returncode == 0
        if not passed:
            failed.append(name)
    if failed:
        print("failed:", ", ".join(failed))
    return len(failed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
