"""Calls of ATen operators, as PyTorch's own operator database makes them: forward and backward, below autograd."""

from __future__ import annotations

import itertools
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import (
    foreach_binary_op_db,
    foreach_other_op_db,
    foreach_pointwise_op_db,
    foreach_reduce_op_db,
    foreach_unary_op_db,
    op_db,
)
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

SAMPLES_PER_ENTRY = 4
CALLS_PER_OPERATOR = 12
DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.bool)
HALF = (torch.float16, torch.bfloat16)


@dataclass
class Call:
    """An operator with arguments on the cpu."""

    operator: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def signature(self) -> str:
        """What calls have in common that go the same way."""

        def shape(value: Any) -> Any:
            return (value.dtype, tuple(value.shape), value.stride()) if isinstance(value, torch.Tensor) else value

        return repr(tree_map(shape, (self.args, self.kwargs)))

    def in_float32(self) -> Call:
        """The same with half types as float32."""
        widen = lambda v: v.float() if isinstance(v, torch.Tensor) and v.dtype in HALF else v
        return Call(self.operator, *tree_map(widen, (self.args, self.kwargs)))

    def run(self, device: str) -> tuple[Any, Any]:
        """The results, and the arguments as they are afterwards."""
        args, kwargs = tree_map(lambda value: place(value, device), (self.args, self.kwargs))
        with torch.no_grad():
            return self.operator(*args, **kwargs), (args, kwargs)


def place(value: Any, device: str) -> Any:
    """A copy of a tensor on `device` with the same layout; a Python number stays one."""
    if isinstance(value, torch.device):
        return torch.device(device)
    if not isinstance(value, torch.Tensor):
        return value
    copy = torch.empty_strided(value.size(), value.stride(), dtype=value.dtype)
    copy.copy_(value)
    return copy.to(device)


class Recorder(TorchDispatchMode):
    """Keeps the calls of the wanted operators; in-place and out= ones are kept as made."""

    def __init__(self, wanted: frozenset[str]) -> None:
        super().__init__()
        self.wanted = wanted
        self.calls: dict[str, dict[str, Call]] = defaultdict(dict)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = func._schema.name + (f".{func._schema.overload_name}" if func._schema.overload_name else "")
        if name in self.wanted and len(self.calls[name]) < CALLS_PER_OPERATOR and is_plain(args, kwargs):
            signature = Call(func, args, kwargs).signature()
            if signature not in self.calls[name]:
                copies = tree_map(lambda v: v.detach().clone() if isinstance(v, torch.Tensor) else v, (args, kwargs))
                self.calls[name][signature] = Call(func, *copies)
        return func(*args, **kwargs)


def is_plain(args: Any, kwargs: Any) -> bool:
    tensors = [value for value in tree_flatten((args, kwargs))[0] if isinstance(value, torch.Tensor)]
    return all(type(tensor) is torch.Tensor and tensor.layout is torch.strided for tensor in tensors)


def exercise(function: Any, sample: Any) -> None:
    result = function(sample.input, *sample.args, **sample.kwargs)
    leaves = [value for value in tree_flatten(result)[0] if isinstance(value, torch.Tensor) and value.requires_grad]
    if leaves:
        torch.autograd.backward(leaves, [torch.randn_like(leaf) for leaf in leaves])


def operators(dtype: torch.dtype) -> Iterator[Callable[[], None]]:
    for entry in op_db:
        if dtype in entry.supported_dtypes("cpu"):
            differentiable = dtype is torch.float32 and entry.supports_autograd
            inputs = entry.sample_inputs("cpu", dtype, requires_grad=differentiable)
            for sample in itertools.islice(inputs, SAMPLES_PER_ENTRY):
                yield partial(exercise, entry, sample)


def lists(dtype: torch.dtype) -> Iterator[Callable[[], None]]:
    databases = (
        foreach_unary_op_db,
        foreach_binary_op_db,
        foreach_pointwise_op_db,
        foreach_reduce_op_db,
        foreach_other_op_db,
    )
    for entry in itertools.chain(*databases):
        if dtype in entry.supported_dtypes("cpu"):
            for sample in entry.sample_inputs("cpu", dtype):
                kwargs = {
                    key: value for key, value in sample.kwargs.items() if key in {"alpha", "value", "weight", "ord"}
                }
                sample.kwargs = kwargs
                yield partial(exercise, entry.method_variant, sample)


