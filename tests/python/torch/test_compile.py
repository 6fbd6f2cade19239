"""`torch.compile` of functions on ort tensors. Its backend "ort" runs the traced operators as eager mode runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from torch._dynamo.backends.registry import list_backends
from torch._dynamo.device_interface import get_interface_for_device
from torch._dynamo.testing import CompileCounterWithBackend

import dlport.torch

pytestmark = pytest.mark.usefixtures("provider")


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def test_backend_is_listed() -> None:
    assert "ort" in list_backends(exclude_tags=())


def test_dynamo_knows_the_device() -> None:
    interface = get_interface_for_device("ort")
    assert interface.is_available()
    assert interface.device_count() == torch.ort.device_count()
    assert interface.current_device() == torch.ort.current_device()
    with interface.device(0):
        interface.synchronize()
    assert get_interface_for_device(torch.device("ort:0")) is interface


FUNCTIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "pointwise": lambda t: (t.sin() + 1).relu(),
    "reduction": lambda t: t.softmax(1).sum(0),
    "matmul": lambda t: t @ t.t(),
    "view and write": lambda t: t.clone().view(-1)[3:].mul_(2),
    "factory": lambda t: t + torch.ones(4, device=t.device),
    "transfer": lambda t: (t.cpu() + 1).to(t.device),
    "autocast": lambda t: autocast_matmul(t),
}


def autocast_matmul(t: torch.Tensor) -> torch.Tensor:
    with torch.autocast(t.device.type, dtype=torch.bfloat16):
        return t @ t.t()


@pytest.mark.parametrize("backend", ["ort", "aot_eager", "eager"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiled_function_computes_what_it_computes_on_cpu(name: str, backend: str) -> None:
    x = torch.linspace(-2, 2, 12).view(3, 4)
    expected = FUNCTIONS[name](x)
    compiled = torch.compile(FUNCTIONS[name], backend=backend, fullgraph=True)(x.to("ort"))
    assert compiled.device.type == "ort"
    torch.testing.assert_close(compiled.cpu(), expected)


def test_compiled_module_trains_as_on_cpu() -> None:
    def train(device: str) -> list[torch.Tensor]:
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.LayerNorm(8), torch.nn.Linear(8, 2)).to(device)
        step = torch.compile(model, backend="ort") if device == "ort" else model
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            step(torch.linspace(-1, 1, 20).view(5, 4).to(device)).square().sum().backward()
            optimizer.step()
        return [parameter.detach().cpu() for parameter in model.parameters()]

    torch.testing.assert_close(train("ort"), train("cpu"))


class Cube(torch.autograd.Function):
    """A differentiable function with a backward pass of its own."""

    @staticmethod
    def forward(context: torch.autograd.function.FunctionCtx, x: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        context.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(context: torch.autograd.function.FunctionCtx, gradient: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        (x,) = context.saved_tensors  # type: ignore[attr-defined]
        return gradient * 3 * x**2


@pytest.mark.parametrize("backend", ["ort", "aot_eager"])
def test_custom_autograd_function_is_compiled(backend: str) -> None:
    x = torch.arange(3.0, device="ort").requires_grad_()
    torch.compile(lambda t: Cube.apply(t).sum(), backend=backend, fullgraph=True)(x).backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0, 3, 12]


def test_graph_breaks_are_survived() -> None:
    def function(t: torch.Tensor) -> torch.Tensor:
        y = t + 1
        return y * 2 if y.sum().item() > 0 else y * 3

    compiled = torch.compile(function, backend="ort")
    assert compiled(torch.ones(2, device="ort")).tolist() == [4, 4]
    assert compiled(-4 * torch.ones(2, device="ort")).tolist() == [-9, -9]


def test_function_is_compiled_once_per_kind_of_input() -> None:
    counter = CompileCounterWithBackend("ort")
    compiled = torch.compile(lambda t: t * 2 + 1, backend=counter, dynamic=False)
    for size in (3, 3, 4, 3):
        assert compiled(torch.ones(size, device="ort")).tolist() == [3] * size
    assert counter.frame_count == 2
    compiled(torch.ones(3))
    assert counter.frame_count == 3


def test_dynamic_shapes_share_one_graph() -> None:
    counter = CompileCounterWithBackend("ort")
    compiled = torch.compile(lambda t: t.sum(0) * 2, backend=counter, dynamic=True)
    for size in (3, 5, 9):
        assert compiled(torch.ones(size, 2, device="ort")).tolist() == [2 * size] * 2
    assert counter.frame_count == 1


def test_default_device_is_traced() -> None:
    with torch.device("ort"):
        made = torch.compile(lambda: torch.ones(3) + 1, backend="ort")()
    assert (made.device.type, made.tolist()) == ("ort", [2, 2, 2])


def test_compiled_operators_are_counted_as_eager_ones_are() -> None:
    compiled = torch.compile(lambda t: t.tanh(), backend="ort")
    x = torch.ones(4, device="ort")
    compiled(x)
    dlport.torch.reset_stats()
    compiled(x)
    assert dlport.torch.stats()["lowered"] == 1


def test_fake_tensors_carry_the_device() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.ones(2, 3, device="ort") @ torch.ones(3, 4, device="ort")
    assert (fake.device, fake.shape) == (torch.device("ort:0"), (2, 4))
