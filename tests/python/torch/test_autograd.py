"""Autograd, mixed precision, function transforms and the profiler on ort tensors."""

from __future__ import annotations

import subprocess
import sys
import threading
import warnings
from collections.abc import Callable

import pytest
import torch
import torch.multiprocessing as multiprocessing
from torch.utils.checkpoint import checkpoint

import dlport.torch  # noqa: F401  registers "ort"

pytestmark = pytest.mark.usefixtures("provider")


def both(function: Callable[[str], torch.Tensor]) -> None:
    """Asserts that `function` computes the same for either device."""
    torch.manual_seed(0)
    expected = function("cpu")
    torch.manual_seed(0)
    actual = function("ort")
    assert actual.device.type == "ort"
    torch.testing.assert_close(actual.detach().cpu(), expected.detach())


def test_double_backward() -> None:
    def second_derivative(device: str) -> torch.Tensor:
        x = torch.linspace(-1, 1, 8).to(device).requires_grad_()
        (first,) = torch.autograd.grad((x.sin() * x.exp()).sum(), x, create_graph=True)
        return torch.autograd.grad((first**2).sum(), x)[0]

    both(second_derivative)


def add_one_to_gradient(leaf: torch.Tensor) -> None:
    assert leaf.grad is not None
    leaf.grad.add_(1)


def test_hooks_see_and_change_gradients() -> None:
    def hooked(device: str) -> torch.Tensor:
        x = torch.ones(3).to(device).requires_grad_()
        x.register_hook(lambda gradient: gradient * 3)
        x.register_post_accumulate_grad_hook(add_one_to_gradient)
        (x * x).sum().backward()
        assert x.grad is not None
        return x.grad

    both(hooked)


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_checkpointed_layers_compute_again_with_the_same_random_numbers(use_reentrant: bool) -> None:
    def gradient(device: str) -> torch.Tensor:
        x = torch.linspace(0, 1, 32).to(device).requires_grad_()
        y = checkpoint(lambda t: torch.dropout(t.exp(), 0.5, train=True), x, use_reentrant=use_reentrant)
        y.sum().backward()
        assert x.grad is not None
        assert torch.equal(x.grad == 0, y == 0)
        return x.grad

    both(gradient)


def test_in_place_change_of_a_saved_tensor_is_refused() -> None:
    x = torch.ones(3, device="ort", requires_grad=True)
    y = x.exp()
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_gradient_of_a_write_through_a_view() -> None:
    def gradient(device: str) -> torch.Tensor:
        x = torch.linspace(0, 1, 12).view(3, 4).to(device).requires_grad_()
        y = x.clone()
        y[1].mul_(2)
        y.t()[0] += 1
        (y**2).sum().backward()
        assert x.grad is not None
        return x.grad

    both(gradient)


def test_vmap_and_grad_transform_functions() -> None:
    def per_sample(device: str) -> torch.Tensor:
        weight, samples = torch.randn(4, 3).to(device), torch.randn(5, 3).to(device)
        return torch.func.vmap(torch.func.grad(lambda w, x: (w @ x).tanh().sum()), in_dims=(None, 0))(weight, samples)

    both(per_sample)


def test_forward_mode() -> None:
    def tangent(device: str) -> torch.Tensor:
        x, v = torch.linspace(0, 1, 4).to(device), torch.ones(4).to(device)
        return torch.func.jvp(lambda t: (t.sin() * t).cumsum(0), (x,), (v,))[1]

    both(tangent)


def test_every_thread_has_its_own_backward() -> None:
    gradients: list[torch.Tensor] = []

    def work() -> None:
        x = torch.linspace(0, 1, 64, device="ort").requires_grad_()
        for _ in range(20):
            x.grad = None
            (x.view(8, 8) @ x.view(8, 8)).relu().sum().backward()
        assert x.grad is not None
        gradients.append(x.grad)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(gradients) == 4
    assert all(torch.equal(gradient, gradients[0]) for gradient in gradients)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast_chooses_dtypes_by_operator(dtype: torch.dtype) -> None:
    a = torch.rand(4, 4, device="ort")
    with torch.autocast("ort", dtype=dtype):
        assert (a @ a).dtype == dtype
        assert torch.nn.functional.linear(a, a).dtype == dtype
        assert torch.softmax(a @ a, 0).dtype == torch.float32
        assert (a @ a + a).dtype == torch.float32
        with torch.autocast("ort", enabled=False):
            assert (a @ a).dtype == torch.float32
    assert not torch.is_autocast_enabled("ort")
    assert torch.get_autocast_dtype("ort") in torch.ort.get_amp_supported_dtype()


def test_autocast_to_a_dtype_that_it_does_not_take_says_so_and_changes_nothing() -> None:
    a = torch.rand(4, 4, device="ort")
    with (
        pytest.warns(UserWarning, match="In ort autocast, but the target dtype is not supported"),
        torch.autocast("ort", dtype=torch.float32),
    ):
        assert (a @ a).dtype == torch.float32


