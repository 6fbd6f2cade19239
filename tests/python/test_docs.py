"""Every Python example in the documents runs, top to bottom, as a reader would type it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(page for page in [ROOT / "README.md", *ROOT.glob("docs/*.md")] if "```python" in page.read_text())


def examples(page: Path) -> str:
    """The page's Python blocks as one program: later blocks may use what earlier ones made."""
    return "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_of_a_page_run(page: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", examples(page)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_readme_has_examples() -> None:
    assert ROOT / "README.md" in PAGES