def optimizers(dtype: torch.dtype) -> Iterator[Callable[[], None]]:
    def steps(make: Callable[[list[torch.Tensor]], torch.optim.Optimizer]) -> None:
        params = [torch.randn(3, 4, dtype=dtype, requires_grad=True), torch.randn(5, dtype=dtype, requires_grad=True)]
        optimizer = make(params)
        for _ in range(2):
            for param in params:
                param.grad = torch.randn_like(param)
            optimizer.step()

    if dtype in (torch.float32, torch.float64):
        for lr in (0.1, torch.tensor(0.1)):
            for extra in ({}, {"weight_decay": 0.1}, {"maximize": True}):
                yield partial(steps, partial(torch.optim.SGD, lr=lr, fused=True, momentum=0.9, **extra))
                for kind in (torch.optim.Adam, torch.optim.AdamW):
                    yield partial(steps, partial(kind, lr=lr, fused=True, **extra))
            yield partial(steps, partial(torch.optim.SGD, lr=lr, fused=True))
            yield partial(steps, partial(torch.optim.SGD, lr=lr, fused=True, momentum=0.9, nesterov=True))
            yield partial(steps, partial(torch.optim.Adam, lr=lr, fused=True, amsgrad=True))


def others(dtype: torch.dtype) -> Iterator[Callable[[], Any]]:
    """Operators that no database reaches, or not in the way that can be lowered."""
    if dtype is torch.float32:
        aten = torch.ops.aten
        x, image, volume = torch.randn(3, 4), torch.randn(2, 3, 6, 8), torch.randn(2, 3, 4, 6, 8)
        integers, index = torch.tensor([1, 2, 3, 12]), torch.tensor([0, 2])
        yield lambda: aten._foreach_add.Tensor([x, x + 1], torch.tensor(2.0))
        yield lambda: aten._foreach_addcdiv.ScalarList([x, x + 1], [x, x], [x + 9, x + 9], [1.0, 2.5])
        yield lambda: aten._foreach_addcmul.ScalarList([x, x + 1], [x, x], [x + 9, x + 9], [1.0, 2.5])
        yield lambda: aten._foreach_zero([x, image])
        yield lambda: aten._index_put_impl(x, [index], torch.ones(4))
        yield lambda: aten.bitwise_and.Scalar(integers, 6)
        yield lambda: aten.bitwise_or.Scalar(integers, 6)
        yield lambda: aten.bitwise_xor.Scalar(integers, 6)
        yield lambda: aten.clamp_max(x, 0.5)
        yield lambda: aten.div.Scalar_mode(x, 0.3, rounding_mode="floor")
        yield lambda: aten.floor_divide.Scalar(x, 0.3)
        yield lambda: aten.fmod.Scalar(x, 0.3)
        yield lambda: aten.remainder.Scalar(x, 0.3)
        yield lambda: aten.fill.Tensor(x, torch.tensor(2.5))
        yield lambda: aten.zero(x)
        yield lambda: aten.all.dims(x > 0, [0, 1])
        yield lambda: aten.any.dims(x > 0, [1], True)
        for pads in ([1, 2, 0, 1], [2, 1, 1, 1]):
            yield lambda pads=pads: aten.reflection_pad2d(image, pads)
            yield lambda pads=pads: aten.replication_pad2d(image, pads)
            yield lambda pads=pads: aten.reflection_pad3d(volume, [1, 0, *pads])
            yield lambda pads=pads: aten.replication_pad3d(volume, [1, 0, *pads])
        yield lambda: aten.lerp.Tensor(x, x + 1, torch.rand(3, 4))
        yield lambda: aten.upsample_nearest2d(image, [12, 16])
        yield lambda: aten.upsample_nearest3d(volume, [8, 12, 16])
        yield lambda: aten.upsample_nearest1d_backward(image[0], [8], [3, 6, 4])
        yield lambda: aten.upsample_nearest2d_backward(image, [6, 8], [2, 3, 3, 2])
        yield lambda: aten.upsample_nearest3d_backward(volume, [4, 6, 8], [2, 3, 2, 3, 4])


def collect(wanted: frozenset[str]) -> dict[str, list[Call]]:
    # For each sample PyTorch prints the stack of its caller, which is short in a thread of its own.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(collect_here, wanted).result()


def collect_here(wanted: frozenset[str]) -> dict[str, list[Call]]:
    torch.manual_seed(0)
    with warnings.catch_warnings(), Recorder(wanted) as recorder:
        warnings.simplefilter("ignore")
        for dtype in DTYPES:
            for work in itertools.chain(operators(dtype), lists(dtype), optimizers(dtype), others(dtype)):
                try:
                    work()
                except Exception:  # a sample that needs something this machine lacks says nothing about us
                    continue
    return {name: list(calls.values()) for name, calls in recorder.calls.items()}
