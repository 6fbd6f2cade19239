"""DLPORT_LOWERING and DLPORT_FALLBACK: which way an operator takes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

import dlport.torch

SMALL, LARGE = 64, 1 << 15


@pytest.fixture(autouse=True)
def defaults() -> Iterator[None]:
    yield
    dlport.torch.set_lowering("auto")
    dlport.torch.set_fallback("native")


def way_of(operator: str, size: int) -> str:
    x = torch.full((size,), 0.5)
    y = x.to("ort")
    dlport.torch.reset_stats()
    result = getattr(torch, operator)(y)
    stats = dlport.torch.stats()
    torch.testing.assert_close(result.cpu(), getattr(torch, operator)(x))
    assert stats["lowered"] + stats["native"] == 1
    return "lowered" if stats["lowered"] else "native"


@pytest.mark.parametrize(
    ("mode", "ways"),
    [
        ("auto", {("neg", SMALL): "lowered", ("neg", LARGE): "native", ("tanh", LARGE): "lowered"}),
        ("auto", {("zero_", SMALL): "native"}),
        ("always", {("neg", SMALL): "lowered", ("neg", LARGE): "lowered", ("lgamma", SMALL): "native"}),
        ("never", {("neg", SMALL): "native", ("tanh", LARGE): "native"}),
    ],
)
def test_lowering_mode_decides(mode: str, ways: dict[tuple[str, int], str]) -> None:
    dlport.torch.set_lowering(mode)
    assert {case: way_of(*case) for case in ways} == ways


def test_forbidden_fallback_lowers_whatever_has_a_lowering() -> None:
    dlport.torch.set_fallback("error")
    assert way_of("neg", LARGE) == "lowered"
    with pytest.raises(NotImplementedError, match="DLPORT_FALLBACK=error"):
        torch.lgamma(torch.ones(2, device="ort"))


def test_each_native_operator_is_named_once() -> None:
    dlport.torch.set_fallback("warn")
    x = torch.ones(2, device="ort")
    with pytest.warns(UserWarning, match="aten::igamma runs on PyTorch's native kernel"):
        torch.igamma(x, x)


@pytest.mark.parametrize("setter", [dlport.torch.set_lowering, dlport.torch.set_fallback])
def test_mode_that_does_not_exist(setter: object) -> None:
    with pytest.raises(ValueError, match="'maybe' is not one of"):
        setter("maybe")  # type: ignore[operator]
