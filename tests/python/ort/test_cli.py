"""`dlport run` and `dlport inspect`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner, Result

from dlport.cli import main

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def folder(doubling: onnx.ModelProto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    onnx.save(doubling, "m.onnx")
    np.save("x.npy", X)
    return tmp_path


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, env={"COLUMNS": "200"})


def test_inspect_shows_names_and_types(folder: Path) -> None:
    result = invoke("inspect", "m.onnx")
    assert result.exit_code == 0
    for word in ("input", "x", "output", "y", "float32 (n, 3)"):
        assert word in result.output


@pytest.mark.parametrize("value", ["x=x.npy", "x.npy"], ids=["named", "the only one"])
def test_run_reads_and_writes_arrays(folder: Path, value: str) -> None:
    result = invoke("run", "m.onnx", "--input", value, "--out", "y.npy", "--device", "ort:cpu", "--repeat", "20")
    assert result.exit_code == 0, result.output
    np.testing.assert_array_equal(np.load("y.npy"), 2 * X)
    for word in ("20 runs", "median", "float32 (2, 3)"):
        assert word in result.output


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--input", "q=x.npy"], "no input 'q'"),
        (["--input", "x=absent.npy"], "absent.npy"),
        (["--input", "x=m.onnx"], "m.onnx"),
        (["--input", "x.npy", "--out", "q=y.npy"], "no output 'q'"),
        (["--input", "x.npy", "--device", "ort:abacus"], "abacus"),
        ([], "'x'"),
    ],
)
def test_run_says_what_is_wrong_in_a_line(folder: Path, arguments: list[str], word: str) -> None:
    result = invoke("run", "m.onnx", *arguments)
    assert result.exit_code == 1
    assert word in result.output
    assert "Traceback" not in result.output


def test_inspect_refuses_what_is_no_model(folder: Path) -> None:
    result = invoke("inspect", "x.npy")
    assert result.exit_code == 1
    assert "x.npy" in result.output
