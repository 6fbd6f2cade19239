"""ort:0 and ort:1: two configured providers, whose tensors are moved but never mixed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

import dlport.torch  # noqa: F401  registers "ort"

X = torch.arange(6.0).reshape(2, 3)


pytestmark = pytest.mark.usefixtures("second_device")


def test_tensors_move_there_and_back() -> None:
    there = X.to("ort:0").to("ort:1")
    assert there.device == torch.device("ort:1")
    torch.testing.assert_close(there.to("ort:0").cpu(), X)
    other = torch.empty(2, 3, device="ort:0")
    other.copy_(there)
    torch.testing.assert_close(other.cpu(), X)


def test_tensors_of_both_do_not_mix() -> None:
    with pytest.raises(RuntimeError, match=r"ort:0 and ort:1"):
        X.to("ort:0") + X.to("ort:1")


def test_the_current_device_is_where_new_tensors_go() -> None:
    with torch.ort.device(1):
        assert torch.ones(2, device="ort").device == torch.device("ort:1")
    assert torch.ones(2, device="ort").device == torch.device("ort:0")


def run(program: str) -> str:
    """In a process of its own, in which no backward pass has run yet."""
    head = "import torch, dlport.torch\nfrom dlport import ort\n"
    done = subprocess.run([sys.executable, "-c", head + program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_gradients_come_back_to_their_leaf() -> None:
    shown = run(
        "ort.set_device(1, 'cpu', {})\n"
        "leaf = torch.arange(6.0, device='ort:1').requires_grad_()\n"
        "(leaf.to('ort:0') * 2).sum().backward()\n"
        "print(leaf.grad.device, leaf.grad.tolist())\n"
    )
    assert shown == "ort:1 [2.0, 2.0, 2.0, 2.0, 2.0, 2.0]\n"


def test_a_device_that_comes_after_the_first_backward_pass_trains_too() -> None:
    shown = run(
        "torch.ones(2, device='ort').requires_grad_().sum().backward()\n"
        "ort.set_device(1, 'cpu', {})\n"
        "leaf = torch.ones(2, device='ort:1').requires_grad_()\n"
        "(leaf * 3).sum().backward()\n"
        "print(leaf.grad.device, leaf.grad.tolist())\n"
    )
    assert shown == "ort:1 [3.0, 3.0]\n"


@pytest.mark.parametrize(
    ("map_location", "where"),
    [(None, "ort:1"), ("cpu", "cpu"), ("ort:0", "ort:0"), ({"ort:1": "ort:0"}, "ort:0")],
    ids=str,
)
def test_saved_tensors_load_where_they_were_or_are_sent(tmp_path: Path, map_location: object, where: str) -> None:
    torch.save(X.to("ort:1"), tmp_path / "x.pt")
    loaded = torch.load(tmp_path / "x.pt", map_location=map_location)  # type: ignore[arg-type]
    assert loaded.device == torch.device(where)
    torch.testing.assert_close(loaded.cpu(), X)


def test_modules_run_on_either() -> None:
    layer = torch.nn.Linear(3, 2)
    expected = layer(X)
    for device in ("ort:0", "ort:1"):
        torch.testing.assert_close(layer.to(device)(X.to(device)).cpu(), expected)


def test_a_device_that_is_not_configured_is_named() -> None:
    with pytest.raises(RuntimeError, match=r"ort:77 does not exist: there are \d+ ort devices"):
        torch.ones(2, device="ort:77")
