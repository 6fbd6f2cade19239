"""Every entry of the lowering table, on the calls that PyTorch's operator database makes of it, against the cpu."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import torch
from aten_calls import HALF, Call, collect
from torch.utils._pytree import tree_flatten

from dlport import _torch

pytestmark = pytest.mark.usefixtures("provider", "lower_all")

OPERATORS = _torch.lowered_operators()

#: Where sums over many elements, or differences of nearly equal ones, take another order.
TOLERANCES = {
    "aten::addbmm": {"rtol": 1e-4, "atol": 2e-5},
    "aten::native_layer_norm_backward": {"rtol": 1e-4, "atol": 1e-4},
    "aten::native_group_norm_backward": {"rtol": 1e-4, "atol": 1e-4},
    "aten::convolution_backward": {"rtol": 1e-4, "atol": 1e-4},
}

#: Of equal elements PyTorch may pick any, so that positions are not compared.
POSITIONS_MAY_DIFFER = {"aten::topk"}


@cache
def all_calls() -> dict[str, list[Call]]:
    return collect(frozenset(OPERATORS))


def tensors_in(value: Any) -> list[torch.Tensor]:
    return [item for item in tree_flatten(value)[0] if isinstance(item, torch.Tensor)]


def assert_agrees(call: Call, name: str) -> None:
    """The same dtypes, shapes, strides and values, of results and of arguments that were written to."""
    expected = call.run("cpu")
    actual = call.run("ort")
    assert tree_flatten(actual)[1] == tree_flatten(expected)[1]
    # PyTorch's kernels round half types more often than ours: what is not close to theirs has to be to float32.
    is_half = any(tensor.dtype in HALF for tensor in tensors_in(expected))
    precise = call.in_float32().run("cpu") if is_half else expected
    for got, want, exact in zip(tensors_in(actual), tensors_in(expected), tensors_in(precise), strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        if want.numel() > 0:
            assert got.stride() == want.stride()
        if name in POSITIONS_MAY_DIFFER and want.dtype is torch.int64:
            continue
        tolerance = (
            {"rtol": 1.6e-2, "atol": 1e-2} if want.dtype in HALF else TOLERANCES.get(name, {"rtol": None, "atol": None})
        )
        if not (want.dtype in HALF and torch.allclose(got.cpu(), want, equal_nan=True, **tolerance)):
            torch.testing.assert_close(got.cpu(), exact.to(want.dtype), equal_nan=True, **tolerance)


def raises_on_cpu(call: Call) -> bool:
    """What raises is compared by the operator database's tests."""
    try:
        call.run("cpu")
    except Exception:
        return True
    return False


@pytest.mark.parametrize("name", OPERATORS)
def test_lowered_operator_agrees_with_the_cpu(provider: str, name: str) -> None:
    _torch.reset_calls()
    failed = _torch.plan_stats()["failed"]
    calls = all_calls()[name]
    for call in calls:
        if not raises_on_cpu(call):
            assert_agrees(call, name)
    assert _torch.plan_stats()["failed"] == failed
    lowered, _ = _torch.calls()[name]
    declined = _torch.declined_calls().get(name, {})
    too_exact = provider == "openvino" and declined and all(reason.startswith("the provider") for reason in declined)
    assert lowered > 0 or too_exact, f"none of {len(calls)} calls ran on ONNX Runtime: {declined}"


def in_place_variant(name: str) -> Any:
    """The in-place operator that takes the same arguments, if there is one."""
    base, _, overload = name.removeprefix("aten::").partition(".")
    packet = getattr(torch.ops.aten, base + "_", None)
    return packet and getattr(packet, overload or "default", None)


@pytest.mark.parametrize("name", [name for name in OPERATORS if not name.endswith("_") and in_place_variant(name)])
def test_in_place_variant_agrees_with_the_cpu(name: str) -> None:
    operator = in_place_variant(name)
    for call in all_calls()[name]:
        variant = Call(operator, call.args, call.kwargs)
        if not raises_on_cpu(variant):
            assert_agrees(variant, name)


SPECIAL = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0, 0.0, 0.5, -0.5, 1.0, -1.0, 2.5, -2.5])


def special_values(provider: str) -> torch.Tensor:
    """OpenVINO's kernels take nan for a number here and there: relu(nan) is 0 there."""
    return SPECIAL[~SPECIAL.isnan()] if provider == "openvino" else SPECIAL


