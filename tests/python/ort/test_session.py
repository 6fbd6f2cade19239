"""ort.Session: models of tensors."""

from __future__ import annotations

import gc
import json
import threading
import time
from pathlib import Path

import jax
import numpy as np
import onnx
import onnxruntime_extensions
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from onnx_models import OPSET, model_of

import dlport
from dlport import ort

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_a_model_runs_on_numpy_arrays(doubling: onnx.ModelProto, device: str) -> None:
    session = ort.Session(doubling, device=device)
    np.testing.assert_array_equal(np.from_dlpack(session(X)), 2 * X)


@pytest.mark.parametrize("convert", [np.asarray, torch.from_numpy, jax.numpy.asarray, dlport.from_dlpack])
def test_inputs_come_from_any_framework(doubling: onnx.ModelProto, convert) -> None:
    session = ort.Session(doubling)
    for outputs in (session.run([convert(X)]), session.run({"x": convert(X)}), [session(x=convert(X))]):
        np.testing.assert_array_equal(np.from_dlpack(outputs[0]), 2 * X)


def test_a_model_loads_from_a_file_from_bytes_or_as_it_is(doubling: onnx.ModelProto, tmp_path: Path) -> None:
    onnx.save(doubling, tmp_path / "m.onnx")
    for model in (tmp_path / "m.onnx", str(tmp_path / "m.onnx"), doubling.SerializeToString(), doubling):
        np.testing.assert_array_equal(np.from_dlpack(ort.Session(model)(X)), 2 * X)


def test_inputs_and_outputs_are_described(doubling: onnx.ModelProto) -> None:
    session = ort.Session(doubling)
    assert session.inputs == [ort.ValueInfo("x", "float32 (n, 3)", "float32", ("n", 3))]
    assert session.outputs[0].name == "y"


def test_dynamic_dimensions_take_any_size(doubling: onnx.ModelProto, device: str) -> None:
    session = ort.Session(doubling, device=device)
    for rows in (1, 5, 2, 1000):
        assert np.from_dlpack(session(np.ones((rows, 3), np.float32))).shape == (rows, 3)


def test_outputs_outlive_the_session(doubling: onnx.ModelProto) -> None:
    kept = [np.from_dlpack(ort.Session(doubling)(np.full((5000, 3), k, np.float32))) for k in range(12)]
    gc.collect()
    _junk = [np.full((5000, 3), -1, np.float32) for _ in range(60)]
    for k, array in enumerate(kept):
        assert (array == 2 * k).all()


def test_inputs_outlive_the_caller_while_they_are_needed(doubling: onnx.ModelProto) -> None:
    session = ort.Session(doubling)
    lent = [dlport.from_dlpack(np.full((1000, 3), k, np.float32)) for k in range(40)]
    _junk = [np.full((1000, 3), -1, np.float32) for _ in range(80)]
    for k, tensor in enumerate(lent):
        assert np.from_dlpack(session(tensor))[-1, -1] == 2 * k


def test_outputs_are_written_into_given_tensors(doubling: onnx.ModelProto, device: str) -> None:
    out = np.zeros_like(X)
    (result,) = ort.Session(doubling, device=device).run([X], out={"y": out})
    np.testing.assert_array_equal(out, 2 * X)
    assert np.shares_memory(np.from_dlpack(result), out)


def test_outputs_to_write_into_are_given_by_name_or_by_position() -> None:
    model = model_of(
        [helper.make_node("Split", ["x"], ["a", "b"], num_outputs=2)],
        [("x", TensorProto.FLOAT, [4])],
        [("a", TensorProto.FLOAT, [2]), ("b", TensorProto.FLOAT, [2])],
    )
    session, x, out = ort.Session(model), np.arange(4, dtype=np.float32), np.zeros(2, np.float32)
    a, b = session.run([x], out=[None, out])
    np.testing.assert_array_equal(out, [2, 3])
    assert np.shares_memory(np.from_dlpack(b), out)
    assert not np.shares_memory(np.from_dlpack(a), out)
    session.run([x], ["b", "a"], out=[None, out])
    np.testing.assert_array_equal(out, [0, 1])
    for wrong, error, words in (
        ([out], ValueError, "2 outputs were asked for, but out has 1"),
        ({"c": out}, ValueError, "no output 'c'"),
        (out, TypeError, "a dict of tensors by name or a list of them"),
    ):
        with pytest.raises(error, match=words):
            session.run([x], out=wrong)
    with pytest.raises(ValueError, match="output 'b', which is not among the outputs asked for"):
        session.run([x], ["a"], out={"b": out})


