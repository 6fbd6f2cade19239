"""The interop matrix: what a live run of it finds, and how it is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from dlport.cli import main
from dlport.report import frameworks, interop


def test_every_pair_is_measured_or_refused_with_a_reason() -> None:
    found = [framework for framework in frameworks.installed()[0] if framework.name in ("dlport", "numpy", "pyarrow")]
    results = interop.measure(found, lambda pair: None)
    assert len(results) == len(found) ** 2
    for result in results:
        assert result.outcome in ("zero-copy", "copy", "refused")
        assert (result.microseconds is None) == (result.outcome == "refused") == bool(result.reason)


def test_a_reason_is_told_once_and_named_by_its_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    two = [frameworks.Framework(name, "1", list, list, id) for name in ("left", "right")]
    results = [
        interop.Exchange("left", "left", "zero-copy", 0.5),
        interop.Exchange("left", "right", "refused", reason="no [way]"),
        interop.Exchange("right", "left", "copy", 1.5),
        interop.Exchange("right", "right", "refused", reason="no [way]"),
    ]
    monkeypatch.setattr(frameworks, "installed", lambda: (two, ["cupy"]))
    monkeypatch.setattr(interop, "measure", lambda found, progress: results)
    page = tmp_path / "page.md"
    done = CliRunner().invoke(main, ["interop", "--markdown", str(page)])
    assert done.exit_code == 0, done.output
    assert done.output.count("no [way]") == page.read_text().count("no [way]") == 1
    assert done.output.count("no [1]") == page.read_text().count("refused [1]") == 2
    assert "1.50 copy" in done.output
    assert "not installed: cupy" in done.output
