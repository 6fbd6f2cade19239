"""What one eager operator costs on "ort" beside "cpu": 4 floats, 1k and 1M, in one run.

    python bench/torch_ops.py [--json FILE]

Microseconds a call; the two devices take turns, and the best of several turns counts.
"""

from __future__ import annotations

import argparse
import json
import timeit
from collections.abc import Callable
from typing import Any

import torch

import dlport.torch  # noqa: F401  registers "ort"

SIZES = {"4": 4, "1k": 1024, "1M": 1 << 20}
TURNS = 7
SECONDS_PER_TURN = 0.03


def square(x: torch.Tensor) -> torch.Tensor:
    """The largest square matrix in `x`."""
    side = int(x.numel() ** 0.5)
    return x[: side * side].view(side, side)


def rows(x: torch.Tensor) -> torch.Tensor:
    return x.view(-1, min(x.numel(), 256))


def heads(x: torch.Tensor) -> torch.Tensor:
    """`x` as 4 heads of sequences, or as one item of one."""
    return x.view(1, 4, -1, 64) if x.numel() >= 256 else x.view(1, 1, 1, -1)


OPERATORS: dict[str, Callable[[torch.Tensor], Any]] = {
    "add": lambda x: x + x,
    "mul": lambda x: x * x,
    "relu": lambda x: torch.relu(x),
    "matmul": lambda x: square(x) @ square(x),
    "softmax": lambda x: torch.softmax(rows(x), -1),
    "sum": lambda x: x.sum(),
    "cat": lambda x: torch.cat([x, x]),
    "attention": lambda x: torch.nn.functional.scaled_dot_product_attention(heads(x), heads(x), heads(x)),
    "layer_norm": lambda x: torch.nn.functional.layer_norm(rows(x), rows(x).shape[-1:]),
}


def measure(work: Callable[[], Any]) -> Callable[[], float]:
    """Times `work` once more at each call; microseconds a piece."""
    timer = timeit.Timer(work)
    for _ in range(3):
        work()
    count = max(1, int(SECONDS_PER_TURN / max(min(timer.repeat(3, 1)), 1e-7)))
    return lambda: timer.timeit(count) / count * 1e6


def compare(function: Callable[[torch.Tensor], Any], size: int) -> tuple[float, float]:
    x = torch.randn(size)
    turns = [measure(lambda t=t: function(t)) for t in (x, x.to("ort"))]
    times = [[turn() for turn in turns] for _ in range(TURNS)]
    return min(cpu for cpu, _ in times), min(ort for _, ort in times)


def table() -> list[dict[str, Any]]:
    result = []
    for name, function in OPERATORS.items():
        for label, size in SIZES.items():
            cpu, ort = compare(function, size)
            result.append({"work": f"{name}, {label} floats", "peer": cpu, "ours": ort, "ratio": ort / cpu})
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the rows there as well")
    arguments = parser.parse_args()
    result = table()
    print(f"{'eager operator':28}{'cpu (us)':>12}{'ort (us)':>12}{'ort / cpu':>12}")
    for row in result:
        print(f"{row['work']:28}{row['peer']:12.2f}{row['ours']:12.2f}{row['ratio']:12.2f}")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
