"""`dlport check`: the conformance kit."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console

from dlport import _core
from dlport.conformance import Result, run
from dlport.conformance.report import count, print_table, write_junit
from dlport.conformance.subject import resolve


def require_target(kind: str, target: str) -> None:
    """Says in one sentence what is wrong with a target that cannot be opened at all."""
    try:
        if kind != "driver":
            resolve(target)
        elif not Path(target).is_file():
            if Path(target).name != target:
                raise ValueError("no such file")
            _core.driver_table(target)
    except (ImportError, AttributeError, ValueError, RuntimeError) as error:
        raise click.ClickException(f"cannot check the {kind} {target!r}: {error}") from None


def check(kind: str, target: str, junit: Path | None, verbose: bool) -> None:
    title = f"{kind} {target}"
    require_target(kind, target)
    results: list[Result] = []
    console = Console(soft_wrap=not sys.stdout.isatty())
    with console.status(f"checking {title}"):
        results.extend(run(kind, target))
    print_table(title, results, verbose=verbose, console=console)
    if junit:
        write_junit(junit, title, results)
    if count(results, "failed"):
        raise SystemExit(1)


@click.group()
def command() -> None:
    """Check a device driver, or a framework's DLPack support, against the standard."""


HELP = {
    "driver": "Check the driver named TARGET (cpu, opencl, cuda), or that in the library at the path TARGET.",
    "producer": "Check the tensors that TARGET makes, 'torch:from_numpy': a module and its function of an array.",
    "consumer": "Check what TARGET takes, 'torch:from_dlpack': a module and its function of any producer.",
}


def add(kind: str) -> None:
    @command.command(name=kind, help=HELP[kind])
    @click.argument("target")
    @click.option("--junit", type=click.Path(path_type=Path), help="Also write the results to this JUnit file.")
    @click.option("-v", "--verbose", is_flag=True, help="List every check, not only those that did not pass.")
    def one(target: str, junit: Path | None, verbose: bool) -> None:
        check(kind, target, junit, verbose)


for kind in HELP:
    add(kind)
