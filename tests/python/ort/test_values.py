"""Values that are no tensors of numbers: strings, sequences, maps, optionals."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx_models import model_of

from dlport import ort

TEXTS = ["a", "long string " * 5, "", "é中", "with\0nul"]

STRINGS = model_of(
    [helper.make_node("Identity", ["x"], ["y"])], [("x", TensorProto.STRING, ["n"])], [("y", TensorProto.STRING, ["n"])]
)


def model_of_values(nodes, inputs, outputs, opset: int = 18, **domains: int) -> onnx.ModelProto:
    return helper.make_model(
        helper.make_graph(nodes, "g", inputs, outputs),
        opset_imports=[helper.make_opsetid("", opset)]
        + [helper.make_opsetid("ai.onnx.ml", v) for v in domains.values()],
        ir_version=9,
    )


@pytest.mark.parametrize(
    "strings",
    [np.array(TEXTS, object), list(TEXTS), np.array(TEXTS[:2]), np.array(["ab", "c"], "S"), np.zeros(0, object)],
    ids=["objects", "list", "fixed width", "bytes", "none"],
)
def test_strings_go_in_and_come_out_as_str(strings) -> None:
    result = ort.Session(STRINGS)(strings)
    expected = [text.decode() if isinstance(text, bytes) else text for text in strings]
    assert result.tolist() == expected


@pytest.mark.parametrize("bad", [np.array([1, 2], object), np.array([None], object), np.zeros(2, np.float32)])
def test_what_is_no_string_is_refused_naming_the_input(bad) -> None:
    with pytest.raises(ValueError, match="'x' takes string"):
        ort.Session(STRINGS)(bad)


def test_strings_of_several_dimensions_keep_their_shape() -> None:
    model = model_of(
        [helper.make_node("Identity", ["x"], ["y"])],
        [("x", TensorProto.STRING, None)],
        [("y", TensorProto.STRING, None)],
    )
    square = np.array([["a", "b"], ["c", "d"]], object)
    np.testing.assert_array_equal(ort.Session(model)(square), square)
    assert ort.Session(model)("alone") == "alone"


def test_strings_do_not_leak() -> None:
    session = ort.Session(STRINGS)
    big = np.array(["z" * 1000] * 500, object)

    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    for _ in range(50):
        session(big)
    before = resident()
    for _ in range(300):
        session(big)
    assert resident() - before < 20 << 20


FLOATS = helper.make_tensor_type_proto(TensorProto.FLOAT, ["n"])


def sequence(name: str) -> onnx.ValueInfoProto:
    return helper.make_value_info(name, helper.make_sequence_type_proto(FLOATS))


def tensor(name: str, kind: int = TensorProto.FLOAT, shape=("n",)) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


@pytest.mark.parametrize("lengths", [[2, 3], [1], []], ids=["two", "one", "none"])
def test_sequences_are_lists(lengths: list[int]) -> None:
    model = model_of_values([helper.make_node("Identity", ["x"], ["y"])], [sequence("x")], [sequence("y")])
    items = [np.full(length, length, np.float32) for length in lengths]
    result = ort.Session(model)(items)
    assert isinstance(result, list)
    for out, item in zip(result, items, strict=True):
        np.testing.assert_array_equal(np.from_dlpack(out), item)


def test_strided_items_of_a_sequence_are_copied_and_counted() -> None:
    model = model_of_values([helper.make_node("Identity", ["x"], ["y"])], [sequence("x")], [sequence("y")])
    items, before = [np.arange(6, dtype=np.float32)[::2], np.arange(3, dtype=np.float32)[::-1]], ort.strided_copies()
    for out, item in zip(ort.Session(model)(items), items, strict=True):
        np.testing.assert_array_equal(np.from_dlpack(out), item)
    assert ort.strided_copies() == before + 2


def test_an_item_of_a_sequence_is_named() -> None:
    model = model_of_values([helper.make_node("Identity", ["x"], ["y"])], [sequence("x")], [sequence("y")])
    with pytest.raises(ValueError, match=r"'x'\[1\]"):
        ort.Session(model)([np.zeros(1, np.float32), "text"])
    with pytest.raises(ValueError, match="'x' takes sequence of float32"):
        ort.Session(model)(np.zeros(1, np.float32))


def test_maps_are_dicts() -> None:
    model = model_of_values(
        [helper.make_node("DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml", string_vocabulary=["a", "b", "c"])],
        [helper.make_value_info("x", helper.make_map_type_proto(TensorProto.STRING, FLOATS_SCALAR))],
        [tensor("y", shape=(1, 3))],
        ml=1,
    )
    np.testing.assert_array_equal(np.from_dlpack(ort.Session(model)({"a": 1.0, "c": 3.0})), [[1, 0, 3]])


FLOATS_SCALAR = helper.make_tensor_type_proto(TensorProto.FLOAT, [])


def test_a_sequence_of_maps_is_a_list_of_dicts() -> None:
    kind = helper.make_sequence_type_proto(helper.make_map_type_proto(TensorProto.INT64, FLOATS_SCALAR))
    model = model_of_values(
        [helper.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", classlabels_int64s=[7, 9])],
        [tensor("x", shape=("n", 2))],
        [helper.make_value_info("y", kind)],
        ml=1,
    )
    result = ort.Session(model)(np.array([[0.25, 0.75], [1, 0]], np.float32))
    assert result == [{7: 0.25, 9: 0.75}, {7: 1.0, 9: 0.0}]


OPTIONAL = helper.make_optional_type_proto(FLOATS)


def has_element(type_proto: onnx.TypeProto) -> ort.Session:
    return ort.Session(
        model_of_values(
            [helper.make_node("OptionalHasElement", ["x"], ["y"])],
            [helper.make_value_info("x", helper.make_optional_type_proto(type_proto))],
            [tensor("y", TensorProto.BOOL, ())],
        )
    )


def test_an_optional_may_be_given() -> None:
    assert np.from_dlpack(has_element(FLOATS)(np.ones(2, np.float32)))
    assert np.from_dlpack(has_element(helper.make_sequence_type_proto(FLOATS))([np.ones(2, np.float32)]))


@pytest.mark.parametrize("type_proto", [FLOATS, helper.make_sequence_type_proto(FLOATS)], ids=["tensor", "sequence"])
def test_an_optional_without_a_value_is_beyond_the_c_api(type_proto: onnx.TypeProto) -> None:
    with pytest.raises(NotImplementedError, match="'x' is an optional"):
        has_element(type_proto)(None)


def test_an_optional_output_without_a_value_is_none() -> None:
    model = model_of_values(
        [helper.make_node("Optional", [], ["y"], type=FLOATS)], [], [helper.make_value_info("y", OPTIONAL)]
    )
    assert ort.Session(model).run([]) == [None]


def test_sparse_tensors_are_refused_in_words() -> None:
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("SparseToDenseMatMul", ["x", "b"], ["y"], domain="com.microsoft")],
            "g",
            [
                helper.make_value_info("x", helper.make_sparse_tensor_type_proto(TensorProto.FLOAT, [2, 2])),
                tensor("b", shape=(2, 2)),
            ],
            [tensor("y", shape=(2, 2))],
        ),
        opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)],
        ir_version=9,
    )
    dense = np.eye(2, dtype=np.float32)
    with pytest.raises(NotImplementedError, match="'x' is a sparse float32"):
        ort.Session(model)(dense, dense)
