"""What programs written for ONNX Runtime's first eager mode asked of the device."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
import torch

import dlport.torch  # noqa: F401  registers "ort"

pytestmark = pytest.mark.usefixtures("provider")


def same(function: Callable[..., Any], *arguments: Any) -> None:
    """Asserts that `function` gives the same for tensors on either device."""

    def there(value: Any) -> Any:
        return value.to("ort") if isinstance(value, torch.Tensor) else value

    expected = function(*arguments)
    actual = function(*(there(value) for value in arguments))
    for ours, theirs in zip(flat(actual), flat(expected), strict=True):
        assert ours.device.type == "ort"
        assert (ours.dtype, ours.shape, ours.stride()) == (theirs.dtype, theirs.shape, theirs.stride())
        torch.testing.assert_close(ours.cpu(), theirs, equal_nan=True)


def flat(result: Any) -> list[torch.Tensor]:
    return [result] if isinstance(result, torch.Tensor) else list(result)


SIX = torch.arange(1.0, 7.0).view(2, 3) / 8
GRID = torch.arange(12.0).view(3, 4)

CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "reshape to one axis": (lambda t: t.reshape(-1), (GRID.t(),)),
    "view": (lambda t: t.view(2, 6), (GRID,)),
    "view, one size left open": (lambda t: t.view(-1, 2), (GRID,)),
    "as_strided": (lambda t: t.as_strided((2, 2), (1, 2)), (GRID,)),
    "product of a strided window": (lambda t: torch.addmm(t[:2, :2], t[:2], t.t()[:, :2]), (GRID,)),
    "bfloat16 slice": (lambda t: t[:, :128], (torch.arange(128 * 256).bfloat16().view(128, 256),)),
    "product of truths": (torch.mul, (GRID > 3, GRID < 9)),
    "int64 and float32": (torch.add, (torch.arange(3), torch.tensor([0.5, 1.5, 2.5]))),
    "int64 and a fraction": (lambda t: t + 1.1, (torch.arange(3),)),
    "int32 and int64": (torch.add, (torch.arange(3, dtype=torch.int32), torch.arange(3))),
    "truths and numbers": (torch.bitwise_and, (torch.tensor([True, False]), torch.tensor([5, 7]))),
    "masked_select": (torch.masked_select, (GRID, GRID > 4)),
    "masked_select of a broadcast mask": (torch.masked_select, (GRID, torch.tensor([True, False, True, True]))),
    "nonzero": (torch.nonzero, (torch.tensor([[-1, 0, 1], [0, 1, 0]]),)),
    "nonzero of fractions": (torch.nonzero, (torch.tensor([[-0.5, 0, 1.0], [0, 1, float("nan")]]),)),
    "largest": (torch.max, (GRID,)),
    "smallest": (torch.min, (GRID,)),
    "argmax": (torch.argmax, (GRID,)),
    "argmax along an axis": (lambda t: torch.argmax(t, 1), (GRID,)),
    "argmax along an axis that stays": (lambda t: torch.argmax(t, -2, keepdim=True), (GRID,)),
    "narrow": (lambda t: t.narrow(1, 1, 2), (GRID,)),
    "softmax": (lambda t: torch.softmax(t, 0), (SIX,)),
    "log_softmax": (lambda t: torch.log_softmax(t, -1), (SIX,)),
    "addmm with factors": (lambda a, b: torch.addmm(a, b, b.t()[:, :3], beta=0.5, alpha=2), (SIX[:, :1], SIX)),
    "zeros_like": (torch.zeros_like, (GRID.t(),)),
    "in place": (lambda t: t.clone().add_(t), (GRID,)),
    "fill with a truth": (lambda t: torch.full_like(t, True).fill_(True), (torch.arange(3),)),
    "fill with a fraction": (lambda t: t.clone().fill_(1.1), (torch.arange(3),)),
    "fill below zero": (lambda t: t.clone().fill_(-1), (GRID,)),
}


@pytest.mark.parametrize("name", CALLS)
def test_result_is_that_of_cpu(name: str) -> None:
    function, arguments = CALLS[name]
    same(function, *arguments)


POINTWISE = {
    "abs": torch.tensor([-1, -2, 3, -6, -7]),
    "acosh": SIX + 1,
}
for name in ("acos", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "floor", "log", "neg"):
    POINTWISE[name] = SIX
for name in ("reciprocal", "relu", "round", "sigmoid", "sin", "sinh", "sqrt", "tan", "tanh"):
    POINTWISE[name] = SIX


@pytest.mark.parametrize("name", POINTWISE)
def test_pointwise_operator_in_all_its_forms(name: str) -> None:
    x = POINTWISE[name]
    same(getattr(torch, name), x)
    same(lambda t: getattr(torch, f"{name}_")(t.clone()), x)
    if name != "relu":
        same(lambda t: getattr(torch, name)(t, out=torch.empty(0, dtype=t.dtype, device=t.device)), x)


@pytest.mark.parametrize("symbol", [operator.eq, operator.ne, operator.lt, operator.gt, operator.le, operator.ge])
def test_comparison_with_tensors_and_numbers(symbol: Callable[[Any, Any], Any]) -> None:
    function = getattr(torch, symbol.__name__)
    a, b = torch.tensor([1.0, 1.5, 2.0, float("nan")]), torch.tensor([1.0, 1.4, 2.1, 2.4])
    same(symbol, a, b)
    same(symbol, a, 1.5)
    same(symbol, torch.tensor([1, 2], dtype=torch.int32), torch.tensor(2, dtype=torch.int32))
    for dtype in (torch.float32, torch.bool):
        same(lambda x, y: function(x, y, out=torch.empty(0, dtype=dtype, device=x.device)), a, b)  # noqa: B023


@pytest.mark.parametrize("symbol", [operator.add, operator.sub, operator.mul, operator.truediv])
@pytest.mark.parametrize("other", [GRID + 1, 3.1], ids=["tensor", "number"])
def test_arithmetic_with_tensors_and_numbers(symbol: Callable[[Any, Any], Any], other: Any) -> None:
    name = {"truediv": "div"}.get(symbol.__name__, symbol.__name__)
    same(symbol, GRID, other)
    same(lambda a, b: getattr(torch, name)(a, b, out=torch.empty(0, device=a.device)), GRID, other)
    if name in ("add", "sub"):
        same(lambda a, b: getattr(torch, name)(a, b, alpha=2.5), GRID, other)


def test_resize_keeps_what_fits() -> None:
    for start, sizes in (([], (2, 3)), ([4], (4,)), ([6], (2, 3)), ([9], (2, 2))):
        same(lambda t: t.clone().resize_(sizes)[..., :0], torch.ones(start))  # noqa: B023
        resized = torch.arange(9.0, device="ort").resize_(sizes)
        assert resized.flatten().tolist() == list(range(resized.numel()))


def test_tensor_without_a_stride_keeps_it_on_the_way_to_the_cpu() -> None:
    tensor = torch.empty_strided((2, 3, 4), (0, 0, 0), device="ort").fill_(7)
    assert tensor.untyped_storage().nbytes() == 4
    assert tensor.cpu().stride() == torch.empty_strided((2, 3, 4), (0, 0, 0)).to("cpu", copy=True).stride()
    assert (tensor.cpu() == 7).all()


def test_equality_sees_values_shapes_and_ranks() -> None:
    x = GRID.to("ort")
    assert torch.equal(x, GRID.to("ort"))
    assert not torch.equal(x, (GRID + 1).to("ort"))
    assert not torch.equal(x, GRID.t().to("ort"))
    assert not torch.equal(x, GRID.view(-1).to("ort"))


@pytest.mark.parametrize(
    "call",
    [
        lambda d: torch.mm(torch.ones(1, 1, device=d), torch.ones(2, 2, device=d)),
        lambda d: torch.mm(torch.ones(1, 1, device=d), torch.ones(1, 1, dtype=torch.int, device=d)),
        lambda d: torch.mm(torch.ones(1, 1, device=d), torch.ones(1, device=d)),
        lambda d: torch.add(torch.ones(2, device=d), 1.5, out=torch.empty(0, dtype=torch.int, device=d)),
        lambda d: torch.ones(2, 3, device=d).view(7),
        lambda d: torch.ones(2, 3, device=d).narrow(1, 2, 2),
        lambda d: torch.softmax(torch.ones(2, device=d), 3),
    ],
    ids=["sizes", "dtypes", "rank", "out", "view", "narrow", "axis"],
)
def test_error_is_that_of_cpu(call: Callable[[str], Any]) -> None:
    with pytest.raises(Exception) as expected:  # noqa: PT011  the cpu says which
        call("cpu")
    with pytest.raises(expected.type) as actual:
        call("ort")
    assert str(actual.value).splitlines()[0] == str(expected.value).splitlines()[0]


def test_onnx_operator_runs_by_name() -> None:
    x = GRID.to("ort")
    (product,) = torch.ort.launch("Gemm", [x, x.t(), None], alpha=2.0)
    assert product.device == x.device
    torch.testing.assert_close(product.cpu(), 2 * GRID @ GRID.t())
    (joined,) = torch.ort.launch("Concat", [x, x, x], axis=1)
    torch.testing.assert_close(joined.cpu(), GRID.repeat(1, 3))
    (gelu,) = torch.ort.launch("Gelu", [x], domain="com.microsoft", opset=1)
    torch.testing.assert_close(gelu.cpu(), torch.nn.functional.gelu(GRID))


def test_onnx_operator_writes_into_given_tensors() -> None:
    x = GRID.to("ort")
    values, places = torch.empty(3, 2, device="ort"), torch.empty(3, 2, dtype=torch.int64, device="ort")
    results = torch.ort.launch("TopK", [x, torch.tensor([2], device="ort")], outputs=2, out=[values, places])
    assert results[0] is values
    assert results[1] is places
    torch.testing.assert_close(values.cpu(), GRID.topk(2).values)
    torch.testing.assert_close(places.cpu(), GRID.topk(2).indices)


def test_onnx_operator_leaves_autograd_alone() -> None:
    weight = torch.ones(3, 4, device="ort", requires_grad=True)
    (result,) = torch.ort.launch("Neg", [weight])
    assert not result.requires_grad


def test_unknown_onnx_operator_is_named() -> None:
    with pytest.raises(NotImplementedError, match="Nothing"):
        torch.ort.launch("Nothing", [GRID.to("ort")])


def test_printed_tensor_names_its_device() -> None:
    assert repr(torch.ones(1, 2, device="ort")) == "tensor([[1., 1.]], device='ort:0')"
