"""Runs every benchmark of this folder and prints its table: `make bench`.

    python bench/run.py [NAME ...]

A Python benchmark is a script beside this one; a C++ one is a program that the build puts under build/bench/bench.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BUILD = HERE.parent / "build" / "bench" / "bench"


def benchmarks() -> list[list[str]]:
    programs = sorted(path for path in BUILD.glob("*_bench") if path.is_file())
    scripts = sorted(path for path in HERE.glob("*.py") if path != Path(__file__))
    return [[str(path)] for path in programs] + [[sys.executable, str(path)] for path in scripts]


def main(names: list[str]) -> int:
    failed = []
    for command in benchmarks():
        name = Path(command[-1]).stem.removesuffix("_bench")
        if names and name not in names:
            continue
        print(f"\n== {name}", flush=True)
        if subprocess.run(command).returncode != 0:
            failed.append(name)
    if failed:
        print("failed:", ", ".join(failed))
    return len(failed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
