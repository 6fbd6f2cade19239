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

    refusals = interop.reasons(results)

    def cell(result: interop.Exchange) -> str:
        if result.outcome == "refused":
            return rf"[red]no \[{refusals.index(result.reason) + 1}][/]"
        if result.outcome == "copy":
            return f"[yellow]{result.microseconds:.2f} copy[/]"
        return f"[green]{result.microseconds:.2f}[/]"

    table = Table("producer \\ consumer", *(f.name for f in found), title="µs a call, without a copy unless it says so")
    for producer in found:
        table.add_row(producer.name, *(cell(result) for result in results if result.producer == producer.name))
    console.print(table)
    for number, reason in enumerate(refusals, 1):
        console.print(f"[{number}] {reason}", markup=False)
    if missing:
        console.print(f"not installed: {', '.join(missing)}")
    if page:
        page.write_text(interop.markdown(found, missing, results))
        console.print(f"written to {page}")