UNARY = [
    name
    for name in OPERATORS
    if "foreach" not in name
    and name != "aten::bitwise_not"
    and all(len(c.args) == 1 and not c.kwargs for c in all_calls()[name])
]


@pytest.mark.parametrize("name", UNARY)
def test_special_values_come_out_as_on_the_cpu(provider: str, name: str) -> None:
    assert_agrees(Call(all_calls()[name][0].operator, (special_values(provider),), {}), name)


ARITHMETIC = ["add", "sub", "mul", "div", "fmod", "remainder", "floor_divide", "pow", "xlogy", "logaddexp"]
COMPARISONS = ["maximum", "minimum", "fmax", "fmin", "heaviside", "eq", "ne", "lt", "le", "gt", "ge"]


@pytest.mark.parametrize("name", ARITHMETIC + COMPARISONS)
def test_pairs_of_special_values_come_out_as_on_the_cpu(provider: str, name: str) -> None:
    values = special_values(provider)
    by_product = provider == "openvino" and name in ("fmod", "remainder", "floor_divide")  # a - b * floor(a / b)
    a, b = torch.meshgrid(values, values[values.isfinite()] if by_product else values, indexing="ij")
    a, b = a.contiguous(), b.contiguous()
    function = getattr(torch, name)
    actual = function(a.to("ort"), b.to("ort"))
    torch.testing.assert_close(actual.cpu(), function(a, b), equal_nan=True)


@pytest.mark.parametrize("layout", ["transposed", "channels_last", "permuted"])
def test_elementwise_results_keep_their_arguments_layout(layout: str) -> None:
    x = torch.randn(2, 3, 4, 5)
    make = {
        "transposed": lambda t: t.transpose(1, 3),
        "channels_last": lambda t: t.contiguous(memory_format=torch.channels_last),
        "permuted": lambda t: t.permute(3, 0, 2, 1),
    }[layout]
    on_cpu = make(x)
    on_ort = make(x.to("ort")) if layout != "channels_last" else on_cpu.to("ort")
    _torch.reset_calls()
    for function in (torch.exp, lambda t: t * 2 + t, lambda t: t.clone().mul_(3)):
        actual, expected = function(on_ort), function(on_cpu)
        assert actual.stride() == expected.stride()
        torch.testing.assert_close(actual.cpu(), expected)
    assert all(native == 0 for name, (_, native) in _torch.calls().items() if name not in {"aten::clone"})


def test_partly_overlapping_target_raises_as_on_the_cpu() -> None:
    for device in ("cpu", "ort"):
        x = torch.arange(8.0).to(device)
        with pytest.raises(RuntimeError, match="unsupported operation"):
            torch.add(x[1:], 1, out=x[:-1])


def test_numbers_are_inputs_of_the_graph_so_that_a_new_one_compiles_nothing() -> None:
    x = torch.randn(3, 5).to("ort")
    x.mul_(0.5)
    before = _torch.plan_stats()
    for step in range(2, 20):
        x.mul_(0.5 + step)
    assert _torch.plan_stats() == before


def test_shapes_share_a_compiled_graph_where_the_provider_takes_any(provider: str) -> None:
    torch.randn(3, 7).to("ort").sigmoid()
    before = _torch.plan_stats()
    for rows in range(10, 20):
        torch.randn(rows, 7).to("ort").sigmoid()
    after = _torch.plan_stats()
    assert (after["planned"] - before["planned"], after["compiled"] - before["compiled"]) == (
        10,
        {"cpu": 0, "openvino": 10}[provider],
    )


def test_position_out_of_range_raises_what_it_raises_on_the_cpu() -> None:
    weight, index = torch.randn(4, 3), torch.tensor([0, 4])
    for device in ("cpu", "ort"):
        with pytest.raises(IndexError, match="index out of range in self"):
            torch.nn.functional.embedding(index.to(device), weight.to(device))


def test_training_a_perceptron_runs_on_onnx_runtime_but_for_views_and_copies() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3)).to("ort")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x, y = torch.randn(32, 8).to("ort"), torch.randint(0, 3, (32,)).to("ort")
    _torch.reset_calls()
    for _ in range(3):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    native = {name for name, (_, count) in _torch.calls().items() if count}
    views_and_copies = {"aten::t", "aten::view", "aten::detach", "aten::as_strided", "aten::copy_", "aten::clone"}
    assert native <= views_and_copies