def test_gradient_scaler_skips_steps_that_overflow() -> None:
    parameter = torch.nn.Parameter(torch.ones(2, device="ort"))
    optimizer = torch.optim.SGD([parameter], lr=1.0)
    scaler = torch.amp.GradScaler("ort", init_scale=4.0)
    for factor, expected in ((1.0, 0.0), (float("inf"), 0.0)):
        optimizer.zero_grad()
        scaler.scale((parameter * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        assert parameter.tolist() == [expected] * 2
    assert scaler.get_scale() == 2.0


def test_scaled_dot_product_attention_and_its_gradient() -> None:
    def attend(device: str) -> torch.Tensor:
        q, k, v = (torch.randn(2, 4, 6, 8).to(device).requires_grad_() for _ in range(3))
        torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).pow(2).sum().backward()
        assert q.grad is not None
        assert k.grad is not None
        assert v.grad is not None
        return torch.stack([q.grad, k.grad, v.grad])

    both(attend)


def test_profiler_names_the_operators() -> None:
    x = torch.ones(8, 8, device="ort")
    with torch.profiler.profile() as profile:
        (x @ x).relu()
    names = {event.key for event in profile.key_averages()}
    assert {"aten::matmul", "aten::mm", "aten::relu"} <= names


def test_clone_and_to_keep_or_change_the_memory_format() -> None:
    image = torch.randn(2, 3, 4, 5, device="ort")
    last = image.to(memory_format=torch.channels_last)
    assert last.is_contiguous(memory_format=torch.channels_last)
    assert last.clone().stride() == last.stride()
    assert last.clone(memory_format=torch.contiguous_format).stride() == image.stride()
    assert torch.equal(last.cpu(), image.cpu())
    assert last.cpu().is_contiguous(memory_format=torch.channels_last)


def test_compiled_function_computes_the_same() -> None:
    def compiled(device: str) -> torch.Tensor:
        function = torch.compile(lambda t: (t.sin() + 1).relu().sum(0), backend="aot_eager")
        return function(torch.linspace(-3, 3, 12).view(3, 4).to(device))

    both(compiled)


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.eye(3).to_sparse().to("ort"),
        lambda: torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8).to("ort"),
        lambda: torch.sparse_coo_tensor(torch.zeros(1, 1, dtype=torch.long), torch.ones(1), (3,), device="ort"),
    ],
    ids=["sparse copy", "quantized copy", "sparse factory"],
)
def test_sparse_and_quantized_tensors_are_refused(make: Callable[[], torch.Tensor]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((NotImplementedError, RuntimeError)):
            make()


def test_softmax_backward_does_not_cancel_where_probabilities_are_near_0_and_1() -> None:
    """Second derivatives of log-probabilities divide by them, and show every bit that the first ones lost."""
    torch.manual_seed(0)
    x = torch.randn(6, 4) * 8
    first, second = [], []
    for device, dtype in (("cpu", torch.float64), ("cpu", torch.float32), ("ort", torch.float32)):
        leaf = x.to(dtype).to(device).requires_grad_()
        (grad,) = torch.autograd.grad(leaf.softmax(0)[:2].log().sum(), leaf, create_graph=True)
        (again,) = torch.autograd.grad(grad.square().sum(), leaf)
        first.append(grad.detach().cpu().double())
        second.append(again.cpu().double())
    for exact, cpu, ort in (first, second):
        assert (ort - exact).abs().max() <= 2 * (cpu - exact).abs().max() + 1e-6


@pytest.mark.parametrize("last_step", [lambda loss: loss, lambda loss: loss.cpu()], ids=["on ort", "on cpu"])
def test_backward_runs_in_the_thread_that_asks_for_it(last_step: Callable[[torch.Tensor], torch.Tensor]) -> None:
    threads = set()
    x = torch.ones(3, device="ort", requires_grad=True)
    y = x * 2
    y.register_hook(lambda _: threads.add(threading.get_ident()))
    last_step(y.sum()).backward()
    assert threads == {threading.get_ident()}
    assert torch._C._is_multithreading_enabled()


def test_process_ends_cleanly_right_behind_a_backward_pass() -> None:
    program = (
        "import torch, dlport.torch\n"
        "x = torch.ones(3, device='ort', requires_grad=True)\n"
        "(x * 2).sum().backward()\n"
        "print(x.grad.tolist())"
    )
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout, done.stderr) == (0, "[2.0, 2.0, 2.0]\n", "")


def double(connection: object) -> None:
    connection.send((torch.arange(3, device="ort") * 2).tolist())  # type: ignore[attr-defined]


def test_spawned_process_uses_the_device_after_its_parent_has() -> None:
    torch.ones(300, device="ort").sum().item()
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=double, args=(theirs,))
    process.start()
    assert ours.recv() == [0, 2, 4]
    process.join()
    assert process.exitcode == 0
