"""`torch.device("ort")` behaves as PyTorch's users expect of a device."""

from __future__ import annotations

import copy
import io
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

import dlport.torch

VIEWS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "view": lambda t: t.view(4, 6),
    "reshape": lambda t: t.reshape(2, 12),
    "slice": lambda t: t[3:9],
    "step": lambda t: t[::2],
    "transpose": lambda t: t.view(4, 6).t(),
    "permute": lambda t: t.view(2, 3, 4).permute(2, 0, 1),
    "select": lambda t: t.view(4, 6)[1],
    "unsqueeze": lambda t: t.unsqueeze(0),
    "as_strided": lambda t: t.as_strided((3, 3), (4, 2), 1),
    "chunk": lambda t: t.chunk(3)[1],
    "unbind": lambda t: t.view(4, 6).unbind(1)[2],
    "diagonal": lambda t: t[:16].view(4, 4).diagonal(),
    "unfold": lambda t: t.unfold(0, 4, 4),
    "expand": lambda t: t[:1].expand(3),
    "detach": lambda t: t.detach(),
    "view as another dtype": lambda t: t.view(torch.int32),
}


@pytest.mark.parametrize("name", VIEWS)
def test_write_through_a_view_reaches_its_base(name: str) -> None:
    base, expected = torch.arange(24.0).to("ort"), torch.arange(24.0)
    VIEWS[name](base).fill_(5)
    VIEWS[name](expected).fill_(5)
    assert torch.equal(base.cpu(), expected)


FACTORIES: dict[str, Callable[[str], torch.Tensor]] = {
    "eye": lambda d: torch.eye(2, 4, device=d),
    "arange": lambda d: torch.arange(0, 1, 0.25, device=d),
    "linspace": lambda d: torch.linspace(0, 1, 5, device=d),
    "full": lambda d: torch.full((2, 2), 7, device=d),
    "tril_indices": lambda d: torch.tril_indices(3, 3, device=d),
    "empty dimension": lambda d: torch.zeros(2, 0, device=d),
    "tensor": lambda d: torch.tensor([[1, 2]], device=d),
    "like": lambda d: torch.zeros_like(torch.ones(2, 3, device=d).t()),
    "new_tensor": lambda d: torch.ones(1, device=d).new_tensor([4.0]),
    "complex": lambda d: torch.complex(torch.ones(2, device=d), torch.zeros(2, device=d)),
    "hann_window": lambda d: torch.hann_window(4, device=d),
}


@pytest.mark.parametrize("name", FACTORIES)
def test_factory_makes_what_it_makes_on_cpu(name: str) -> None:
    made, expected = FACTORIES[name]("ort"), FACTORIES[name]("cpu")
    assert made.device == torch.device("ort", 0)
    assert made.is_ort
    assert (made.dtype, made.stride()) == (expected.dtype, expected.stride())
    assert torch.equal(made.cpu(), expected)


def test_resize_grows_the_memory_and_keeps_the_elements() -> None:
    tensor = torch.arange(4.0).to("ort")
    tensor.resize_(1000)
    assert torch.equal(tensor[:4].cpu(), torch.arange(4.0))
    tensor[999] = 1
    assert tensor.untyped_storage().nbytes() == 4000


def test_storage_is_an_ort_storage_and_can_be_set() -> None:
    tensor = torch.arange(6.0).to("ort")
    assert tensor.untyped_storage().device == torch.device("ort", 0)
    other = torch.empty(0, device="ort").set_(tensor.untyped_storage(), 2, (2,), (1,))
    other.fill_(9)
    assert tensor.tolist() == [0, 1, 9, 9, 4, 5]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int8, torch.bool, torch.complex64])
def test_repr_shows_values_and_device(dtype: torch.dtype) -> None:
    assert "device='ort:0'" in repr(torch.ones(2, 3).to(dtype).to("ort"))


