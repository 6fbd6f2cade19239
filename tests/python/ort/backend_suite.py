"""The ONNX backend test suite: models with inputs and the outputs that they have to give, shipped with `onnx`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests

KINDS = ["node", "simple", "pytorch-converted", "pytorch-operator"]


class Case(NamedTuple):
    name: str
    model: onnx.ModelProto
    data_sets: list[tuple[list[Any], list[Any]]]
    rtol: float
    atol: float


def _read(path: Path, kind: onnx.TypeProto) -> Any:
    parsers = {
        "tensor_type": (onnx.TensorProto, numpy_helper.to_array),
        "sequence_type": (onnx.SequenceProto, numpy_helper.to_list),
        "optional_type": (onnx.OptionalProto, numpy_helper.to_optional),
    }
    proto_class, convert = parsers[kind.WhichOneof("value")]
    proto = proto_class()
    proto.ParseFromString(path.read_bytes())
    return convert(proto)


def _data_sets(folder: Path, model: onnx.ModelProto) -> list[tuple[list[Any], list[Any]]]:
    initializers = {tensor.name for tensor in model.graph.initializer}
    inputs = [info for info in model.graph.input if info.name not in initializers]
    sets = []
    for data in sorted(folder.glob("test_data_set_*")):
        read = lambda role, infos, data=data: [
            _read(data / f"{role}_{i}.pb", info.type)
            for i, info in enumerate(infos)
            if (data / f"{role}_{i}.pb").exists()
        ]
        sets.append((read("input", inputs), read("output", model.graph.output)))
    return sets


def _plain(value: Any) -> Any:
    """The generator hands out protos and NumPy scalars too."""
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    return np.asarray(value) if isinstance(value, np.generic) else value


def _node_cases() -> Iterator[Case]:
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of the references at their limits
        cases = collect_testcases(None)
    for case in cases:
        sets = [([*map(_plain, inputs)], [*map(_plain, outputs)]) for inputs, outputs in case.data_sets]
        yield Case(case.name, case.model, sets, case.rtol, case.atol)


def cases(kind: str) -> Iterator[Case]:
    """All cases of a kind; the nodes' are generated, which takes 10 s."""
    if kind == "node":
        yield from _node_cases()
        return
    for case in load_model_tests(kind=kind):
        folder = Path(case.model_dir)
        model = onnx.load(folder / "model.onnx")
        yield Case(case.name, model, _data_sets(folder, model), case.rtol, case.atol)


def assert_same(actual: Any, expected: Any, case: Case) -> None:
    """Raises AssertionError where a value, of any kind, is not the one expected."""
    if expected is None or (isinstance(expected, np.ndarray) and expected.dtype == object and expected.ndim == 0):
        assert actual is None or np.array_equal(actual, expected)
    elif isinstance(expected, list):
        assert isinstance(actual, list)
        assert len(actual) == len(expected)
        for a, e in zip(actual, expected, strict=True):
            assert_same(a, e, case)
    else:
        actual, expected = np.asarray(actual), np.asarray(expected)
        assert actual.shape == expected.shape
        if expected.dtype.kind in "OUST":
            np.testing.assert_array_equal(actual.astype(object), expected.astype(object))
        else:
            assert actual.dtype == expected.dtype
            wide = np.complex128 if expected.dtype.kind == "c" else np.float64
            np.testing.assert_allclose(actual.astype(wide), expected.astype(wide), rtol=case.rtol, atol=case.atol)
