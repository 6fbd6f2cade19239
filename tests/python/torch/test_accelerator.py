"""`torch.accelerator` and `torch.ort` steer the ort device as they steer any other."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator

import pytest
import torch

import dlport.torch  # noqa: F401  registers "ort"

DTYPES = {value for value in vars(torch).values() if isinstance(value, torch.dtype)}


pytestmark = pytest.mark.usefixtures("second_device")


@pytest.fixture(autouse=True)
def first_device_is_current() -> Iterator[None]:
    torch.accelerator.set_device_index(0)
    yield
    torch.accelerator.set_device_index(0)


def test_accelerator_is_the_ort_device() -> None:
    assert torch.accelerator.is_available()
    assert torch.accelerator.current_accelerator() == torch.device("ort")
    assert torch.accelerator.device_count() == torch.ort.device_count() >= 2


def test_current_device_is_one_and_the_same() -> None:
    torch.accelerator.set_device_index(1)
    assert torch.accelerator.current_device_index() == torch.ort.current_device() == 1
    torch.ort.set_device("ort:0")
    assert torch.accelerator.current_device_index() == 0
    torch.accelerator.set_device_index(torch.device("ort:1"))
    assert torch.empty(1, device="ort").device == torch.device("ort:1")


def test_index_that_no_device_has_is_refused() -> None:
    with pytest.raises(RuntimeError, match="ort:99 does not exist: there are"):
        torch.accelerator.set_device_index(99)
    assert torch.accelerator.current_device_index() == 0


def test_device_changes_within_its_block_only() -> None:
    with torch.accelerator.device_index(1):
        assert torch.accelerator.current_device_index() == 1
        with torch.accelerator.device_index(0):
            assert torch.accelerator.current_device_index() == 0
        with torch.accelerator.device_index(None):
            assert torch.accelerator.current_device_index() == 1
    assert torch.accelerator.current_device_index() == 0


def raise_key_error() -> None:
    raise KeyError("on purpose")


@pytest.mark.parametrize("context", [torch.accelerator.device_index, lambda index: torch.ort.device(index)])
def test_exception_puts_the_device_back(context: Callable[[int], object]) -> None:
    with pytest.raises(KeyError), context(1):  # type: ignore[attr-defined]
        raise_key_error()
    assert torch.accelerator.current_device_index() == 0


@pytest.mark.parametrize("index", [0, 1])
def test_capability_names_the_dtypes_whose_tensors_can_be_made(index: int) -> None:
    supported = torch.accelerator.get_device_capability(f"ort:{index}")["supported_dtypes"]
    for dtype in DTYPES:
        try:
            torch.empty(2, dtype=dtype, device=f"ort:{index}")
        except (RuntimeError, NotImplementedError):
            assert dtype not in supported
        else:
            assert dtype in supported, dtype


def test_memory_info_is_that_of_the_device() -> None:
    free, total = torch.accelerator.get_memory_info(1)
    assert 0 < free <= total


def test_threads_have_a_current_device_of_their_own() -> None:
    wrong: list[tuple[int, int]] = []

    def work(index: int) -> None:
        for _ in range(50):
            torch.accelerator.set_device_index(index)
            x = torch.ones(8, 8, device="ort")
            made = (x @ x).get_device()
            if made != index:
                wrong.append((index, made))

    threads = [threading.Thread(target=work, args=(number % 2,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert torch.accelerator.current_device_index() == 0


def test_error_leaves_the_device_usable() -> None:
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        torch.ones(2, 3, device="ort:1") @ torch.ones(2, 3, device="ort:1")
    torch.accelerator.synchronize(1)
    assert (torch.ones(2, device="ort:1") + 1).tolist() == [2, 2]


def test_initialising_is_done_once_and_harmless_again() -> None:
    torch.ort.init()
    torch.ort.init()
    assert torch.ort.is_initialized()


def test_initialising_in_a_forked_child_says_what_to_do() -> None:
    torch.ones(2, device="ort").add(1)
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        try:
            torch.ort.init()
        except RuntimeError as error:
            os._exit(
                0 if "Cannot re-initialize ort in forked subprocess" in str(error) and "spawn" in str(error) else 3
            )
        os._exit(4)
    assert os.waitpid(child, 0)[1] == 0