def test_a_session_tells_its_device(doubling: onnx.ModelProto, device: str) -> None:
    index = int(ort.Session(doubling, device=device).device.removeprefix("ort:"))
    assert f"ort:{ort.devices()[index].provider}".lower() == f"{device}executionprovider"


@pytest.mark.parametrize("shape", [(1, 3), (3, 3), (6,), (3, 2), (0, 3)])
def test_an_output_of_another_shape_is_refused_and_nothing_written_around_it(
    doubling: onnx.ModelProto, shape: tuple[int, ...]
) -> None:
    session = ort.Session(doubling)
    guard = np.full(64, 7, np.float32)
    out = guard[16 : 16 + int(np.prod(shape))].reshape(shape)
    with pytest.raises(ValueError, match=r"hape|\(n, 3\)"):
        session.run([X], out={"y": out})
    assert (guard[:16] == 7).all()
    assert (guard[16 + out.size :] == 7).all()
    assert np.from_dlpack(session(X))[1, 2] == 10


def read_only() -> np.ndarray:
    out = np.zeros_like(X)
    out.flags.writeable = False
    return out


@pytest.mark.parametrize(
    ("out", "word"),
    [
        (read_only(), "read-only"),
        (np.zeros((3, 2), np.float32).T, "row-major"),
        (np.zeros((2, 3), np.float64), "float64"),
        (X, "shares memory"),
    ],
    ids=["read-only", "strided", "dtype", "the input itself"],
)
def test_an_output_that_cannot_be_written_is_refused(doubling: onnx.ModelProto, out: np.ndarray, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        ort.Session(doubling).run([X], out={"y": out})


HALF = model_of(
    [helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT)],
    [("x", TensorProto.FLOAT16, ["n"])],
    [("y", TensorProto.FLOAT, ["n"])],
)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"x": np.zeros(3, np.float32)}, ["'x'", "float16", "float32"]),
        ({"x": np.zeros(3, np.float64)}, ["'x'", "float16", "float64"]),
        ({"x": np.zeros(3, np.uint16)}, ["'x'", "float16", "uint16"]),
        ({"x": np.zeros((1, 3), np.float16)}, ["'x'", "(n,)", "(1, 3)"]),
        ({}, ["'x'", "nothing"]),
        ({"x": None}, ["'x'", "nothing"]),
        ({"x": np.zeros(3, np.float16), "q": np.zeros(3)}, ["'q'", "'x'"]),
        ({"x": [1.0, 2.0]}, ["'x'", "list"]),
        ({"x": "text"}, ["'x'", "str"]),
        ([np.zeros(3, np.float16)] * 2, ["1", "2"]),
    ],
    ids=["float32", "float64", "uint16", "rank", "missing", "None", "unknown", "list", "text", "too many"],
)
def test_a_wrong_input_is_named_with_what_was_expected(inputs, words: list[str]) -> None:
    session = ort.Session(HALF)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the words are checked below
        session.run(inputs)
    for word in words:
        assert word in str(caught.value)
    values = np.array([1.5, -2, 65504, np.inf, 6e-8], np.float16)
    np.testing.assert_array_equal(np.from_dlpack(session(values)), values.astype(np.float32))


def test_an_interrupt_of_a_producer_passes() -> None:
    class Interrupted:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **_):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ort.Session(HALF)(Interrupted())


@pytest.mark.parametrize("shape", [(0,), (2, 0, 3), (), (1, 0)])
def test_empty_tensors_and_scalars_keep_their_shapes(shape: tuple[int, ...]) -> None:
    any_rank = model_of(
        [helper.make_node("Add", ["x", "x"], ["y"])], [("x", TensorProto.FLOAT, None)], [("y", TensorProto.FLOAT, None)]
    )
    assert np.from_dlpack(ort.Session(any_rank)(np.ones(shape, np.float32))).shape == shape


