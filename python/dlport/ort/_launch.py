"""One ONNX operator, called by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dlport._core import Tensor
from dlport.ort import _native
from dlport.ort._devices import device_index
from dlport.ort._graph import OPSET
from dlport.ort._native import set_launch_capacity, strided_copies

__all__ = ["LaunchCounters", "launch", "launch_counters", "set_launch_capacity", "strided_copies"]


class LaunchCounters(NamedTuple):
    """What the cache of compiled operators did since the process started, and what it holds."""

    hits: int
    misses: int
    size: int
    capacity: int


def launch_counters() -> LaunchCounters:
    return LaunchCounters(*_native.launch_counters())


def launch(
    op: str,
    inputs: Sequence[Any],
    /,
    *,
    domain: str = "",
    opset: int = OPSET,
    device: int | str = 0,
    outputs: int | Sequence[bool] = 1,
    out: Sequence[Any] | None = None,
    **attributes: Any,
) -> list[Tensor]:
    """Runs an ONNX operator on tensors of any framework and returns its outputs.

    inputs: DLPack tensors; None for an optional input left out. Strided ones are copied, which strided_copies() counts.
    outputs: how many of the operator's outputs to return, or which: [False, True] is the second alone.
    out: row-major tensors to write the outputs into, one for each; they are returned.
    attributes: int, float, str, bytes, lists of one of these, tensors, Graphs. An attribute that ONNX calls a float
        wants a Python float.

    The operator is compiled on its first call with such dtypes, ranks and attributes, and cached. NotImplementedError
    carries ONNX Runtime's words for an operator, attribute or dtype that it does not have.
    """
    wanted = [True] * outputs if isinstance(outputs, int) else outputs
    index = device if isinstance(device, int) else device_index(device)
    return _native.launch(op, inputs, attributes, domain, opset, index, wanted, out)
