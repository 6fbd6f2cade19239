"""One call of a model from Python: dlport.ort.Session beside onnxruntime's `run` and `run_with_iobinding`.

    python bench/sessions.py

All are called in turns, so that a drift of the machine's speed meets each; a figure is the best of the turns.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from rich.console import Console
from rich.progress import track
from rich.table import Table

import dlport
from dlport import ort

TURNS = 15


def addition() -> tuple[bytes, dict[str, Any], int]:
    graph = ort.Graph()
    graph.output(graph.node("Add", [graph.input("float32", [None], "x"), graph.input("float32", [None], "y")]), "z")
    ones = np.ones(4, np.float32)
    return graph.to_onnx(), {"x": ones, "y": ones.copy()}, 1000


def file_types() -> tuple[bytes, dict[str, Any], int]:
    """magika's model, on a batch of one."""
    spec = importlib.util.find_spec("magika")
    assert spec is not None
    assert spec.submodule_search_locations
    path = next(Path(spec.submodule_search_locations[0]).rglob("model.onnx"))
    return path.read_bytes(), {"bytes": np.zeros((1, 2048), np.int32)}, 20


def calls(model: bytes, inputs: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # as dlport's threads do
    peer = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    outputs = dict(zip((info.name for info in peer.get_outputs()), peer.run(None, inputs), strict=True))
    binding = peer.io_binding()
    for name, array in inputs.items():
        binding.bind_cpu_input(name, array)
    for name, array in outputs.items():
        binding.bind_output(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)

    ours = ort.Session(model)
    tensors = [dlport.from_dlpack(array) for array in inputs.values()]
    given = {name: dlport.from_dlpack(array) for name, array in outputs.items()}
    arrays = list(inputs.values())
    return {
        "onnxruntime run": lambda: peer.run(None, inputs),
        "onnxruntime run_with_iobinding": lambda: peer.run_with_iobinding(binding),
        "dlport, arrays in, tensors out": lambda: ours.run(arrays),
        "dlport, arrays in, given arrays out": lambda: ours.run(arrays, out=outputs),
        "dlport, tensors in, given tensors out": lambda: ours.run(tensors, out=given),
    }


def best(work: dict[str, Callable[[], Any]], repeat: int, name: str) -> dict[str, float]:
    figures = dict.fromkeys(work, float("inf"))
    for _ in track(range(TURNS), description=name, transient=True):
        for label, call in work.items():
            start = time.perf_counter()
            for _ in range(repeat):
                call()
            figures[label] = min(figures[label], (time.perf_counter() - start) / repeat)
    return figures


def main() -> None:
    for name, (model, inputs, repeat) in {"Add of 4 floats": addition(), "magika, batch 1": file_types()}.items():
        figures = best(calls(model, inputs), repeat, name)
        peer = figures["onnxruntime run"]
        table = Table("call", "µs", "ratio to run", title=name)
        for label, seconds in figures.items():
            table.add_row(label, f"{seconds * 1e6:.2f}", f"{seconds / peer:.2f}")
        Console().print(table)


if __name__ == "__main__":
    main()
