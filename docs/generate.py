"""Regenerates what the documents quote from live runs: `make docs`.

    python docs/generate.py [demo] [interop] [operators] [conformance]

Nothing between an "output" marker of README.md, and no generated page, is typed by hand.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
DLPORT = [sys.executable, "-m", "dlport.cli"]


def output(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()).strip()


def demo() -> None:
    """The demo's output, between its markers in README.md."""
    readme = ROOT / "README.md"
    block = f"<!-- begin output: dlport demo -->\n```text\n{output(*DLPORT, 'demo')}\n```\n<!-- end output -->"
    pattern = r"<!-- begin output: dlport demo -->.*?<!-- end output -->"
    text, count = re.subn(pattern, lambda _: block, readme.read_text(), flags=re.DOTALL)
    if count != 1:
        raise SystemExit("README.md has lost its output markers")
    readme.write_text(text)


def interop() -> None:
    output(*DLPORT, "interop", "--markdown", "docs/interop.md")


def operators() -> None:
    output(sys.executable, "docs/operators.py")


def conformance() -> None:
    output(sys.executable, "docs/conformance.py")


PAGES: dict[str, Callable[[], None]] = {
    "demo": demo,
    "interop": interop,
    "operators": operators,
    "conformance": conformance,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or PAGES:
        print(f"{name} ...", flush=True)
        PAGES[name]()
