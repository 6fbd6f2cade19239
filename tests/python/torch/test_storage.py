"""Storages of the ort device: exchanged, pinned, pickled, and saved with the metadata that a device may keep."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import pytest
import torch
from torch.serialization import default_restore_location, location_tag

import dlport.torch  # noqa: F401  registers "ort"

pytestmark = pytest.mark.usefixtures("second_device")


def test_data_of_a_cpu_tensor_can_be_that_of_an_ort_tensor() -> None:
    cpu, there = torch.zeros(4), torch.arange(4.0, device="ort")
    assert torch._has_compatible_shallow_copy_type(cpu, there)
    assert torch._has_compatible_shallow_copy_type(there, cpu)
    cpu.data = there
    assert cpu.device == torch.device("ort:0")
    assert cpu.data_ptr() == there.data_ptr()
    back = torch.zeros(4, device="ort")
    back.data = torch.arange(4.0)
    assert back.device.type == "cpu"
    assert (back + 1).tolist() == [1, 2, 3, 4]


def test_parameter_keeps_its_identity_when_its_data_moves() -> None:
    parameter = torch.nn.Parameter(torch.ones(3))
    parameter.data = parameter.data.to("ort")
    (parameter * 2).sum().backward()
    assert parameter.grad is not None
    assert parameter.grad.device.type == "ort"


def test_tensor_takes_the_memory_of_a_storage_or_a_tensor() -> None:
    source = torch.arange(6.0, device="ort")
    whole = torch.empty(0, device="ort").set_(source)
    part = torch.empty(0, device="ort").set_(source.untyped_storage(), 2, (2, 2), (2, 1))
    part.fill_(9)
    assert whole.tolist() == [0, 1, 9, 9, 9, 9]
    assert part.storage_offset() == 2
    typed = torch.empty(0, device="ort").set_(source.untyped_storage())
    assert typed.data_ptr() == source.data_ptr()


def test_memories_of_two_devices_are_apart() -> None:
    first, second = torch.zeros(4, device="ort:0"), torch.zeros(4, device="ort:1")
    assert first.data_ptr() != second.data_ptr()
    second.copy_(first.fill_(3))
    first.zero_()
    assert second.tolist() == [3, 3, 3, 3]


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated", "ignore:The argument 'device' of")
def test_pinned_memory_is_known_in_every_holder() -> None:
    plain = torch.ones(8)
    pinned = plain.pin_memory()
    assert pinned.is_pinned()
    assert pinned[2:].is_pinned()
    assert not plain.is_pinned()
    assert pinned.untyped_storage().is_pinned("ort")
    assert torch.empty(0).set_(pinned.untyped_storage()).is_pinned()
    assert plain.untyped_storage().pin_memory("ort").is_pinned("ort")
    assert plain.storage().pin_memory("ort").is_pinned("ort")
    assert torch.empty(4, pin_memory=True).is_pinned()
    with pytest.raises(RuntimeError, match="pin"):
        torch.ones(2, device="ort").pin_memory()


@pytest.mark.parametrize("device", ["ort:0", "ort:1"])
def test_storage_is_tagged_with_its_device_and_restored_there(device: str) -> None:
    assert location_tag(torch.UntypedStorage(4, device=torch.device(device))) == device
    restored = default_restore_location(torch.UntypedStorage(4), device)
    assert restored.is_ort
    assert restored.device == torch.device(device)


def test_storage_that_leads_to_no_device_is_named() -> None:
    with pytest.raises(RuntimeError, match="ort"):
        default_restore_location(torch.UntypedStorage(4), "ort:77")


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_module_survives_a_pickle(protocol: int) -> None:
    layer = torch.nn.Linear(3, 2).to("ort:1")
    again = pickle.loads(pickle.dumps(layer, protocol))
    assert again.weight.device == torch.device("ort:1")
    assert torch.equal(again.weight.cpu(), layer.weight.cpu())


@pytest.mark.parametrize("zipped", [True, False])
def test_both_file_formats_bring_tensors_back(zipped: bool) -> None:
    file = io.BytesIO()
    torch.save({"x": torch.arange(4.0, device="ort:1").t()}, file, _use_new_zipfile_serialization=zipped)
    for location, device in ((None, "ort:1"), ("ort:0", "ort:0"), ("cpu", "cpu"), (lambda s, _: s.ort(0), "ort:0")):
        file.seek(0)
        loaded = torch.load(file, map_location=location)["x"]
        assert loaded.device == torch.device(device)
        assert loaded.tolist() == [0, 1, 2, 3]


def test_mapped_file_is_read_into_the_device(tmp_path: object) -> None:
    path = f"{tmp_path}/x.pt"
    torch.save(torch.arange(5.0), path)
    assert torch.load(path, map_location="ort", mmap=True).tolist() == [0, 1, 2, 3, 4]


class Tagged(torch.Tensor):
    """A subclass of tensor that holds an ort tensor."""


def test_subclass_is_saved_with_its_type() -> None:
    file = io.BytesIO()
    torch.save(torch.arange(3.0, device="ort").as_subclass(Tagged), file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    assert type(loaded) is Tagged
    assert (loaded.device.type, loaded.tolist()) == ("ort", [0, 1, 2])


def test_generator_survives_a_pickle() -> None:
    generator = torch.Generator("ort").manual_seed(3)
    again = pickle.loads(pickle.dumps(generator))
    assert again.device == generator.device
    assert torch.equal(again.get_state(), generator.get_state())
    with pytest.raises(RuntimeError, match="does not support set_offset"):
        generator.set_offset(4)


def test_metadata_is_saved_with_its_tensor(tmp_path: Path) -> None:
    flags = {"version_number": True, "format_number": False}
    tensor = torch.ones(3, device="ort")
    assert torch._utils.get_tensor_metadata(tensor) == {}
    torch._utils.set_tensor_metadata(tensor, flags)
    assert torch._utils.get_tensor_metadata(tensor) == flags
    torch.save(tensor, tmp_path / "tensor.pt")
    assert torch._utils.get_tensor_metadata(torch.load(tmp_path / "tensor.pt")) == flags
    assert torch._utils.get_tensor_metadata(torch.load(tmp_path / "tensor.pt", map_location="cpu")) == {}
