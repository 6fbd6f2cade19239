"""The name "ort" wherever PyTorch gives a device's name: methods, attributes, modules, types."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn.utils.rnn import pack_sequence
from torch.utils import backend_registration

import dlport.torch  # noqa: F401  registers "ort"

pytestmark = pytest.mark.usefixtures("second_device")


@pytest.mark.parametrize(
    "imports", ["import torch", "import dlport.torch, torch", "import torch, dlport.torch", "import dlport, torch"]
)
def test_device_is_there_whichever_is_imported_first(imports: str) -> None:
    program = f"{imports}; print(torch.ones(2, device='ort').tolist())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("[1.0, 1.0]\n", "")


def test_device_is_the_private_one_of_pytorch() -> None:
    assert torch._C._get_privateuse1_backend_name() == "ort"
    assert torch.device("privateuseone:1") == torch.device("ort:1")
    assert str(torch.device("ort")) == "ort"


def test_name_is_given_once() -> None:
    torch.utils.rename_privateuse1_backend("ort")
    with pytest.raises(RuntimeError, match="has already been set"):
        torch.utils.rename_privateuse1_backend("other")
    with pytest.raises(RuntimeError, match="runtime module of"):
        torch._register_device_module("ort", torch)  # type: ignore[no-untyped-call]
    with pytest.raises(RuntimeError, match="custom device module of"):
        torch.utils.generate_methods_for_privateuse1_backend()


def test_pytorch_finds_the_functions_of_the_module() -> None:
    find = backend_registration._get_custom_mod_func
    assert find("device_count")() == torch.ort.device_count()
    with pytest.raises(RuntimeError, match=r"Try to call torch\.ort"):
        find("no_such_function")


def test_every_kind_of_holder_can_tell_and_move() -> None:
    for kind in (torch.Tensor, torch.TypedStorage, torch.UntypedStorage, torch.nn.utils.rnn.PackedSequence):
        assert hasattr(kind, "is_ort"), kind
        assert callable(kind.ort), kind  # type: ignore[attr-defined]
    assert callable(torch.nn.Module.ort)


MOVES: dict[str, Callable[[], Any]] = {
    "tensor": lambda: torch.ones(3).ort(),
    "tensor, by index": lambda: torch.ones(3).ort(0),
    "tensor, by device": lambda: torch.ones(3).ort(torch.device("ort:0")),
    "tensor, in the background": lambda: torch.ones(3).ort(non_blocking=True),
    "storage": lambda: torch.ones(3).untyped_storage().ort(),
    "typed storage": lambda: torch.ones(3).storage().ort(),
    "module": lambda: torch.nn.Linear(2, 2).ort().weight,
    "packed sequence": lambda: pack_sequence([torch.ones(2), torch.ones(1)]).ort().data,
}


@pytest.mark.parametrize("name", MOVES)
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_method_moves_to_the_device(name: str) -> None:
    moved = MOVES[name]()
    assert moved.is_ort
    assert moved.device == torch.device("ort:0")
    assert not torch.ones(3).is_ort


@pytest.mark.parametrize("holder", [torch.ones(3), torch.ones(3).untyped_storage(), torch.nn.Linear(2, 2)])
def test_method_moves_to_a_certain_device(holder: Any) -> None:
    moved = holder.ort(1)
    assert getattr(moved, "weight", moved).device == torch.device("ort:1")
    assert moved.ort(0).cpu() is not None


TYPES = {
    torch.float64: "Double",
    torch.float32: "Float",
    torch.float16: "Half",
    torch.int64: "Long",
    torch.int32: "Int",
    torch.int16: "Short",
    torch.int8: "Char",
    torch.uint8: "Byte",
    torch.bool: "Bool",
    torch.bfloat16: "BFloat16",
}


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_type_is_named_after_the_module(dtype: torch.dtype) -> None:
    tensor = torch.empty(1, dtype=dtype, device="ort")
    assert tensor.type() == f"torch.ort.{TYPES[dtype]}Tensor"
    assert torch.empty(1, dtype=dtype).type(tensor.type()).device == torch.device("ort:0")


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_storage_knows_its_device_and_size() -> None:
    storage = torch.arange(4.0, device="ort").storage()
    assert storage.type() == "torch.storage.TypedStorage"
    assert (storage.device, len(storage), storage.tolist()) == (torch.device("ort:0"), 4, [0, 1, 2, 3])


def test_generator_belongs_to_its_device() -> None:
    for index in (0, 1):
        generator = torch.Generator(f"ort:{index}")
        assert generator.device == torch.device("ort", index)
        assert generator.manual_seed(7).initial_seed() == 7
        state = generator.get_state()
        first = torch.rand(4, device=f"ort:{index}", generator=generator)
        generator.set_state(state)
        assert torch.equal(torch.rand(4, device=f"ort:{index}", generator=generator).cpu(), first.cpu())


def test_states_of_all_generators_are_kept_and_put_back() -> None:
    states = torch.ort.get_rng_state_all()
    assert len(states) == torch.ort.device_count()
    first = torch.rand(3, device="ort:1")
    torch.ort.set_rng_state_all(states)
    assert torch.equal(torch.rand(3, device="ort:1").cpu(), first.cpu())
    torch.ort.manual_seed_all(11)
    assert torch.ort.initial_seed() == 11
    torch.ort.seed_all()
    assert torch.ort.initial_seed() != 11


def test_forked_random_state_is_put_back_behind_its_block() -> None:
    torch.manual_seed(5)
    with torch.random.fork_rng(devices=[0], device_type="ort"):
        inside = torch.rand(3, device="ort")
    torch.manual_seed(5)
    assert torch.equal(torch.rand(3, device="ort").cpu(), inside.cpu())


def test_tests_written_for_any_device_run_for_ort() -> None:
    from torch.testing._internal.common_device_type import instantiate_device_type_tests, onlyPRIVATEUSE1
    from torch.testing._internal.common_utils import TestCase

    ran = []

    class TestOfAnyDevice(TestCase):  # type: ignore[misc]
        @onlyPRIVATEUSE1
        def test_addition(self, device: str) -> None:
            ran.append(device)
            assert (torch.ones(2, device=device) + 1).tolist() == [2, 2]

    scope = {"TestOfAnyDevice": TestOfAnyDevice}
    instantiate_device_type_tests(TestOfAnyDevice, scope, only_for=("ort",))
    (kind,) = (value for name, value in scope.items() if name != "TestOfAnyDevice")
    kind("test_addition_ort").debug()
    assert ran == ["ort:0"]
