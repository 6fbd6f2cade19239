"""Real programs compute on "ort" what they compute on "cpu"."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import torch

import dlport.torch

pytestmark = pytest.mark.usefixtures("provider")

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))
from examples.programs import PROGRAMS  # noqa: E402


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_computes_what_it_does_on_cpu(name: str) -> None:
    if name in ("bert", "gpt2"):
        pytest.importorskip("transformers")
    program = import_module(f"examples.programs.{name}")
    torch.testing.assert_close(program.run("ort", steps=3), program.run("cpu", steps=3), rtol=1e-3, atol=1e-3)


def test_demo_trains_to_95_percent_and_says_where_the_operators_ran() -> None:
    done = subprocess.run([sys.executable, "-m", "dlport.cli", "demo"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    accuracy = float(done.stdout.split("test accuracy ")[1].split("%")[0])
    difference = float(done.stdout.split("largest difference in loss ")[1].split()[0])
    lowered = int(done.stdout.split("operator calls: ")[1].split()[0])
    assert accuracy >= 95
    assert difference <= 1e-4
    assert lowered > 0


def test_digits_training_runs_its_heavy_operators_on_onnx_runtime() -> None:
    from dlport.examples import digits

    torch.manual_seed(0)
    images, labels = torch.rand(256, 64).to("ort"), torch.randint(10, (256,)).to("ort")
    dlport.torch.reset_stats()
    digits.train(images, labels, epochs=1, seed=0)
    lowered = dlport.torch.stats()["lowered_operators"]
    for operator in ("aten::addmm", "aten::relu", "aten::threshold_backward", "aten::mm"):
        assert lowered.get(operator, 0) > 0, f"{operator} did not run on ONNX Runtime: {lowered}"
