"""ort.Graph: graphs built value by value."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
import torch

from dlport import ort

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def perceptron(weight) -> ort.Graph:
    graph = ort.Graph()
    x = graph.input("float32", [None, 3], name="x")
    hidden = graph.node("MatMul", [x, graph.constant(weight)])
    graph.output(graph.node("Softmax", [hidden], axis=-1), name="y")
    return graph


def test_a_graph_compiles_to_a_session(device: str) -> None:
    weight = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))
    session = ort.Session(perceptron(weight), device=device)
    expected = torch.softmax(torch.from_numpy(X) @ weight, -1)
    np.testing.assert_allclose(np.from_dlpack(session(x=X)), expected, rtol=1e-4)


def test_a_graph_is_an_onnx_model() -> None:
    model = onnx.load_from_string(perceptron(np.ones((3, 4), np.float32)).to_onnx())
    assert [node.op_type for node in model.graph.node] == ["MatMul", "Softmax"]


def test_constants_share_their_memory() -> None:
    weight = np.zeros((3, 400), np.float32)
    graph = ort.Graph()
    x = graph.input("float32", [None, 400], name="x")
    graph.output(graph.node("Add", [x, graph.constant(weight)]), "y", "float32", [None, 400])
    session = ort.Session(graph, optimization="none")
    weight[:] = 5
    assert (np.from_dlpack(session(np.zeros((3, 400), np.float32))) == 5).all()


def test_branches_read_the_values_around_them() -> None:
    graph = ort.Graph()
    chosen, x = graph.input("bool", [], name="chosen"), graph.input("float32", [None, 3], name="x")
    branches = {}
    for name, op in (("then_branch", "Neg"), ("else_branch", "Exp")):
        branches[name] = graph.subgraph()
        branches[name].output(branches[name].node(op, [x]))
    graph.output(graph.node("If", [chosen], **branches), name="y")
    session = ort.Session(graph)
    np.testing.assert_array_equal(np.from_dlpack(session(np.array(True), X)), -X)
    np.testing.assert_allclose(np.from_dlpack(session(np.array(False), X)), np.exp(X), rtol=1e-6)


def test_a_scan_goes_along_an_axis() -> None:
    graph = ort.Graph()
    x = graph.input("float32", [None, 3], name="x")
    body = graph.subgraph()
    total, row = body.input("float32", [3]), body.input("float32", [3])
    summed = body.node("Add", [total, row])
    body.output(summed, "total", "float32", [3])
    body.output(body.node("Identity", [summed]), "row", "float32", [3])
    start = graph.constant(np.zeros(3, np.float32))
    last, rows = graph.node("Scan", [start, x], outputs=2, body=body, num_scan_inputs=1)
    graph.output(last, name="last")
    graph.output(rows, name="rows")
    last_sum, sums = ort.Session(graph)(X)
    np.testing.assert_allclose(np.from_dlpack(sums), np.cumsum(X, 0))
    np.testing.assert_allclose(np.from_dlpack(last_sum), X.sum(0))


def test_nodes_of_several_outputs_give_a_tuple() -> None:
    graph = ort.Graph()
    x = graph.input("float32", [2, 3], name="x")
    first, rest = graph.node("Split", [x, graph.constant(np.array([1, 2]))], outputs=2, axis=1)
    graph.output(rest, name="rest")
    graph.output(first, name="first")
    session = ort.Session(graph)
    rest_out, first_out = session(X)
    np.testing.assert_array_equal(np.from_dlpack(first_out), X[:, :1])
    np.testing.assert_array_equal(np.from_dlpack(rest_out), X[:, 1:])


def test_an_input_may_be_an_output() -> None:
    graph = ort.Graph()
    graph.output(graph.input("float32", [2, 3], name="x"), name="y")
    np.testing.assert_array_equal(np.from_dlpack(ort.Session(graph)(X)), X)


def test_what_onnx_runtime_lacks_is_unsupported() -> None:
    graph = ort.Graph()
    graph.output(graph.node("NoSuchOperator", [graph.input("float32", [1])]))
    with pytest.raises(NotImplementedError, match="NoSuchOperator"):
        ort.Session(graph)
