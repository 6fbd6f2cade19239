"""One CUDA buffer, seen by every framework here that has CUDA: no copies, and each sees what the others wrote."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dlport

SHAPE = (1024, 256)


def pytorch(tensor: Any) -> Any:
    import torch

    if not torch.cuda.is_available():
        raise ImportError("this PyTorch has no CUDA")
    return torch.from_dlpack(tensor)


def cupy(tensor: Any) -> Any:
    import cupy

    return cupy.from_dlpack(tensor)


def jax(tensor: Any) -> Any:
    import jax

    return jax.dlpack.from_dlpack(tensor)


ADDRESS: dict[Callable[[Any], Any], Callable[[Any], int]] = {
    pytorch: lambda x: x.data_ptr(),
    cupy: lambda x: x.data.ptr,
    jax: lambda x: x.unsafe_buffer_pointer(),
}


def main() -> None:
    import numpy as np

    values = np.arange(SHAPE[0] * SHAPE[1], dtype=np.float32).reshape(SHAPE)
    buffer = dlport.to(values, "cuda:0")
    for framework, address in ADDRESS.items():
        try:
            seen = framework(buffer)
        except ImportError as error:
            print(f"{framework.__name__}: passed over: {error}")
            continue
        if address(seen) != buffer.data_ptr:
            raise SystemExit(f"{framework.__name__} copied the buffer")
        back = np.asarray(dlport.to(dlport.from_dlpack(seen), "cpu:0"))
        if not np.array_equal(back, values):
            raise SystemExit(f"{framework.__name__} sees other values")
        print(f"{framework.__name__}: the same memory, the same values")


if __name__ == "__main__":
    main()
