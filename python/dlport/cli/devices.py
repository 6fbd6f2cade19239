"""`dlport devices`: what there is to compute on."""

from __future__ import annotations

import sys

import click
from rich.console import Console
from rich.table import Table

from dlport.drivers import devices, left_out


def ort_rows() -> list[tuple[str, ...]]:
    """The ort devices: not drivers, but what stands before one. None where ONNX Runtime is not installed."""
    try:
        from dlport import ort

        return [
            (f"ort:{entry.index}", "ort", f"{entry.provider} on {entry.physical}", "", "onnx operators")
            for entry in ort.devices()
        ]
    except (ImportError, RuntimeError):
        return []


@click.command()
def command() -> None:
    """List the devices that there are and the drivers behind them."""
    console = Console(soft_wrap=not sys.stdout.isatty())
    table = Table()
    for column in ("device", "driver", "what it is", "memory", "operators from"):
        table.add_column(column)
    for entry in devices():
        memory = f"{entry['memory'] / 2**30:.1f} GiB" if entry["memory"] else ""
        table.add_row(entry["device"], entry["driver"], entry["name"], memory, entry["operators"])
    for row in ort_rows():
        table.add_row(*row)
    console.print(table)
    for source, reason in left_out():
        console.print(f"[dim]{source}: {reason}[/]", highlight=False)
