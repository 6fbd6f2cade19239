"""What each execution provider is given to compute, and what it makes of it."""

from __future__ import annotations

import pytest
import torch

from dlport import _torch
from providers import PROVIDERS, configure

pytestmark = pytest.mark.usefixtures("lower_all")


@pytest.mark.parametrize("name", PROVIDERS)
def test_lowered_operators_run_on_a_second_device(name: str) -> None:
    configure(1, name)
    _torch.reset_calls()
    x, y = torch.randn(4, 5), torch.randn(5, 3)
    actual = torch.softmax(torch.relu(x.to("ort:1")) @ y.to("ort:1"), -1).sum(0)
    assert actual.device == torch.device("ort:1")
    torch.testing.assert_close(actual.cpu(), torch.softmax(torch.relu(x) @ y, -1).sum(0), rtol=1e-4, atol=1e-5)
    names = ["aten::relu", "aten::mm", "aten::_softmax", "aten::sum.dim_IntList"]
    assert {name: _torch.calls()[name] for name in names} == dict.fromkeys(names, (1, 0))


def test_a_provider_of_32_bits_is_given_no_64_bit_arithmetic() -> None:
    configure(1, "openvino")
    big = torch.tensor([1 << 40, 3])
    assert (big.to("ort:1") + 1).tolist() == [(1 << 40) + 1, 4]
    exact = torch.tensor([1.0], dtype=torch.float64)
    assert (exact.to("ort:1") + 2.0**-40).item() == 1 + 2.0**-40
    top = torch.iinfo(torch.int32).max
    assert (torch.tensor([top], dtype=torch.int32).to("ort:1") > top - 1).item()


def test_operators_run_on_the_provider_that_their_device_has_now() -> None:
    configure(1, "openvino")
    x = torch.tensor([1 << 40]).to("ort:1")
    _torch.reset_calls()
    assert (x + 5).item() == (1 << 40) + 5
    assert _torch.calls()["aten::add.Tensor"] == (0, 1)
    configure(1, "cpu")
    _torch.reset_calls()
    assert (x + 5).item() == (1 << 40) + 5
    assert _torch.calls()["aten::add.Tensor"] == (1, 0)


def test_a_provider_that_loses_nan_is_not_asked_what_is_true() -> None:
    configure(1, "openvino")
    x = torch.tensor([float("nan"), 1.0])
    there = x.to("ort:1")
    for operator in (torch.gt, torch.ge, torch.lt, torch.le, torch.eq, torch.ne):
        assert operator(there, 0).tolist() == operator(x, 0).tolist()
    assert torch.logical_not(there).tolist() == [False, False]
    assert there.isnan().any().item()


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_value_to_pad_with_is_kept(name: str) -> None:
    configure(1, name)
    for value in (0.0, 1.0, 7.5, -float("inf")):
        padded = torch.nn.functional.pad(torch.ones(1, 2).to("ort:1"), (1, 2), value=value)
        assert padded.tolist() == [[value, 1.0, 1.0, value, value]]


@pytest.mark.parametrize("lowest", [-float("inf"), torch.finfo(torch.float32).min])
@pytest.mark.parametrize("name", PROVIDERS)
def test_safe_softmax_of_nothing_but_the_lowest_value(name: str, lowest: float) -> None:
    configure(1, name)
    x = torch.tensor([[lowest] * 4, [0.0, lowest, 1.0, lowest]])
    torch.testing.assert_close(torch._safe_softmax(x.to("ort:1"), -1).cpu(), torch._safe_softmax(x, -1))


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_scalar_repeated_by_no_numbers_is_itself(name: str) -> None:
    configure(1, name)
    assert torch.tensor(-8.5).to("ort:1").repeat(()).item() == -8.5


def test_every_shape_is_lowered_however_many_there_are() -> None:
    configure(1, "openvino")
    _torch.reset_calls()
    for size in range(1, 101):
        x = torch.linspace(-1, 1, size)
        torch.testing.assert_close(torch.relu(x.to("ort:1")).cpu(), torch.relu(x))
    assert _torch.calls()["aten::relu"] == (100, 0)
