"""ort tensors that go from one process to another through a queue or a pipe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.multiprocessing as mp

import dlport.torch  # noqa: F401  registers "ort"


def answer(connection: Any) -> None:
    """Describes every tensor that comes, writes into it, and waits to be told that it may go."""
    while (tensor := connection.recv()) is not None:
        connection.send((str(tensor.device), tensor.stride(), tensor.tolist(), type(tensor), tensor.requires_grad))
        tensor.detach().add_(100)
        connection.send("written")


def send_back(connection: Any) -> None:
    connection.send(torch.arange(4.0, device="ort"))
    connection.recv()


class Child:
    """A spawned process at the other end of a pipe."""

    def __init__(self, work: Callable[[Any], None]) -> None:
        context = mp.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs,))
        self.process.start()

    def receive(self) -> Any:
        assert self.connection.poll(60), "the other process did not answer"
        return self.connection.recv()

    def end(self) -> None:
        self.connection.send(None)
        self.process.join(60)
        assert self.process.exitcode == 0


@pytest.fixture(scope="module")
def child() -> Any:
    child = Child(answer)
    yield child
    child.end()


BASE = torch.arange(8.0)


@pytest.mark.parametrize(
    "view",
    [lambda x: x, lambda x: x[4:], lambda x: x[::2], lambda x: x.view(2, 4).t(), lambda x: x[2].clone()],
    ids=["whole", "offset", "strided", "transposed", "scalar"],
)
def test_both_processes_see_one_memory(child: Child, view: Callable[[torch.Tensor], torch.Tensor]) -> None:
    tensor, expected = view(BASE.to("ort")), view(BASE)
    child.connection.send(tensor)
    assert child.receive() == ("ort:0", expected.stride(), expected.tolist(), torch.Tensor, False)
    assert child.receive() == "written"
    torch.testing.assert_close(tensor.cpu(), expected + 100)


def test_parameter_stays_one(child: Child) -> None:
    child.connection.send(torch.nn.Parameter(BASE.to("ort")))
    assert child.receive() == ("ort:0", (1,), BASE.tolist(), torch.nn.Parameter, True)
    assert child.receive() == "written"


def test_module_trains_in_the_memory_of_both(child: Child) -> None:
    weight = torch.nn.Linear(3, 1).to("ort").weight
    before = weight.detach().cpu()
    child.connection.send(weight)
    child.receive(), child.receive()
    torch.testing.assert_close(weight.detach().cpu(), before + 100)
    (weight * 2).sum().backward()
    assert weight.grad is not None
    assert (weight.grad.cpu() == 2).all()


def test_tensor_outlives_the_process_that_made_it() -> None:
    child = Child(send_back)
    tensor = child.receive()
    child.end()
    assert tensor.device == torch.device("ort:0")
    assert tensor.tolist() == [0, 1, 2, 3]


def test_tensor_with_a_history_is_refused_as_on_cpu() -> None:
    ours, _ = mp.Pipe()
    with pytest.raises(RuntimeError, match="non-leaf tensor which requires_grad"):
        ours.send(torch.ones(3, device="ort", requires_grad=True) * 2)


def test_other_tensors_go_as_before(child: Child) -> None:
    tensor = BASE.clone()
    child.connection.send(tensor)
    assert child.receive()[0] == "cpu"
    assert child.receive() == "written"
    assert tensor.tolist() == (BASE + 100).tolist()