def test_scalars_come_out_as_python_numbers() -> None:
    for value, dtype in ((2.5, torch.float32), (True, torch.bool), (1 + 2j, torch.complex64), (2**60, torch.int64)):
        item = torch.tensor(value, dtype=dtype).to("ort").item()
        assert item == value
        assert type(item) is type(value)


def test_copies_are_copies_and_aliases_aliases() -> None:
    cpu = torch.ones(4)
    ort = cpu.to("ort")
    ort.zero_()
    assert cpu.sum() == 4
    assert ort.to("ort").data_ptr() == ort.data_ptr()
    assert ort.to("ort", copy=True).data_ptr() != ort.data_ptr()
    assert torch.asarray(ort, copy=True).data_ptr() != ort.data_ptr()
    assert ort.cpu().data_ptr() != ort.data_ptr()


def test_share_is_one_memory_in_both_directions() -> None:
    cpu = torch.arange(4.0)
    ort = dlport.torch.share(cpu, "ort")
    assert ort.data_ptr() == cpu.data_ptr()
    ort.mul_(2)
    cpu[0] = 7
    assert ort.tolist() == cpu.tolist() == [7, 2, 4, 6]
    back = dlport.torch.share(torch.arange(3.0, device="ort"), "cpu")
    assert back.device.type == "cpu"
    del ort
    assert back.sum() == 3
    with pytest.raises(ValueError, match="do not share"):
        dlport.torch.share(cpu, "meta")


def test_shared_memory_follows_a_resize_of_the_other_side() -> None:
    cpu = torch.arange(4.0)
    ort = dlport.torch.share(cpu, "ort")
    cpu.resize_(10_000)
    assert (ort + 1).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "function",
    [lambda a, b: a + b, lambda a, b: torch.cat([a, b]), lambda a, b: torch.add(a, 1, out=b)],
    ids=["operands", "list", "out"],
)
def test_true_mix_of_devices_is_an_error(function: Callable[..., Any]) -> None:
    with pytest.raises(RuntimeError, match=r"same device.*ort:0.*cpu|same device"):
        function(torch.ones(6, device="ort"), torch.ones(6))


def test_scalars_and_indices_may_lie_on_the_cpu() -> None:
    tensor = torch.arange(6.0).to("ort")
    assert (tensor + torch.tensor(2.0)).device.type == "ort"
    assert (torch.tensor(2.0) * tensor).device.type == "ort"
    assert tensor[torch.tensor([0, 2])].tolist() == [0, 2]
    assert tensor.clone().index_put_((torch.tensor([1]),), torch.tensor(5.0))[1] == 5


@pytest.mark.parametrize("map_location", [None, "cpu", "ort:0", {"ort:0": "cpu"}])
def test_saved_tensors_load_where_they_should_and_stay_shared(map_location: Any) -> None:
    base = torch.arange(6.0).to("ort")
    file = io.BytesIO()
    torch.save({"a": base, "b": base[2:4]}, file)
    file.seek(0)
    loaded = torch.load(file, map_location=map_location)
    assert loaded["a"].device.type == ("cpu" if map_location not in (None, "ort:0") else "ort")
    loaded["b"].fill_(-1)
    assert loaded["a"].tolist() == [0, 1, -1, -1, 4, 5]


def test_saved_tensors_load_without_the_device(tmp_path: Path) -> None:
    torch.save(torch.arange(6.0).to("ort"), tmp_path / "t.pt")
    code = f"import torch; print(torch.load({str(tmp_path / 't.pt')!r}, map_location='cpu').sum().item())"
    environment = os.environ | {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "15.0", done.stderr


def test_pickle_and_deepcopy_make_independent_tensors() -> None:
    base = torch.arange(6.0).to("ort")
    first, second = copy.deepcopy([base, base[1:3]])
    first.fill_(9)
    assert second.tolist() == [9, 9]
    assert base[5] == 5
    assert torch.equal(pickle.loads(pickle.dumps(base)).cpu(), base.cpu())


def test_moving_a_module_keeps_its_parameters_and_ties() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(3, 3, bias=False), torch.nn.Linear(3, 3, bias=False))
    module[1].weight = module[0].weight
    before = [id(parameter) for parameter in module.parameters()]
    optimizer = torch.optim.SGD(module.parameters(), lr=1.0)
    module.to("ort")
    assert [id(parameter) for parameter in module.parameters()] == before
    weight = module[0].weight.detach().cpu().clone()
    module(torch.ones(1, 3, device="ort")).sum().backward()
    optimizer.step()
    assert not torch.equal(weight, module[0].weight.detach().cpu())
    assert module.to("cpu")[0].weight.device.type == "cpu"


