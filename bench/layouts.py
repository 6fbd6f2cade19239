"""Strided copies and casts beside PyTorch's and NumPy's: python bench/layouts.py

Each row copies between two tensors that exist already, through dlport's C function, `torch.Tensor.copy_` and
`numpy.copyto`, in turns, in one run. A time is the best of the turns, a ratio that of the two bests: ours to the faster
of the two peers.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

import dlport

ROUNDS, SECONDS = 10, 0.02
console = Console()
library = ctypes.CDLL(str(next(Path(dlport.__file__).parent.glob("libdlport.so*"))))
library.dlport_copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p]

LAYOUTS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "contiguous, 16 M elements": ((1 << 24,), (0,)),
    "transpose 256 x 256": ((256, 256), (1, 0)),
    "transpose 1000 x 1000": ((1000, 1000), (1, 0)),
    "transpose 1024 x 1024": ((1024, 1024), (1, 0)),
    "transpose 4096 x 4096": ((4096, 4096), (1, 0)),
    "NCHW to NHWC, 64 channels": ((8, 64, 56, 56), (0, 2, 3, 1)),
    "NHWC to NCHW, 64 channels": ((8, 56, 56, 64), (0, 3, 1, 2)),
    "NCHW to NHWC, 3 channels": ((8, 3, 224, 224), (0, 2, 3, 1)),
    "NHWC to NCHW, 3 channels": ((8, 224, 224, 3), (0, 3, 1, 2)),
    "heads 8 x 128 x 12 x 64": ((8, 128, 12, 64), (0, 2, 1, 3)),
    "batched transpose 64 x 100 x 200": ((64, 100, 200), (0, 2, 1)),
    "all axes of 32^4 reversed": ((32,) * 4, (3, 2, 1, 0)),
    "all axes of 10^6 reversed": ((10,) * 6, (5, 4, 3, 2, 1, 0)),
}
DTYPES = (torch.uint8, torch.int16, torch.float32, torch.float64, torch.complex128)
CASTS = (
    (torch.float32, torch.float16),
    (torch.float16, torch.float32),
    (torch.float32, torch.bfloat16),
    (torch.float32, torch.float64),
    (torch.float32, torch.int32),
    (torch.uint8, torch.float32),
    (torch.float32, torch.uint8),
    (torch.float8_e4m3fn, torch.float32),
)


class DLTensor(ctypes.Structure):
    """DLPack's own structure, over a PyTorch tensor's memory."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]
    CODES = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "complex": 5, "float8_e4m3fn": 10}

    def __init__(self, tensor: torch.Tensor) -> None:
        name = str(tensor.dtype).removeprefix("torch.")
        code = self.CODES.get(name, self.CODES.get(name.rstrip("0123456789")))
        vector = ctypes.c_int64 * tensor.ndim
        shape, strides = vector(*tensor.shape), vector(*tensor.stride())
        super().__init__(tensor.data_ptr(), 1, 0, tensor.ndim, code, 8 * tensor.itemsize, 1, shape, strides, 0)


def ours(dst: torch.Tensor, src: torch.Tensor) -> Callable[[], object]:
    to, frm, call = ctypes.byref(DLTensor(dst)), ctypes.byref(DLTensor(src)), library.dlport_copy

    def copy() -> None:
        assert call(to, frm) == 0

    return copy


def bests(calls: list[Callable[[], object]]) -> list[float]:
    """The best time of each call in microseconds, over rounds that take turns.

    Threads of the one before may still be looking for work on the cores that the next one needs, so each waits first,
    and then is called for long enough that its own threads are awake.
    """
    best = [float("inf")] * len(calls)
    for _ in range(ROUNDS):
        for i, call in enumerate(calls):
            time.sleep(0.01)
            until = time.perf_counter() + SECONDS
            while (start := time.perf_counter()) < until:
                call()
                best[i] = min(best[i], 1e6 * (time.perf_counter() - start))
    return best


def row(table: Table, name: str, dtype: str, dst: torch.Tensor, src: torch.Tensor) -> None:
    calls = [ours(dst, src), lambda: dst.copy_(src)]
    try:
        to, frm = dst.numpy(), src.numpy()
        calls.append(lambda: np.copyto(to, frm, casting="unsafe"))
    except TypeError:  # NumPy has no such dtype
        pass
    mine, *peers = bests(calls)
    numpy_time = f"{peers[1]:.0f}" if len(peers) > 1 else ""
    table.add_row(name, dtype, f"{peers[0]:.0f}", numpy_time, f"{mine:.0f}", f"{mine / min(peers):.2f}")


def main() -> None:
    headings = ("PyTorch, µs", "NumPy, µs", "dlport, µs", "ratio")
    table = Table("copy", "dtype", *headings, title=f"Copies, {torch.get_num_threads()} threads")
    for name, (shape, axes) in LAYOUTS.items():
        for dtype in DTYPES:
            src = torch.ones(shape, dtype=dtype).permute(axes)
            row(table, name, str(dtype).removeprefix("torch."), torch.zeros(src.shape, dtype=dtype), src)
    console.print(table)
    table = Table("cast of 1 M elements", "to", *headings, title="Casts")
    for frm, to in CASTS:
        src = torch.rand(1 << 20).mul(100).to(frm)
        row(table, str(frm).removeprefix("torch."), str(to).removeprefix("torch."), torch.zeros(1 << 20, dtype=to), src)
    console.print(table)


if __name__ == "__main__":
    main()