def test_bool_stays_bool() -> None:
    model = model_of(
        [helper.make_node("Not", ["x"], ["y"])], [("x", TensorProto.BOOL, ["n"])], [("y", TensorProto.BOOL, ["n"])]
    )
    result = ort.Session(model)(np.array([True, False]))
    assert torch.from_dlpack(result).tolist() == [False, True]


@pytest.mark.parametrize(
    ("onnx_type", "dtype"),
    [
        (TensorProto.BFLOAT16, "bfloat16"),
        (TensorProto.FLOAT8E4M3FN, "float8_e4m3fn"),
        (TensorProto.FLOAT8E5M2, "float8_e5m2"),
        (TensorProto.INT4, "int4"),
        (TensorProto.UINT4, "uint4"),
    ],
)
def test_narrow_types_go_in_and_out(onnx_type: int, dtype: str) -> None:
    graph = helper.make_graph(
        [
            helper.make_node("Cast", ["x"], ["narrow"], to=onnx_type, **({"saturate": 1} if "float8" in dtype else {})),
            helper.make_node("Cast", ["given"], ["wide"], to=TensorProto.FLOAT),
        ],
        "g",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [4]),
            helper.make_tensor_value_info("given", onnx_type, [4]),
        ],
        [
            helper.make_tensor_value_info("narrow", onnx_type, [4]),
            helper.make_tensor_value_info("wide", TensorProto.FLOAT, [4]),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    session = ort.Session(model)
    values = np.array([1, 2, 3, 7], np.float32)
    constant = helper.make_model(
        helper.make_graph(
            [helper.make_node("Cast", ["x"], ["y"], to=onnx_type)],
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
            [helper.make_tensor_value_info("y", onnx_type, [4])],
        ),
        opset_imports=[helper.make_opsetid("", 21)],
        ir_version=10,
    )
    given = ort.Session(constant)(values)
    narrow, wide = session.run([values, given])
    assert str(narrow.dtype) == dtype
    np.testing.assert_array_equal(np.from_dlpack(wide), values)


class TestFiles:
    def test_a_missing_one_is_not_found(self) -> None:
        with pytest.raises(FileNotFoundError, match=r"no-such\.onnx"):
            ort.Session("no-such.onnx")

    @pytest.mark.parametrize("fraction", [0.0, 0.1, 0.5, 0.9, 0.99])
    def test_a_truncated_one_is_refused(self, doubling: onnx.ModelProto, tmp_path: Path, fraction: float) -> None:
        whole = doubling.SerializeToString()
        path = tmp_path / "part.onnx"
        path.write_bytes(whole[: int(len(whole) * fraction)])
        with pytest.raises((ValueError, NotImplementedError), match=r"part\.onnx"):
            ort.Session(path)

    def test_one_of_other_bytes_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "encrypted.onnx"
        path.write_bytes(np.random.default_rng(0).bytes(4096))
        with pytest.raises(ValueError, match=r"encrypted\.onnx"):
            ort.Session(path)

    def test_one_with_damaged_bytes_never_crashes(self, doubling: onnx.ModelProto) -> None:
        whole = bytearray(doubling.SerializeToString())
        for position in range(len(whole)):
            damaged = whole.copy()
            damaged[position] ^= 0xFF
            try:
                session = ort.Session(bytes(damaged))
            except (ValueError, NotImplementedError, RuntimeError):
                continue
            assert len(session.inputs) <= 2

    @pytest.mark.parametrize("field", ["opset", "ir_version"])
    def test_one_of_a_later_version_is_unsupported(self, doubling: onnx.ModelProto, field: str) -> None:
        if field == "opset":
            doubling.opset_import[0].version = 9999
        else:
            doubling.ir_version = 9999
        with pytest.raises(NotImplementedError, match="9999"):
            ort.Session(doubling)

    def test_an_error_leaves_out_where_in_onnx_runtime_it_arose(self, doubling: onnx.ModelProto) -> None:
        doubling.ir_version = 99
        with pytest.raises(NotImplementedError, match="bytes: Unsupported model IR version: 99") as caught:
            ort.Session(doubling)
        assert ".cc" not in str(caught.value)
        assert ".cc" in str(caught.value.__cause__)

    def test_external_data_is_read_beside_the_file(self, tmp_path: Path) -> None:
        w = np.random.default_rng(0).standard_normal((64, 3)).astype(np.float32)
        model = model_of(
            [helper.make_node("MatMul", ["w", "x"], ["y"])],
            [("x", TensorProto.FLOAT, [3, "n"])],
            [("y", TensorProto.FLOAT, [64, "n"])],
            initializer=[numpy_helper.from_array(w, "w")],
        )
        onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location="m.data", size_threshold=0)
        x = np.eye(3, dtype=np.float32)
        np.testing.assert_allclose(np.from_dlpack(ort.Session(tmp_path / "m.onnx")(x)), w)
        (tmp_path / "m.data").write_bytes(w.tobytes()[:100])
        with pytest.raises(ValueError, match=r"External initializer: w .* file_length: 100"):
            ort.Session(tmp_path / "m.onnx")
        (tmp_path / "m.data").unlink()
        with pytest.raises(ValueError, match=r"m\.data"):
            ort.Session(tmp_path / "m.onnx")


