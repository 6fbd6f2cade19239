"""Runs every program on "cpu" and on "ort" and prints what each computed, and how long it took."""

from __future__ import annotations

import sys
import time
from importlib import import_module

from rich.console import Console
from rich.progress import track
from rich.table import Table

import dlport.torch
from examples.programs import PROGRAMS


def main(names: list[str]) -> None:
    table = Table(
        "program", "last value on cpu", "last value on ort", "time on cpu", "time on ort", "ops on ONNX Runtime"
    )
    for name in track(names or PROGRAMS, description="running"):
        program = import_module(f"examples.programs.{name}")
        seconds, values = {}, {}
        for device in ("cpu", "ort"):
            program.run(device, steps=1)  # the first step compiles
            dlport.torch.reset_stats()
            start = time.perf_counter()
            values[device] = program.run(device, steps=5)[-1]
            seconds[device] = time.perf_counter() - start
        stats = dlport.torch.stats()
        share = stats["lowered"] / max(1, stats["lowered"] + stats["native"])
        table.add_row(
            name,
            f"{values['cpu']:.6f}",
            f"{values['ort']:.6f}",
            f"{seconds['cpu']:.2f} s",
            f"{seconds['ort']:.2f} s",
            f"{share:.0%}",
        )
    Console().print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
