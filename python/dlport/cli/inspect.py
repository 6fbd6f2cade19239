"""`dlport inspect`: what a model takes and gives."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
def command(model: str) -> None:
    """Show the inputs and outputs of MODEL, an ONNX file."""
    from dlport import ort

    try:
        session = ort.Session(model, optimization="none")
    except (ValueError, NotImplementedError, RuntimeError) as error:
        raise click.ClickException(str(error)) from None
    table = Table(title=model)
    for heading in ("", "name", "type"):
        table.add_column(heading)
    for role, infos in (("input", session.inputs), ("output", session.outputs)):
        for info in infos:
            table.add_row(role, info.name, info.type)
    Console().print(table)
