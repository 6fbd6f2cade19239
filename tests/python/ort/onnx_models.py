"""Small ONNX models for the tests of dlport.ort."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx
from onnx import helper

OPSET = 18

#: An input or output: name, element type, shape (None: even the rank is open).
Info = tuple[str, int, Sequence[int | str | None] | None]


def model_of(nodes: list[onnx.NodeProto], inputs: list[Info], outputs: list[Info], **graph: Any) -> onnx.ModelProto:
    infos = [[helper.make_tensor_value_info(*info) for info in infos] for infos in (inputs, outputs)]
    return helper.make_model(
        helper.make_graph(nodes, "g", *infos, **graph),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=9,
    )
