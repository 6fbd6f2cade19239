"""Memory of the ort device: counted, kept for the next tensor, limited."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch

import dlport.torch

MIB = 1 << 20


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    gc.collect()
    torch.ort.empty_cache()
    torch.ort.reset_peak_memory_stats()
    yield
    torch.ort.set_memory_limit(None)


def mebibytes(count: int) -> torch.Tensor:
    return torch.empty(count * MIB, dtype=torch.uint8, device="ort")


def test_allocated_memory_is_counted_until_the_tensor_dies() -> None:
    before = torch.ort.memory_allocated()
    tensor = mebibytes(4)
    assert torch.ort.memory_allocated() - before == 4 * MIB
    del tensor
    assert torch.ort.memory_allocated() == before
    assert torch.ort.max_memory_allocated() - before == 4 * MIB


def test_results_of_native_kernels_are_counted() -> None:
    tensor = torch.arange(MIB, device="ort")
    before = torch.ort.memory_allocated()
    eigenvalues = torch.linalg.inv(torch.eye(512, device="ort"))
    assert torch.ort.memory_allocated() - before == eigenvalues.nbytes
    del eigenvalues
    assert torch.ort.memory_allocated() == before
    del tensor


def test_shared_memory_is_not_counted() -> None:
    before = torch.ort.memory_allocated()
    shared = dlport.torch.share(torch.empty(MIB), "ort")
    assert torch.ort.memory_allocated() == before
    assert shared.device.type == "ort"


def test_memory_counts_as_long_as_another_framework_holds_it() -> None:
    before = torch.ort.memory_allocated()
    tensor = mebibytes(1).zero_()
    array = np.from_dlpack(tensor)
    del tensor
    assert torch.ort.memory_allocated() - before == MIB
    assert array.sum() == 0
    del array
    assert torch.ort.memory_allocated() == before


def test_next_tensor_of_the_size_gets_the_memory_of_the_last() -> None:
    first = mebibytes(3)
    pointer = first.data_ptr()
    del first
    assert mebibytes(3).data_ptr() == pointer


def test_no_more_is_kept_than_was_once_in_use() -> None:
    before = torch.ort.memory_allocated()
    for count in range(1, 9):
        mebibytes(count)
    assert torch.ort.memory_reserved() - before <= 8 * MIB


def test_empty_cache_gives_what_is_kept_back() -> None:
    mebibytes(4)
    assert torch.ort.memory_reserved() > torch.ort.memory_allocated()
    torch.ort.empty_cache()
    assert torch.ort.memory_reserved() == torch.ort.memory_allocated()


def test_resizing_is_counted() -> None:
    tensor = torch.empty(0, dtype=torch.uint8, device="ort")
    before = torch.ort.memory_allocated()
    tensor.resize_(2 * MIB)
    assert torch.ort.memory_allocated() - before == 2 * MIB
    tensor.untyped_storage().resize_(0)
    assert torch.ort.memory_allocated() == before


@pytest.mark.parametrize(
    "allocate",
    [
        lambda: mebibytes(9),
        lambda: torch.linalg.inv(torch.eye(2048, device="ort")),
        lambda: torch.ones(MIB, device="ort").repeat(4) + 1,
    ],
    ids=["factory", "native kernel", "lowered operator"],
)
def test_limit_raises_out_of_memory_and_everything_works_after_it(allocate: Callable[[], torch.Tensor]) -> None:
    kept = torch.arange(4, device="ort")
    before = torch.ort.memory_allocated()
    torch.ort.set_memory_limit(before + 8 * MIB)
    with pytest.raises(torch.OutOfMemoryError, match="out of memory"):
        allocate()
    gc.collect()
    assert torch.ort.memory_allocated() == before
    assert (kept + 1).tolist() == [1, 2, 3, 4]
    torch.ort.set_memory_limit(None)
    assert allocate().device.type == "ort"


@pytest.mark.parametrize(
    "allocate",
    [
        lambda: torch.empty(1 << 46, device="ort"),
        lambda: torch.zeros(1, device="ort").expand(1 << 46).sort(),
    ],
    ids=["factory", "native kernel"],
)
def test_more_than_the_machine_has_raises_out_of_memory(allocate: Callable[[], torch.Tensor]) -> None:
    peak = torch.ort.max_memory_allocated()
    with pytest.raises(torch.OutOfMemoryError):
        allocate()
    assert torch.ort.max_memory_allocated() <= peak + 16


def test_limit_bounds_the_memory_that_is_told() -> None:
    torch.ort.set_memory_limit(64 * MIB)
    free, total = torch.ort.mem_get_info()
    assert total == 64 * MIB
    assert free == 64 * MIB - torch.ort.memory_allocated()


@pytest.mark.parametrize("limit", [-1, -MIB])
def test_negative_limit_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match=str(limit)):
        torch.ort.set_memory_limit(limit)


def test_accelerator_functions_answer_for_ort() -> None:
    assert torch.accelerator.memory_allocated(0) == torch.ort.memory_allocated()
    assert torch.ort.memory_stats()["allocated_bytes.all.current"] == torch.ort.memory_allocated()


def test_training_holds_a_constant_amount_of_memory() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8)).to("ort")
    optimizer = torch.optim.Adam(model.parameters())
    inputs, labels = torch.randn(32, 64).to("ort"), torch.randint(8, (32,)).to("ort")

    def step() -> int:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
        return torch.ort.memory_allocated()

    held = [step() for _ in range(60)]
    assert len(set(held[2:])) == 1
