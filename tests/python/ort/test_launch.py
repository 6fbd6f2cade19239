"""ort.launch: one operator by name."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from dlport import ort

A = np.array([[1, 2], [3, 4]], np.float32)
B = np.array([[5, 6], [7, 8]], np.float32)


def test_an_operator_runs_on_arrays(device: str) -> None:
    (total,) = ort.launch("Add", [A, B], device=device)
    np.testing.assert_array_equal(np.from_dlpack(total), A + B)


def test_frameworks_mix(device: str) -> None:
    (total,) = ort.launch("Add", [A, torch.from_numpy(B)], device=device)
    assert torch.equal(torch.from_dlpack(total), torch.from_numpy(A + B))


def test_attributes_are_keywords(device: str) -> None:
    (product,) = ort.launch("Gemm", [A, B, A], transB=1, alpha=0.5, device=device)
    np.testing.assert_allclose(np.from_dlpack(product), 0.5 * A @ B.T + A)


def test_inputs_are_left_out_at_the_end(device: str) -> None:
    (product,) = ort.launch("Gemm", [A, B, None], transB=1, device=device)
    np.testing.assert_allclose(np.from_dlpack(product), A @ B.T)


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "expected"),
    [
        ("Cast", [A], {"to": 7}, A.astype(np.int64)),
        ("LeakyRelu", [-A], {"alpha": 0.5}, -A / 2),
        ("Transpose", [A], {"perm": [1, 0]}, A.T),
        ("Constant", [], {"value": A}, A),
        ("Constant", [], {"value_floats": [1.5, 2.5]}, np.array([1.5, 2.5], np.float32)),
        ("Einsum", [A, B], {"equation": "ij,jk->ik"}, A @ B),
        ("Concat", [A, B], {"axis": 0}, np.concatenate([A, B])),
    ],
    ids=["int", "float", "ints", "tensor", "floats", "text", "variadic"],
)
def test_attributes_of_every_kind(op: str, inputs: list, attributes: dict, expected: np.ndarray) -> None:
    (result,) = ort.launch(op, inputs, **attributes)
    np.testing.assert_allclose(np.from_dlpack(result), expected)


def test_an_optional_input_may_be_left_out() -> None:
    (clipped,) = ort.launch("Clip", [A, None, np.array(2, np.float32)])
    np.testing.assert_array_equal(np.from_dlpack(clipped), np.minimum(A, 2))


def test_outputs_are_counted_or_chosen() -> None:
    k = np.array([1], np.int64)
    values, indices = ort.launch("TopK", [A, k], outputs=2)
    (second,) = ort.launch("TopK", [A, k], outputs=[False, True])
    np.testing.assert_array_equal(np.from_dlpack(values), [[2], [4]])
    np.testing.assert_array_equal(np.from_dlpack(indices), np.from_dlpack(second))


def test_outputs_are_written_in_place() -> None:
    out = np.zeros_like(A)
    ort.launch("Neg", [A], out=[out])
    np.testing.assert_array_equal(out, -A)


@pytest.mark.parametrize("shape", [(2, 1), (3, 2), (4,), (0, 2)])
def test_an_output_of_another_shape_is_refused_and_nothing_written_around_it(shape: tuple[int, ...]) -> None:
    guard = np.full(64, 7, np.float32)
    out = guard[16 : 16 + int(np.prod(shape))].reshape(shape)
    with pytest.raises(ValueError, match=r"(?i)shape|rank"):
        ort.launch("Neg", [A], out=[out])
    assert (guard[:16] == 7).all()
    assert (guard[16 + out.size :] == 7).all()


def test_a_single_tensor_where_a_list_is_meant_is_refused() -> None:
    with pytest.raises(TypeError, match="inputs is a list of tensors"):
        ort.launch("Relu", A)
    with pytest.raises(TypeError, match="out is a list of tensors"):
        ort.launch("Relu", [A], out=np.empty_like(A))


def test_operators_of_other_domains() -> None:
    (result,) = ort.launch("Gelu", [A], domain="com.microsoft")
    expected = torch.nn.functional.gelu(torch.from_numpy(A))
    np.testing.assert_allclose(np.from_dlpack(result), expected, rtol=1e-5)


def test_strided_inputs_are_copied_and_counted() -> None:
    before = ort.strided_copies()
    (result,) = ort.launch("Identity", [A.T])
    np.testing.assert_array_equal(np.from_dlpack(result), A.T)
    assert ort.strided_copies() == before + 1


def test_the_cache_counts_hits_and_forgets_the_oldest() -> None:
    capacity = ort.launch_counters().capacity
    try:
        ort.set_launch_capacity(2)
        for op in ("Abs", "Neg", "Relu", "Relu"):
            before = ort.launch_counters()
            ort.launch(op, [A])
        after = ort.launch_counters()
        assert (after.hits, after.misses) == (before.hits + 1, before.misses)
        assert after.size == 2
    finally:
        ort.set_launch_capacity(capacity)


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "word"),
    [
        ("NoSuchOperator", [A], {}, "NoSuchOperator"),
        ("Relu", [A], {"nonsense": 1}, "nonsense"),
        ("Add", [A, B.astype(np.int64)], {}, "Add"),
        ("Add", [A], {}, "Add"),
    ],
    ids=["operator", "attribute", "dtypes", "too few inputs"],
)
def test_what_onnx_runtime_lacks_is_said_in_its_words(op: str, inputs: list, attributes: dict, word: str) -> None:
    with pytest.raises(NotImplementedError, match=word) as refused:
        ort.launch(op, inputs, **attributes)
    assert str(refused.value.__cause__) in str(refused.value)


def test_an_attribute_of_no_onnx_kind_is_named() -> None:
    with pytest.raises(TypeError, match=r"'axis'.*object"):
        ort.launch("Softmax", [A], axis=object())


def test_shapes_that_do_not_broadcast_fail_and_leave_the_operator_usable() -> None:
    with pytest.raises(RuntimeError, match="Add"):
        ort.launch("Add", [A, np.zeros((3, 3), np.float32)])
    ort.launch("Add", [A, A])


@pytest.mark.parametrize("shape", [(0,), (2, 0, 3), (), (1, 0)])
def test_empty_tensors_and_scalars_keep_their_shapes(shape: tuple[int, ...]) -> None:
    (result,) = ort.launch("Add", [np.ones(shape, np.float32)] * 2)
    assert np.from_dlpack(result).shape == shape
