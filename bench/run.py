"""Runs every benchmark of this folder and prints its table: `make bench`.

    python bench/run.py [NAME ...]

A Python benchmark is a script beside this one; a C++ one is a program that the build puts under build/bench/bench.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BUILD = HERE.parent / "build" / "bench" / "bench"


#: The benchmarks of a program take turns, so that a drift of the machine's speed meets all of them.
INTERLEAVED = [
    "--benchmark_enable_random_interleaving=true",
    "--benchmark_repetitions=9",
    "--benchmark_min_time=0.1",
    "--benchmark_report_aggregates_only=true",
]


def benchmarks() -> dict[str, list[str]]:
    programs = sorted(path for path in BUILD.glob("*_bench") if path.is_file())
    scripts = sorted(path for path in HERE.glob("*.py") if path != Path(__file__))
    commands = {path.stem: [sys.executable, str(path)] for path in scripts}
    return {path.name: [str(path), *INTERLEAVED] for path in programs} | commands


def environment() -> dict[str, str]:
    """C++ programs do not look for ONNX Runtime in Python's packages, so they are told where it is."""
    package = importlib.util.find_spec("onnxruntime")
    found = sorted(Path(str(package.origin)).parent.glob("capi/libonnxruntime.so*")) if package else []
    return {"DLPORT_ORT_LIBRARY": str(found[0]), **os.environ} if found else dict(os.environ)


def main(names: list[str]) -> int:
    failed = []
    for name, command in benchmarks().items():
        if names and name not in names:
            continue
        print(f"\n== {name}", flush=True)
        if subprocess.run(command, env=environment()).returncode != 0:
            failed.append(name)
    if failed:
        print("failed:", ", ".join(failed))
    return len(failed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
