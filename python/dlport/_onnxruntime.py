"""Where the installed `onnxruntime` package keeps its shared library."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def library_path() -> str | None:
    """The path of `libonnxruntime`, found without importing the package; None where the package is not installed."""
    spec = find_spec("onnxruntime")
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(next(iter(spec.submodule_search_locations))) / "capi"
    found = sorted(folder.glob("libonnxruntime.so*"))
    return str(found[-1]) if found else None
