"""PyTorch's own operator database, on "ort" against "cpu": results, strides, aliasing, gradients and errors.

A fixed part of it runs always: the first sample of every operator in every variation. All samples of all dtypes run
with `-m slow` (`make test-ops`).
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch
from torch.testing._internal.common_device_type import toleranceOverride
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo, SampleInput
from torch.utils._pytree import tree_flatten, tree_map

import dlport.torch  # noqa: F401  registers "ort"

HALF = (torch.float16, torch.bfloat16)
FORWARD_DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.bool)

#: What PyTorch itself does not offer on a device like ours, and why.
NOT_ON_A_PRIVATE_DEVICE = {
    "to_sparse": "sparse tensors have no kernels on private devices",
    "sparse.sampled_addmm": "sparse tensors have no kernels on private devices",
    "sparse.mm.reduce": "sparse tensors have no kernels on private devices",
    "tensor_split": "PyTorch wants the tensor of indices on the cpu, whatever the device",
    "to": "its samples name the device that they go to, which is the cpu",
}

#: Operators whose results are not determined by their inputs, so that two runs on "cpu" may differ as well.
UNDETERMINED = {
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "new_empty",
    "new_empty_strided",
}

#: Operators that may pick any of equal elements, unless they are told to be stable.
PICKS_AMONG_EQUALS = {"topk", "sort", "argsort", "msort"}


def name_of(op: OpInfo) -> str:
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


OPS = {name_of(op): op for op in op_db if name_of(op) not in NOT_ON_A_PRIVATE_DEVICE}


def to(value: Any, device: str) -> Any:
    """`value` with every tensor and device in it moved to `device`; strides, sharing and requires_grad are kept."""
    moved: dict[int, torch.Tensor] = {}

    def move(item: Any) -> Any:
        if isinstance(item, torch.Tensor):
            if id(item) not in moved:
                if item.is_meta:  # a sample of tensors on different devices
                    moved[id(item)] = item
                elif item.layout != torch.strided:
                    moved[id(item)] = item.detach().to(device)
                else:
                    base = torch.empty(0, dtype=item.dtype, device=device)
                    flat = item.detach().resolve_conj().resolve_neg()
                    storage = torch.empty(0, dtype=torch.uint8).set_(flat.untyped_storage()).clone().to(device)
                    moved[id(item)] = base.set_(
                        storage.untyped_storage(), flat.storage_offset(), flat.size(), flat.stride()
                    )
                moved[id(item)].requires_grad_(item.requires_grad)
            return moved[id(item)]
        if isinstance(item, torch.device):
            return torch.device(device)
        return item

    return tree_map(move, value)


def run(function: Callable[..., Any], sample: SampleInput, device: str) -> tuple[Any, Exception | None]:
    """The result of `function` on a sample moved to `device`, or what it raised. Each run starts from the same seed."""
    inputs = to((sample.input, sample.args, sample.kwargs), device)
    if "device" in sample.kwargs:  # a factory
        inputs[2]["device"] = device
    torch.manual_seed(0)
    try:
        with torch.device(device):  # for factories that are not told where
            return (inputs, function(inputs[0], *inputs[1], **inputs[2])), None
    except Exception as error:
        return (inputs, None), error


def tensors_in(value: Any) -> list[torch.Tensor]:
    return [item for item in tree_flatten(value)[0] if isinstance(item, torch.Tensor)]


def compare(op: OpInfo, sample: SampleInput, function: Callable[..., Any], gradients: bool = False) -> None:
    """Runs a sample on both devices and asserts that everything that can be seen of the results is equal."""
    (cpu_inputs, expected), cpu_error = run(function, sample, "cpu")
    (ort_inputs, actual), ort_error = run(function, sample, "ort")
    if cpu_error is not None:
        assert ort_error is not None, f"cpu raises {type(cpu_error).__name__} ({cpu_error}), ort does not"
        assert type(ort_error) is type(cpu_error), f"cpu raises {cpu_error!r}, ort raises {ort_error!r}"
        return
    if ort_error is not None:
        raise ort_error
    is_half = any(tensor.dtype in HALF for tensor in tensors_in(expected))
    precise = run(function, in_float32(sample), "cpu")[0][1] if is_half else None
    any_position = op.name in PICKS_AMONG_EQUALS and not sample.kwargs.get("stable") and has_equals(sample.input)
    compare_values(op, expected, actual, precise, ignore=[torch.int64] if any_position else ())
    compare_aliasing(cpu_inputs, expected, ort_inputs, actual)
    if op.name not in UNDETERMINED:  # operators that write to their inputs
        compare_values(op, cpu_inputs, ort_inputs)
    if gradients:
        compare_gradients(op, sample, cpu_inputs, expected, ort_inputs, actual)


def compare_values(op: OpInfo, expected: Any, actual: Any, precise: Any = None, ignore: Any = ()) -> None:
    """`precise` are the results computed in float32, where half types are compared; `ignore` are dtypes."""
    expected_tensors, actual_tensors = tensors_in(expected), tensors_in(actual)
    precise_tensors = tensors_in(precise) if precise is not None else expected_tensors
    assert len(expected_tensors) == len(actual_tensors)
    for want, got, exact in zip(expected_tensors, actual_tensors, precise_tensors, strict=True):
        assert got.device.type == ("ort" if want.layout == torch.strided else "cpu") or want.device.type != "cpu", (
            got.device
        )
        assert got.dtype == want.dtype
        assert got.shape == want.shape
        assert got.stride() == want.stride(), f"strides {got.stride()}, on cpu {want.stride()}"
        if op.name in UNDETERMINED or want.dtype in ignore:
            continue
        # PyTorch's kernels round half types more often than ours: what is not close to theirs has to be to float32.
        if not (exact is not want and torch.allclose(got.cpu(), want, equal_nan=True, **tolerance(op, want.dtype))):
            torch.testing.assert_close(
                got.detach().cpu(), exact.detach().to(want.dtype), equal_nan=True, **tolerance(op, want.dtype)
            )
    others = [(a, b) for a, b in zip(tree_flatten(expected)[0], tree_flatten(actual)[0], strict=True)]
    for want, got in others:
        if isinstance(want, bool | int):
            assert got == want


def tolerance(op: OpInfo, dtype: torch.dtype) -> dict[str, float]:
    """PyTorch's own, for comparing a device with the cpu: by dtype (common_device_type; float32 has that of
    TestCommon.test_compare_cpu), or an operator's own for its tests of the MPS and Inductor backends."""
    found = {
        torch.float16: {"rtol": 1e-3, "atol": 1e-3},
        torch.bfloat16: {"rtol": 1.6e-2, "atol": 1e-2},
        torch.float32: {"rtol": 1e-3, "atol": 1e-3},
    }.get(dtype, {"rtol": 1e-7, "atol": 1e-7})
    for info in (info for entry in op_db if entry.name == op.name for info in entry.decorators):
        if getattr(info, "test_name", None) in ("test_output_match", "test_comprehensive"):
            for override in info.decorators:
                if isinstance(override, toleranceOverride) and dtype in override.d:
                    own = override.d[dtype]
                    found = {"rtol": max(found["rtol"], own.rtol), "atol": max(found["atol"], own.atol)}
    return found