class TestOptions:
    def test_the_optimised_model_is_written(self, doubling: onnx.ModelProto, tmp_path: Path) -> None:
        ort.Session(doubling, optimized_model_path=tmp_path / "o.onnx", optimization="basic")
        assert onnx.load(tmp_path / "o.onnx").graph.node[0].op_type == "Add"

    def test_profiling_leaves_a_file(self, doubling: onnx.ModelProto, tmp_path: Path) -> None:
        session = ort.Session(doubling, profile_prefix=tmp_path / "profile")
        session(X)
        events = json.loads(Path(session.end_profiling()).read_text())
        assert any("Add" in event["name"] or event.get("args", {}).get("op_name") == "Add" for event in events)

    def test_profiling_that_was_not_on_says_so(self, doubling: onnx.ModelProto) -> None:
        with pytest.raises(ValueError, match="profile"):
            ort.Session(doubling).end_profiling()

    ADDING = model_of(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        [("x", TensorProto.FLOAT, [4, 4])],
        [("y", TensorProto.FLOAT, [4, 4])],
        initializer=[numpy_helper.from_array(np.zeros((4, 4), np.float32), "w")],
    )

    def test_initializers_are_shared_between_sessions(self) -> None:
        w = np.full((4, 4), 2, np.float32)
        sessions = [ort.Session(self.ADDING, initializers={"w": w}) for _ in range(2)]
        w[:] = 3  # seen by both, because the memory is the same
        for session in sessions:
            assert (np.from_dlpack(session(np.zeros((4, 4), np.float32))) == 3).all()

    @pytest.mark.parametrize("from_file", [False, True])
    @pytest.mark.parametrize(
        ("name", "tensor", "words"),
        [
            ("v", np.zeros((4, 4), np.float32), "the model has no initializer 'v'; it has: 'w'"),
            ("w", np.zeros((4, 4), np.float64), r"'w' is float32 \(4, 4\), but was given float64 \(4, 4\)"),
            ("w", np.zeros((4, 2), np.float32), r"'w' is float32 \(4, 4\), but was given float32 \(4, 2\)"),
            ("w", np.zeros((4, 4), np.float32)[:, ::-1], "'w' is not row-major"),
        ],
        ids=["name", "dtype", "shape", "layout"],
    )
    def test_an_initializer_that_does_not_fit_is_named(
        self, tmp_path: Path, name: str, tensor: np.ndarray, words: str, from_file: bool
    ) -> None:
        onnx.save(self.ADDING, tmp_path / "m.onnx")
        with pytest.raises(ValueError, match=words):
            ort.Session(tmp_path / "m.onnx" if from_file else self.ADDING, initializers={name: tensor})

    def test_dynamic_dimensions_are_fixed_by_name(self, doubling: onnx.ModelProto) -> None:
        session = ort.Session(doubling, dimensions={"n": 2})
        assert session.inputs[0].shape == (2, 3)

    def test_threads_of_its_own(self, doubling: onnx.ModelProto) -> None:
        np.testing.assert_array_equal(np.from_dlpack(ort.Session(doubling, threads=2)(X)), 2 * X)
        with pytest.raises(ValueError, match="-1"):
            ort.Session(doubling, threads=-1)

    def test_an_unknown_optimization_is_named(self, doubling: onnx.ModelProto) -> None:
        with pytest.raises(ValueError, match="'most'"):
            ort.Session(doubling, optimization="most")

    def test_operators_come_from_a_library_of_custom_ones(self) -> None:
        model = helper.make_model(
            helper.make_graph(
                [helper.make_node("NegPos", ["x"], ["neg", "pos"], domain="ai.onnx.contrib")],
                "g",
                [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])],
                [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in ("neg", "pos")],
            ),
            opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.contrib", 1)],
            ir_version=9,
        )
        with pytest.raises(NotImplementedError, match="NegPos"):
            ort.Session(model)
        session = ort.Session(model, custom_op_libraries=[onnxruntime_extensions.get_library_path()])
        negative, positive = session(np.array([-1, 2], np.float32))
        np.testing.assert_array_equal(np.from_dlpack(negative), [-1, 0])
        np.testing.assert_array_equal(np.from_dlpack(positive), [0, 2])

    def test_a_library_that_has_none_is_refused(self, doubling: onnx.ModelProto) -> None:
        with pytest.raises(RuntimeError, match=r"libdl\.so\.2"):
            ort.Session(doubling, custom_op_libraries=["libdl.so.2"])