def test_same_seed_gives_the_numbers_of_cpu() -> None:
    torch.manual_seed(3)
    expected = torch.randn(5), torch.randperm(10), torch.rand(3)
    torch.manual_seed(3)
    made = torch.randn(5, device="ort"), torch.randperm(10, device="ort"), torch.rand(3, device="ort")
    assert all(torch.equal(a.cpu(), b) for a, b in zip(made, expected, strict=True))
    own = torch.Generator("ort").manual_seed(3)
    assert torch.equal(torch.randn(5, device="ort", generator=own).cpu(), expected[0])
    state = torch.ort.get_rng_state()
    first = torch.rand(3, device="ort")
    torch.ort.set_rng_state(state)
    assert torch.equal(torch.rand(3, device="ort").cpu(), first.cpu())


def test_module_answers_for_the_device() -> None:
    assert torch.ort.is_available()
    assert torch.ort.device_count() >= 1
    assert torch.ort.current_device() == 0
    with torch.ort.device(0):
        assert torch.empty(1, device="ort").device.index == 0
    torch.ort.synchronize()
    with pytest.raises((RuntimeError, ValueError)):
        torch.ort.set_device(99)


def test_default_device_is_respected() -> None:
    torch.set_default_device("ort")
    try:
        assert torch.tensor([1.0]).device.type == torch.nn.Linear(2, 2).weight.device.type == "ort"
    finally:
        torch.set_default_device(None)


def test_autocast_computes_in_the_lower_precision() -> None:
    with torch.autocast("ort", dtype=torch.bfloat16):
        result = torch.ones(2, 2, device="ort") @ torch.ones(2, 2, device="ort")
    assert result.dtype == torch.bfloat16


@pytest.mark.parametrize("workers", [0, 2])
def test_data_loader_pins_memory(workers: int) -> None:
    loader = DataLoader(TensorDataset(torch.arange(10.0)), batch_size=3, pin_memory=True, num_workers=workers)
    batches = [batch[0] for batch in loader]
    assert torch.equal(torch.cat(batches), torch.arange(10.0))
    assert torch.equal(batches[0].to("ort", non_blocking=True).cpu(), torch.arange(3.0))
    assert torch.ones(3).pin_memory().is_pinned()
    assert not torch.ones(3).is_pinned()


def test_forked_child_is_told_at_once() -> None:
    (torch.randn(256, 256, device="ort") @ torch.randn(256, 256, device="ort")).sum().item()
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        try:
            torch.ones(3, 3).to("ort") @ torch.ones(3, 3).to("ort")
        except RuntimeError as error:
            os._exit(0 if "forked" in str(error) else 3)
        os._exit(4)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("foreach", [True, False, None])
@pytest.mark.parametrize(
    "name",
    ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "NAdam", "RAdam", "Adamax", "ASGD", "Rprop"],
)
def test_optimizer_takes_the_steps_that_it_takes_on_cpu(name: str, foreach: bool | None) -> None:
    def train(device: str) -> torch.Tensor:
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)).to(device)
        inputs, targets = torch.randn(16, 4).to(device), torch.randn(16, 1).to(device)
        optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.01, foreach=foreach)
        for _ in range(5):
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(inputs), targets).backward()
            optimizer.step()
        return torch.cat([parameter.detach().cpu().flatten() for parameter in model.parameters()])

    torch.testing.assert_close(train("ort"), train("cpu"), rtol=1e-4, atol=1e-5)