def in_float32(sample: SampleInput) -> SampleInput:
    """The same with half types as float32."""

    def widen(value: Any) -> Any:
        if isinstance(value, torch.dtype):
            return torch.float32 if value in HALF else value
        return value.float() if isinstance(value, torch.Tensor) and value.dtype in HALF else value

    value, args, kwargs = tree_map(widen, (sample.input, sample.args, sample.kwargs))
    return SampleInput(value, args=args, kwargs=kwargs)


def has_equals(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.unique().numel() < value.numel()


def compare_aliasing(cpu_inputs: Any, expected: Any, ort_inputs: Any, actual: Any) -> None:
    """A result shares memory with an input on one device exactly where it does on the other."""

    def shared(inputs: Any, outputs: Any) -> list[list[bool]]:
        pointers = [t.untyped_storage().data_ptr() if t.layout == torch.strided else 0 for t in tensors_in(inputs)]
        results = [t.untyped_storage().data_ptr() if t.layout == torch.strided else 0 for t in tensors_in(outputs)]
        return [[out == into and out != 0 for into in pointers] for out in results]

    assert shared(ort_inputs, actual) == shared(cpu_inputs, expected)


def compare_gradients(
    op: OpInfo, sample: SampleInput, cpu_inputs: Any, expected: Any, ort_inputs: Any, actual: Any
) -> None:
    def gradients(inputs: Any, outputs: Any) -> tuple[torch.Tensor | None, ...] | None:
        if sample.output_process_fn_grad is not None:
            outputs = sample.output_process_fn_grad(outputs)
        leaves = [t for t in tensors_in(inputs) if t.requires_grad]
        results = [t for t in tensors_in(outputs) if t.requires_grad]
        if not leaves or not results:
            return None
        seeds = [torch.ones(t.shape, dtype=t.dtype).to(t.device) for t in results]
        return torch.autograd.grad(results, leaves, seeds, allow_unused=True)

    try:
        wanted = gradients(cpu_inputs, expected)
    except RuntimeError as error:
        with pytest.raises(type(error)):
            gradients(ort_inputs, actual)
        return
    got = gradients(ort_inputs, actual)
    if wanted is None:
        assert got is None
        return
    assert got is not None
    for want, have in zip(wanted, got, strict=True):
        assert (want is None) == (have is None)
        if want is not None and have is not None:
            torch.testing.assert_close(have.cpu(), want, equal_nan=True, **tolerance(op, want.dtype))


def samples(op: OpInfo, dtype: torch.dtype, first_only: bool, requires_grad: bool = False) -> Iterable[SampleInput]:
    made = op.sample_inputs("cpu", dtype, requires_grad=requires_grad)
    for index, sample in enumerate(made):
        if first_only and index > 0:
            return
        yield sample


def check(op: OpInfo, dtype: torch.dtype, first_only: bool) -> None:
    """All that is promised of an operator in one dtype."""
    if dtype not in op.supported_dtypes("cpu"):
        return
    with_gradients = dtype == torch.float32 and dtype in op.supported_backward_dtypes("cpu") and op.supports_autograd
    for sample in samples(op, dtype, first_only, requires_grad=with_gradients):
        compare(op, sample, op.op, gradients=with_gradients)
    if op.inplace_variant is not None:
        for sample in samples(op, dtype, first_only):
            if not sample.broadcasts_input:
                compare(op, copy.copy(sample), op.inplace_variant)


@pytest.mark.parametrize("name", OPS)
def test_first_sample_equals_cpu(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(OPS[name], torch.float32, first_only=True)
        check(OPS[name], torch.int64, first_only=True)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", FORWARD_DTYPES, ids=str)
@pytest.mark.parametrize("name", OPS)
def test_every_sample_equals_cpu(name: str, dtype: torch.dtype) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(OPS[name], dtype, first_only=False)


@pytest.mark.parametrize("name", [name for name, op in OPS.items() if op.error_inputs_func is not None])
def test_what_raises_on_cpu_raises_the_same_on_ort(name: str) -> None:
    op = OPS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for error_input in op.error_inputs("cpu"):
            sample = error_input.sample_input
            _, cpu_error = run(op.op, sample, "cpu")
            if cpu_error is not None:
                _, ort_error = run(op.op, sample, "ort")
                assert type(ort_error) is type(cpu_error), f"cpu raises {cpu_error!r}, ort raises {ort_error!r}"


@pytest.mark.parametrize("name", [name for name, op in OPS.items() if op.supports_out])
def test_out_variants_write_and_resize_what_they_are_given(name: str) -> None:
    op = OPS[name]
    if torch.float32 not in op.supported_dtypes("cpu"):
        pytest.skip("no float32")

    def with_out(*args: Any, **kwargs: Any) -> Any:
        result = op.op(*args, **kwargs)
        outs = tree_map(lambda t: torch.empty(0, dtype=t.dtype, device=t.device), result)
        return op.op(*args, **kwargs, out=tuple(outs) if isinstance(outs, tuple | list) else outs)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in samples(op, torch.float32, first_only=True):
            compare(op, sample, with_out)