def counting() -> ort.Graph:
    """Counts to its input, one iteration of a Loop after another."""
    graph = ort.Graph()
    limit = graph.input("int64", [], name="limit")
    body = graph.subgraph()
    body.input("int64", [])
    running, count = body.input("bool", []), body.input("int64", [])
    body.output(body.node("Identity", [running]))
    body.output(body.node("Add", [count, graph.constant(np.array(1))]))
    start = graph.constant(np.array(0))
    graph.output(graph.node("Loop", [limit, None, start], body=body), name="count")
    return graph


class TestRuns:
    def test_a_run_is_cancelled_from_another_thread(self) -> None:
        session = ort.Session(counting())
        options = ort.RunOptions()
        timer = threading.Timer(0.05, options.cancel)
        timer.start()
        with pytest.raises(RuntimeError, match="terminate") as stopped:
            session.run([np.array(1 << 60)], options=options)
        assert "terminate" in str(stopped.value.__cause__)
        options.reset()
        (count,) = session.run([np.array(3)], options=options)
        assert np.from_dlpack(count) == 3

    def test_a_session_may_be_closed_while_a_run_is_in_flight(self) -> None:
        session = ort.Session(counting())
        results: list[int] = []
        thread = threading.Thread(target=lambda: results.append(int(np.from_dlpack(session(np.array(200_000))))))
        thread.start()
        time.sleep(0.02)
        session.close()
        thread.join()
        assert results in ([200_000], [])
        with pytest.raises(ValueError, match="closed"):
            session(np.array(1))

    def test_threads_share_a_session(self, doubling: onnx.ModelProto, device: str) -> None:
        session = ort.Session(doubling, device=device)
        wrong: list[int] = []

        def work(k: int) -> None:
            for _ in range(200):
                if not (np.from_dlpack(session(np.full((2, 3), k, np.float32))) == 2 * k).all():
                    wrong.append(k)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong

    def test_outputs_are_chosen_by_name(self) -> None:
        model = model_of(
            [helper.make_node("Split", ["x"], ["a", "b"], num_outputs=2)],
            [("x", TensorProto.FLOAT, [4])],
            [("a", TensorProto.FLOAT, [2]), ("b", TensorProto.FLOAT, [2])],
        )
        session = ort.Session(model)
        x = np.arange(4, dtype=np.float32)
        (b,) = session.run([x], ["b"])
        np.testing.assert_array_equal(np.from_dlpack(b), [2, 3])
        with pytest.raises(ValueError, match=r"'c'.*'a', 'b'"):
            session.run([x], ["c"])

    def test_many_runs_do_not_grow_memory(self, doubling: onnx.ModelProto) -> None:
        session = ort.Session(doubling)

        def resident() -> int:
            return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

        big = np.ones((10_000, 3), np.float32)
        for _ in range(300):
            session(big)
        before = resident()
        for _ in range(3000):
            session(big)
            with pytest.raises(ValueError, match="'x'"):
                session(X.astype(np.int32))
        assert resident() - before < 5 << 20
