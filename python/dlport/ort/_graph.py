"""Graphs of ONNX operators, built value by value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NewType

from dlport.ort import _native

#: The version of ONNX's own operators that every supported library knows.
OPSET = 21

#: A value in a graph: an input, a constant or a node's output.
Value = NewType("Value", int)


class Graph(_native.Graph):
    """A graph under construction; building one calls nothing of ONNX Runtime. `ort.Session(graph)` compiles it.

    graph = ort.Graph()
    x = graph.input("float32", [None, 3], name="x")
    graph.output(graph.node("Softmax", [x], axis=-1), name="y")
    session = ort.Session(graph)
    """

    def __init__(self, opset: int = OPSET) -> None:
        super().__init__(opset)

    def input(self, dtype: str, shape: Sequence[int | None], name: str = "") -> Value:
        """Adds an input; a dimension of None is dynamic."""
        return Value(super().input(dtype, shape, name))

    def constant(self, tensor: Any) -> Value:
        """Adds a constant: any DLPack tensor, whose memory is shared where it is row-major."""
        return Value(super().constant(tensor))

    def node(  # type: ignore[override]
        self,
        op: str,
        inputs: Sequence[Value | None],
        /,
        *,
        outputs: int | None = None,
        domain: str = "",
        **attributes: Any,
    ) -> Any:
        """Adds a node and returns its output, or a tuple where `outputs` says how many. None leaves an input out.

        An attribute that is a Graph, the body of an If, Loop or Scan, is made by subgraph().
        """
        values = super().node(op, inputs, outputs or 1, attributes, domain)
        return Value(values[0]) if outputs is None else tuple(Value(value) for value in values)

    def output(  # type: ignore[override]
        self, value: Value, name: str = "", dtype: str | None = None, shape: Sequence[int | None] = ()
    ) -> None:
        """Makes `value` the next output. Without a dtype ONNX Runtime works its type out."""
        super().output(value, name, dtype, shape)

    def subgraph(self) -> Graph:
        """A graph to be the attribute of a node of this one, whose values its own nodes may use."""
        body = Graph.__new__(Graph)
        _native.Graph.__init__(body, self)
        return body
