"""From which size on PyTorch's own kernels are the faster ones: python bench/crossover.py [NAME ...]

Each operator runs on ONNX Runtime and on PyTorch's kernel in turns, both as an eager call on the ort device. A cell is
the median ratio of the two times: below 1, ONNX Runtime is faster. src/torch/lowering/crossover.cpp follows from this
table.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F
from rich.console import Console
from rich.progress import track
from rich.table import Table

import dlport.torch

SIZES = [2**n for n in (8, 12, 14, 15, 16, 17, 18, 20, 22)]
ROUNDS = 9
aten = torch.ops.aten


def matrix(n: int) -> torch.Tensor:
    """About n elements in rows of at most 256."""
    return torch.randn(max(1, n // 256), min(n, 256))


def square(n: int) -> torch.Tensor:
    side = int(n**0.5)
    return torch.randn(side, side)


def tensors(n: int) -> list[torch.Tensor]:
    """16 of them with n elements in all, as of a small model's parameters."""
    return [torch.randn(n // 16) for _ in range(16)]


def image(n: int) -> torch.Tensor:
    side = int((n / 16) ** 0.5)
    return torch.randn(1, 16, side, side)


Call = tuple[Callable[..., object], list[torch.Tensor]]
OPERATORS: dict[str, Callable[[int], Call]] = {
    "relu": lambda n: (torch.relu, [matrix(n)]),
    "add": lambda n: (torch.add, [matrix(n), matrix(n)]),
    "add_": lambda n: (lambda a, b: a.add_(b, alpha=1e-6), [matrix(n), matrix(n)]),
    "mul": lambda n: (torch.mul, [matrix(n), matrix(n)]),
    "mul by number": lambda n: (lambda a: a * 1.5, [matrix(n)]),
    "add row": lambda n: (torch.add, [matrix(n), torch.randn(min(n, 256))]),
    "div": lambda n: (torch.div, [matrix(n), matrix(n)]),
    "sqrt": lambda n: (torch.sqrt, [matrix(n).abs()]),
    "exp": lambda n: (torch.exp, [matrix(n)]),
    "log": lambda n: (torch.log, [matrix(n).abs()]),
    "tanh": lambda n: (torch.tanh, [matrix(n)]),
    "sigmoid": lambda n: (torch.sigmoid, [matrix(n)]),
    "sin": lambda n: (torch.sin, [matrix(n)]),
    "erf": lambda n: (torch.erf, [matrix(n)]),
    "gelu": lambda n: (F.gelu, [matrix(n)]),
    "silu": lambda n: (F.silu, [matrix(n)]),
    "hardswish": lambda n: (F.hardswish, [matrix(n)]),
    "leaky_relu": lambda n: (F.leaky_relu, [matrix(n)]),
    "pow": lambda n: (lambda a: a**3.5, [matrix(n).abs()]),
    "clamp": lambda n: (lambda a: a.clamp(-1, 1), [matrix(n)]),
    "lt": lambda n: (torch.lt, [matrix(n), matrix(n)]),
    "where": lambda n: (torch.where, [matrix(n) > 0, matrix(n), matrix(n)]),
    "masked_fill": lambda n: (lambda a, m: a.masked_fill(m, 0.5), [matrix(n), matrix(n) > 0]),
    "addcmul": lambda n: (torch.addcmul, [matrix(n), matrix(n), matrix(n)]),
    "lerp": lambda n: (lambda a, b: torch.lerp(a, b, 0.3), [matrix(n), matrix(n)]),
    "threshold_backward": lambda n: (lambda g, a: aten.threshold_backward(g, a, 0), [matrix(n), matrix(n)]),
    "gelu_backward": lambda n: (lambda g, a: aten.gelu_backward(g, a), [matrix(n), matrix(n)]),
    "tanh_backward": lambda n: (aten.tanh_backward, [matrix(n), matrix(n)]),
    "sum": lambda n: (torch.sum, [matrix(n)]),
    "sum rows": lambda n: (lambda a: a.sum(-1), [matrix(n)]),
    "sum columns": lambda n: (lambda a: a.sum(0), [matrix(n)]),
    "mean rows": lambda n: (lambda a: a.mean(-1), [matrix(n)]),
    "amax rows": lambda n: (lambda a: a.amax(-1), [matrix(n)]),
    "max": lambda n: (torch.max, [matrix(n)]),
    "argmax rows": lambda n: (lambda a: a.argmax(-1), [matrix(n)]),
    "var rows": lambda n: (lambda a: a.var(-1), [matrix(n)]),
    "cumsum": lambda n: (lambda a: a.cumsum(-1), [matrix(n)]),
    "norm": lambda n: (torch.linalg.vector_norm, [matrix(n)]),
    "softmax": lambda n: (lambda a: a.softmax(-1), [matrix(n)]),
    "log_softmax": lambda n: (lambda a: a.log_softmax(-1), [matrix(n)]),
    "softmax backward": lambda n: (
        lambda g, p: aten._softmax_backward_data(g, p, -1, torch.float32),
        [matrix(n), matrix(n).softmax(-1)],
    ),
    "log_softmax backward": lambda n: (
        lambda g, p: aten._log_softmax_backward_data(g, p, -1, torch.float32),
        [matrix(n), matrix(n).log_softmax(-1)],
    ),
    "mm": lambda n: (torch.mm, [square(n), square(n)]),
    "addmm": lambda n: (torch.addmm, [torch.randn(int(n**0.5)), square(n), square(n)]),
    "bmm": lambda n: (torch.bmm, [square(n // 4).expand(4, -1, -1).clone(), square(n // 4).expand(4, -1, -1).clone()]),
    "conv 3x3": lambda n: (lambda x, w: F.conv2d(x, w, padding=1), [image(n), torch.randn(16, 16, 3, 3)]),
    "conv backward": lambda n: (
        lambda g, x, w: aten.convolution_backward(
            g, x, w, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, False]
        ),
        [image(n), image(n), torch.randn(16, 16, 3, 3)],
    ),
    "max_pool": lambda n: (lambda x: F.max_pool2d(x, 2), [image(n)]),
    "avg_pool": lambda n: (lambda x: F.avg_pool2d(x, 2), [image(n)]),
    "layer_norm": lambda n: (lambda x: F.layer_norm(x, x.shape[-1:]), [matrix(n)]),
    "group_norm": lambda n: (lambda x: F.group_norm(x, 4), [image(n)]),
    "batch_norm": lambda n: (
        lambda x, m, v: F.batch_norm(x, m, v, training=True),
        [image(n), torch.zeros(16), torch.ones(16)],
    ),
    "batch_norm eval": lambda n: (lambda x, m, v: F.batch_norm(x, m, v), [image(n), torch.zeros(16), torch.ones(16)]),
    "upsample": lambda n: (lambda x: F.interpolate(x, scale_factor=2), [image(n // 4)]),
    "cat": lambda n: (lambda a, b: torch.cat([a, b]), [matrix(n), matrix(n)]),
    "stack": lambda n: (lambda a, b: torch.stack([a, b]), [matrix(n), matrix(n)]),
    "gather": lambda n: (lambda a, i: a.gather(0, i), [matrix(n), torch.zeros_like(matrix(n), dtype=torch.int64)]),
    "index_select": lambda n: (
        lambda a, i: a.index_select(0, i),
        [matrix(n), torch.randint(0, max(1, n // 256), (max(1, n // 256),))],
    ),
    "embedding": lambda n: (F.embedding, [torch.randint(0, 64, (max(1, n // 64),)), torch.randn(64, 64)]),
    "topk": lambda n: (lambda a: a.topk(min(8, a.shape[-1])), [matrix(n)]),
    "sort": lambda n: (torch.sort, [matrix(n)]),
    "nll_loss": lambda n: (F.nll_loss, [torch.randn(max(1, n // 16), 16), torch.randint(0, 16, (max(1, n // 16),))]),
    "zero_": lambda n: (torch.zero_, [matrix(n)]),
    "16 tensors mul_": lambda n: (lambda *a: torch._foreach_mul_(a, 0.9), tensors(n)),
    "16 tensors sqrt": lambda n: (lambda *a: torch._foreach_sqrt(a), [t.abs() for t in tensors(n)]),
    "16 tensors add_ alpha": lambda n: (lambda *a: torch._foreach_add_(a[:16], a[16:], alpha=0.1), 2 * tensors(n)),
    "16 tensors lerp_": lambda n: (lambda *a: torch._foreach_lerp_(a[:16], a[16:], 0.1), 2 * tensors(n)),
    "16 tensors addcdiv_": lambda n: (
        lambda *a: torch._foreach_addcdiv_(a[:16], a[16:32], a[32:], 0.1),
        [t.abs() + 1 for t in 3 * tensors(n)],
    ),
    "mse_loss": lambda n: (F.mse_loss, [matrix(n), matrix(n)]),
    "attention": lambda n: (
        F.scaled_dot_product_attention,
        [torch.randn(1, 4, max(1, n // 256), 64) for _ in range(3)],
    ),
}


def seconds(call: Callable[[], object], repeat: int) -> float:
    start = time.perf_counter()
    for _ in range(repeat):
        call()
    return (time.perf_counter() - start) / repeat


def ratio(function: Callable[..., object], arguments: list[torch.Tensor]) -> float | None:
    """Lowered time over native time; None where no lowering takes the call."""

    def call() -> object:
        return function(*arguments)

    dlport.torch.set_lowering("always")
    dlport.torch.reset_stats()
    call()
    if dlport.torch.stats()["native"]:
        return None
    repeat = max(1, int(0.004 / max(seconds(call, 3), 1e-6)))
    rounds = []
    for _ in range(ROUNDS):
        dlport.torch.set_lowering("always")
        lowered = seconds(call, repeat)
        dlport.torch.set_lowering("never")
        rounds.append(lowered / seconds(call, repeat))
    return statistics.median(rounds)


def main(names: list[str]) -> None:
    torch.manual_seed(0)
    table = Table("operator", *(f"{n:,}" for n in SIZES), title="Time on ONNX Runtime / time on PyTorch's kernel")
    chosen = [name for name in OPERATORS if not names or name in names]
    for name in track(chosen, "measuring", transient=True):
        cells = []
        for n in SIZES:
            if name == "attention" and n > 2**18:
                cells.append("")
                continue
            function, arguments = OPERATORS[name](n)
            found = ratio(function, [argument.to("ort") for argument in arguments])
            cells.append("native" if found is None else f"{found:.2f}")
        table.add_row(name, *cells)
    Console(width=140).print(table)


if __name__ == "__main__":
    with torch.no_grad():
        main(sys.argv[1:])
