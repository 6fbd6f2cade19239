"""Streams, events and operators from Python, on a real OpenCL device."""

from __future__ import annotations

import gc
import subprocess
import sys

import numpy as np
import pytest

import dlport
from dlport.drivers import Event, Operator, Stream

SCALE = "kernel void scale(global float* x, float by) { x[get_global_id(0)] *= by; }"
opencl = pytest.mark.skipif(
    not any(device["driver"] == "opencl" for device in dlport.devices()), reason="no OpenCL device on this machine"
)


@opencl
def test_work_of_a_stream_runs_in_order() -> None:
    array = np.arange(100_000, dtype=np.float32)
    scale, stream = Operator("opencl:0", "scale", SCALE), Stream("opencl:0")
    x = dlport.to(array, "opencl:0", stream=stream)
    for _ in range(3):
        scale(x, np.float32(2), grid=array.size, stream=stream)
    host = x.copy_to("cpu", stream)
    stream.synchronize()
    np.testing.assert_array_equal(np.asarray(host), array * 8)


@opencl
def test_what_a_stream_works_on_may_be_let_go() -> None:
    scale, stream = Operator("opencl:0", "scale", SCALE), Stream("opencl:0")
    result = dlport.empty((300, 1000), "float32", "cpu")
    for row in range(300):  # more than a stream keeps
        x = dlport.to(np.full(1000, row, np.float32), "opencl:0", stream=stream)
        scale(x, np.float32(0.5), grid=1000, stream=stream)
        dlport.copy(result[row], x, stream=stream)
        del x
        gc.collect()
    stream.synchronize()
    np.testing.assert_array_equal(np.asarray(result)[:, 0], np.arange(300) / 2)


@opencl
def test_events_order_and_time_streams() -> None:
    one, other = Stream("opencl:0"), Stream("opencl:0")
    start, end = Event("opencl:0"), Event("opencl:0")
    scale = Operator("opencl:0", "scale", SCALE)
    x = dlport.to(np.ones(1 << 20, np.float32), "opencl:0")
    start.record(one)
    scale(x, np.float32(3), grid=x.size, stream=one)
    end.record(one)
    end.wait(other)
    scale(x, np.float32(5), grid=x.size, stream=other)
    other.synchronize()
    end.synchronize()
    assert start.elapsed_time(end) > 0
    assert float(np.asarray(x.to("cpu"))[-1]) == 15


@opencl
def test_without_a_stream_the_work_is_done() -> None:
    x = dlport.to(np.ones(8, np.float32), "opencl:0")
    Operator("opencl:0", "scale", SCALE)(x, np.float32(7), grid=(8,), group=4)
    np.testing.assert_array_equal(np.asarray(x.to("cpu")), np.full(8, 7, np.float32))


@opencl
@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda x: Operator("opencl:0", "scale", "kernel void scale(int"), ValueError, "error"),
        (lambda x: Operator("opencl:0", "other", SCALE), RuntimeError, "other"),
        (lambda x: Operator("opencl:0", "scale", SCALE)(x, 0.5, grid=8), TypeError, r"numpy\.float32"),
        (lambda x: Operator("opencl:0", "scale", SCALE)(x, grid=8), ValueError, "argument"),
        (lambda x: Operator("opencl:0", "scale", SCALE)(x, np.float32(1), grid=(1, 1, 1, 1)), ValueError, "directions"),
        (lambda x: Operator("opencl:0", "scale", SCALE)(x, np.float32(1), grid=-1), ValueError, "negative"),
        (lambda x: Operator("opencl:0", "scale", SCALE)(np.ones(8), np.float32(1)), ValueError, "cpu"),
        (lambda x: dlport.copy(x, x, stream="opencl:0"), TypeError, "Stream or None"),
        (lambda x: Event("opencl:0").record(None), TypeError, "Stream"),
        (lambda x: Stream("vulkan:0"), RuntimeError, "vulkan"),
        (lambda x: x.copy_to(None), ValueError, "device is None"),
    ],
)
def test_what_cannot_be_done_is_said(call: object, error: type[Exception], says: str) -> None:
    x = dlport.to(np.ones(8, np.float32), "opencl:0")
    with pytest.raises(error, match=says):
        call(x)  # type: ignore[operator]
    np.testing.assert_array_equal(np.asarray(x.to("cpu")), np.ones(8, np.float32))


@opencl
@pytest.mark.parametrize("framework", ["torch", "jax", "tensorflow", "onnxruntime"])
def test_kernels_compile_in_a_process_that_has_a_framework(framework: str) -> None:
    """Some of them bring an LLVM along, which is not the one that the platform's compiler is made for."""
    pytest.importorskip(framework)
    program = f"import {framework}\nfrom dlport.drivers import Operator\nOperator('opencl:0', 'scale', {SCALE!r})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]


def test_copy_to_is_a_copy_also_in_place() -> None:
    array = np.arange(6.0)
    copied = dlport.from_dlpack(array).copy_to("cpu")
    assert not np.shares_memory(np.asarray(copied), array)
    np.testing.assert_array_equal(np.asarray(copied), array)
