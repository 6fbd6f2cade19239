"""`dlport run`: a model on .npy files."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

if TYPE_CHECKING:
    from dlport import ort


def _named(kind: str, texts: tuple[str, ...], names: list[str]) -> dict[str, str]:
    """NAME=FILE options by name; the name of a model's only one may be left out."""
    result = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals:
            if len(names) != 1:
                raise click.ClickException(f"--{kind} {text} names no {kind}: write NAME={text} with one of {names}")
            name, path = names[0], text
        result[name] = path
    return result


def _load(path: str) -> np.ndarray[Any, Any]:
    try:
        return np.load(path, allow_pickle=False)  # type: ignore[no-any-return]
    except (OSError, ValueError) as error:
        raise click.ClickException(f"cannot read {path}: {error}") from None


def _save(path: str, name: str, value: Any) -> None:
    try:
        np.save(path, np.asarray(value), allow_pickle=False)
    except (OSError, ValueError, TypeError) as error:
        raise click.ClickException(f"cannot write output {name!r} to {path}: {error}") from None


def _timings(seconds: list[float]) -> Table:
    table = Table(title=f"{len(seconds)} runs" if len(seconds) > 1 else "1 run")
    figures = {
        "fastest": min(seconds),
        "median": statistics.median(seconds),
        "mean": statistics.fmean(seconds),
        "slowest": max(seconds),
    }
    for heading in figures:
        table.add_column(heading, justify="right")
    table.add_row(*(f"{value * 1e3:.3f} ms" for value in figures.values()))
    return table


def _results(session: ort.Session, results: list[Any]) -> Table:
    table = Table(title="outputs")
    for heading in ("name", "type", "is"):
        table.add_column(heading)
    for info, value in zip(session.outputs, results, strict=True):
        shape = getattr(value, "shape", None)
        shown = f"{getattr(value, 'dtype', '')} {tuple(shape)}" if shape is not None else type(value).__name__
        table.add_row(info.name, info.type, shown)
    return table


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.option("--input", "inputs", multiple=True, metavar="NAME=FILE", help="An input's .npy file.")
@click.option("--out", "outputs", multiple=True, metavar="NAME=FILE", help="Where to write an output, as .npy.")
@click.option("--device", default="ort:0", show_default=True, help="ort:N, or a provider such as ort:openvino.")
@click.option("--repeat", default=1, show_default=True, type=click.IntRange(min=1), help="How often to run it.")
def command(model: str, inputs: tuple[str, ...], outputs: tuple[str, ...], device: str, repeat: int) -> None:
    """Run MODEL, an ONNX file, on .npy files and show what comes out and how long it takes."""
    from dlport import ort

    console = Console()
    try:
        session = ort.Session(model, device=device)
        files = _named("input", inputs, [info.name for info in session.inputs])
        wanted = _named("out", outputs, [info.name for info in session.outputs])
        feeds = {name: _load(path) for name, path in files.items()}
        unknown = wanted.keys() - {info.name for info in session.outputs}
        if unknown:
            raise click.ClickException(f"the model has no output {sorted(unknown)[0]!r}")
        seconds = []
        for _ in track(range(repeat), "running", console=console, transient=True, disable=repeat < 10):
            start = time.perf_counter()
            results = session.run(feeds)
            seconds.append(time.perf_counter() - start)
    except (ValueError, NotImplementedError, RuntimeError) as error:
        raise click.ClickException(str(error)) from None
    for info, value in zip(session.outputs, results, strict=True):
        if info.name in wanted:
            _save(wanted[info.name], info.name, value)
    console.print(_results(session, results))
    console.print(_timings(seconds))
