"""What is missing or does not fit is said in one line that tells what to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest


def import_error(code: str, **environment: str) -> str:
    """The last line of what a fresh interpreter prints when `code` fails."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"} | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, f"exit {done.returncode}: {done.stderr}"
    return done.stderr.strip().splitlines()[-1]


def test_no_onnxruntime() -> None:
    hide = (
        "import importlib.util as u\n"
        "found = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'onnxruntime' else found(name, *rest)\n"
        "import dlport.torch\n"
    )
    line = import_error(hide)
    assert line.startswith("ImportError: dlport.torch needs ONNX Runtime: no ONNX Runtime library")
    assert "pip install onnxruntime" in line


def test_library_that_is_not_onnxruntime() -> None:
    library = f"{sysconfig.get_config_var('LIBDIR')}/{sysconfig.get_config_var('LDLIBRARY')}"
    if not os.path.exists(library) or ".so" not in library:
        library = next(str(path) for path in Path("/lib").rglob("libm.so.6"))
    line = import_error("import dlport.torch", DLPORT_ORT_LIBRARY=library)
    assert "is not ONNX Runtime: it has no OrtGetApiBase" in line
    assert "DLPORT_ORT_LIBRARY" in line


def test_path_that_does_not_exist() -> None:
    line = import_error("import dlport.torch", DLPORT_ORT_LIBRARY="/nowhere/libonnxruntime.so")
    assert "/nowhere/libonnxruntime.so" in line


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler to build the stand-in with")
def test_onnxruntime_that_is_too_old(tmp_path: Path) -> None:
    # A stand-in for an old library: it has the entry point and says a version, which is all that is looked at.
    source = tmp_path / "old.c"
    source.write_text(
        "static const void* get_api(unsigned version) { return 0; }\n"
        'static const char* get_version(void) { return "1.16.3"; }\n'
        "static const struct { const void* (*api)(unsigned); const char* (*version)(void); } "
        "base = {get_api, get_version};\n"
        "const void* OrtGetApiBase(void) { return &base; }\n"
    )
    library = tmp_path / "libonnxruntime.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    line = import_error("import dlport.torch", DLPORT_ORT_LIBRARY=str(library))
    assert "1.16.3" in line
    assert "pip install -U onnxruntime" in line


def test_torch_that_the_bridge_was_not_built_for() -> None:
    line = import_error("import torch; torch.__version__ = '9.9.9'; import dlport.torch")
    assert line.startswith("ImportError: dlport.torch was built for torch 2.13.0")
    assert "9.9.9" in line
    assert "pip install torch==2.13.0" in line


def test_fallback_mode_that_does_not_exist() -> None:
    line = import_error("import dlport.torch", DLPORT_FALLBACK="maybe")
    assert line == "ValueError: DLPORT_FALLBACK='maybe' is not one of native, warn, error"


def test_fallback_can_be_forbidden() -> None:
    line = import_error("import torch, dlport.torch; torch.linalg.svd(torch.eye(3).to('ort'))", DLPORT_FALLBACK="error")
    assert line.startswith("NotImplementedError: aten::")
    assert "DLPORT_FALLBACK=error" in line
