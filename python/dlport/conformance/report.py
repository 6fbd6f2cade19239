"""Results as a table for people and as a JUnit file for machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from rich.console import Console
from rich.table import Table

from dlport.conformance.checks import Result

MARKS = {"passed": "[green]passed[/]", "failed": "[red]failed[/]", "skipped": "[yellow]skipped[/]"}


def count(results: Sequence[Result], outcome: str) -> int:
    return sum(result.outcome == outcome for result in results)


def print_table(title: str, results: Sequence[Result], *, verbose: bool, console: Console) -> None:
    """One row a group, one a check that failed and one a reason to skip some; every check where `verbose`."""
    table = Table(title=title, title_justify="left")
    for column in ("group", "check", "outcome", "reason"):
        table.add_column(column, overflow="fold")
    for group in dict.fromkeys(result.group for result in results):
        members = [result for result in results if result.group == group]
        if not verbose:
            table.add_row(group, "", f"{count(members, 'passed')} of {len(members)}", "")
        for result in members:
            if verbose or result.outcome == "failed":
                table.add_row(group, result.sentence, MARKS[result.outcome], result.detail)
        skips = Counter(result.detail for result in members if result.outcome == "skipped" and not verbose)
        for reason, number in skips.items():
            table.add_row(group, f"({number} checks)", MARKS["skipped"], reason)
    console.print(table)
    console.print(summary(results))


def summary(results: Sequence[Result]) -> str:
    return ", ".join(f"{count(results, outcome)} {outcome}" for outcome in MARKS)


def write_junit(path: Path, title: str, results: Sequence[Result]) -> None:
    """Writes the results as a JUnit file."""
    suite = ElementTree.Element(
        "testsuite",
        name=title,
        tests=str(len(results)),
        failures=str(count(results, "failed")),
        skipped=str(count(results, "skipped")),
        time=f"{sum(result.seconds for result in results):.3f}",
    )
    for result in results:
        case = ElementTree.SubElement(
            suite, "testcase", classname=result.group, name=result.sentence, time=f"{result.seconds:.6f}"
        )
        if result.outcome != "passed":
            tag = "failure" if result.outcome == "failed" else "skipped"
            ElementTree.SubElement(case, tag, message=result.detail)
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)
