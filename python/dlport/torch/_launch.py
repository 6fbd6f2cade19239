"""ONNX operators by name, on ort tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.utils.dlpack

from dlport import ort
from dlport.torch._index import index_of
from dlport.torch._share import share


def launch(
    op: str, inputs: Sequence[torch.Tensor | None], /, *, out: Sequence[torch.Tensor] | None = None, **options: Any
) -> list[torch.Tensor]:
    """Runs an ONNX operator on ort tensors and returns its outputs as ort tensors, without a copy.

    For operators that PyTorch has no name for, such as those of domain "com.microsoft". It runs on the device of the
    first input, and autograd does not see it.

    inputs: ort tensors; None for an optional input left out.
    out: contiguous ort tensors to write the outputs into, one for each; they are returned.
    options: the operator's attributes, and the domain, opset and outputs of `dlport.ort.launch`.
    """
    device = next((tensor.device for tensor in inputs if tensor is not None), None)
    index = index_of(device)
    detached = [None if tensor is None else tensor.detach() for tensor in inputs]
    if out is not None:
        ort.launch(op, detached, device=index, out=[tensor.detach() for tensor in out], **options)
        return list(out)
    results = ort.launch(op, detached, device=index, **options)
    return [share(torch.utils.dlpack.from_dlpack(result), f"ort:{index}") for result in results]
