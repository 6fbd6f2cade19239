"""Memory lives as long as somebody uses it, is released exactly once, and nothing is released at a bad moment."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest
from handmade import HandMade, capsule_name, fields_of, set_capsule_name

import dlport


class Owner(bytearray):
    """Memory whose end can be seen."""


def watched() -> tuple[np.ndarray, weakref.ref[Owner]]:
    owner = Owner(np.arange(64, dtype=np.float32).tobytes())
    return np.frombuffer(owner, np.float32), weakref.ref(owner)


def test_memory_outlives_its_producer() -> None:
    array, gone = watched()
    tensor = dlport.from_dlpack(array)
    del array
    gc.collect()
    assert gone() is not None
    assert float(np.asarray(tensor)[5]) == 5
    del tensor
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("replace", ["data", "set_", "swap", "subclass"])
def test_memory_outlives_a_tensor_that_is_given_other_memory(replace: str) -> None:
    torch = pytest.importorskip("torch")
    array, gone = watched()
    source = torch.from_numpy(array)
    if replace == "subclass":
        source = torch.nn.Parameter(source, requires_grad=False)
    del array
    tensor = dlport.from_dlpack(source)
    if replace == "set_":
        source.set_(torch.zeros(2))
    elif replace == "swap":
        torch.utils.swap_tensors(source, torch.zeros(2))
    else:
        source.data = torch.zeros(2)
    gc.collect()
    assert gone() is not None
    assert float(np.asarray(tensor)[5]) == 5
    del tensor
    gc.collect()
    assert gone() is None


def test_views_keep_the_memory_of_their_base() -> None:
    array, gone = watched()
    view = dlport.from_dlpack(array)[::2][3:]
    del array
    gc.collect()
    assert np.asarray(view)[0] == 6
    del view
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_untaken_capsule_releases_its_reference(max_version: tuple[int, int] | None) -> None:
    array, gone = watched()
    capsule = dlport.from_dlpack(array).__dlpack__(max_version=max_version)
    del array
    gc.collect()
    assert gone() is not None
    del capsule
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_deleter_runs_on_a_thread_that_python_has_never_seen(max_version: tuple[int, int] | None) -> None:
    libc = ctypes.CDLL(None)
    for _ in range(20):
        array, gone = watched()
        capsule = dlport.from_dlpack(array).__dlpack__(max_version=max_version)
        fields = fields_of(capsule)
        name = b"used_" + capsule_name(capsule)  # kept: a capsule does not copy its name
        set_capsule_name(capsule, name)
        del array
        thread = ctypes.c_ulong()
        libc.pthread_create(
            ctypes.byref(thread), None, ctypes.c_void_p(fields.deleter), ctypes.c_void_p(ctypes.addressof(fields))
        )
        libc.pthread_join(thread, None)
        assert gone() is None


def test_last_reference_may_die_on_another_thread() -> None:
    producer = HandMade(np.arange(6.0))
    held = [dlport.from_dlpack(producer)]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    assert producer.deleted == 1


def test_many_threads_may_share_a_tensor() -> None:
    array, gone = watched()
    tensor = dlport.from_dlpack(array)

    def work(shared: dlport.Tensor) -> None:
        for _ in range(500):
            assert np.from_dlpack(dlport.from_dlpack(shared))[7] == 7

    threads = [threading.Thread(target=work, args=(tensor,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    del array, tensor, threads
    gc.collect()
    assert gone() is None


def test_nothing_grows_over_many_exchanges() -> None:
    import torch

    def exchange() -> None:
        for _ in range(300):
            tensor = dlport.from_dlpack(np.zeros(1 << 18, np.float32))
            tensor.__dlpack__()
            tensor.__dlpack__(max_version=(1, 0), copy=True)
            tensor.to(torch)
            dlport.from_dlpack(torch.zeros(1 << 18))

    exchange()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    exchange()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000, "kilobytes"


def run(code: str) -> None:
    """Runs `code` in a process of its own, where a bad access ends in a signal."""
    environment = os.environ | {
        "PYTHONMALLOC": "debug",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
    }
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_tensors_alive_when_the_interpreter_ends() -> None:
    run(
        "import sys, threading, numpy as np, dlport\n"
        "sys.keep = [dlport.from_dlpack(np.arange(1000.0)) for _ in range(50)]\n"
        "threading.keep = [dlport.from_dlpack(np.arange(9.0)).__dlpack__(max_version=(1, 0)) for _ in range(9)]\n"
        "class Cycle: pass\n"
        "cycle = Cycle(); cycle.self = cycle; cycle.tensor = dlport.from_dlpack(np.ones(5))\n"
    )


def test_tensors_die_in_a_forked_child() -> None:
    run(
        "import os, numpy as np, torch, dlport\n"
        "held = [dlport.from_dlpack(np.arange(1000.0)), dlport.from_dlpack(torch.ones(3))]\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    held.clear(); dlport.from_dlpack(np.ones(3)).copy(); os._exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
    )


def test_freed_exactly_once_in_a_child_that_exits_normally() -> None:
    run(
        "import os, sys, numpy as np, dlport\n"
        "held = dlport.from_dlpack(np.arange(1000.0))\n"
        "child = os.fork()\n"
        "if child == 0: sys.exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
    )
