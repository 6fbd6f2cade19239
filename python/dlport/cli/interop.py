"""`dlport interop`: the interop matrix, measured now."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option(
    "--markdown", "page", type=click.Path(dir_okay=False, path_type=Path), help="Write the matrix to this file as well."
)
def command(page: Path | None) -> None:
    """Measure which installed framework hands tensors to which: shared, copied or refused, and how fast."""
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table

    from dlport.report import frameworks, interop

    console = Console()
    found, missing = frameworks.installed()
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("measuring", total=len(found) ** 2)
        results = interop.measure(found, lambda pair: bar.update(task, description=pair, advance=1))

    colours = {"zero-copy": "green", "copy": "yellow", "refused": "red"}
    table = Table("producer \\ consumer", *(framework.name for framework in found), title="µs a call")
    for producer in found:
        row = [result for result in results if result.producer == producer.name]
        shown = (
            f"[{colours[r.outcome]}]{r.outcome}[/]" + (f"\n{r.microseconds:.2f}" if r.microseconds is not None else "")
            for r in row
        )
        table.add_row(producer.name, *shown)
    console.print(table)
    if missing:
        console.print(f"not installed: {', '.join(missing)}")
    if page:
        page.write_text(interop.markdown(found, missing, results))
        console.print(f"written to {page}")
