"""Devices and the library behind them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from dlport import ort


def test_the_library_is_that_of_the_installed_package() -> None:
    assert ort.version() == onnxruntime.__version__


def test_the_first_device_is_the_cpu_provider() -> None:
    first = ort.devices()[0]
    assert (first.index, first.provider, first.hardware, first.physical) == (0, "CPUExecutionProvider", "CPU", "cpu:0")


def test_available_devices_name_provider_and_vendor() -> None:
    infos = ort.available_devices()
    assert infos[0].index == -1
    assert all(info.provider and info.vendor for info in infos)


def test_memory_of_a_device_is_shared_with_its_physical_one() -> None:
    tensor = ort.empty((2, 3), "float32")
    array = np.from_dlpack(tensor)
    ort.copy(tensor, np.ones((2, 3), np.float32))
    assert (array == 1).all()


def test_an_unknown_provider_names_those_that_there_are() -> None:
    with pytest.raises(RuntimeError, match=r"'abacus'.*cpu"):
        ort.set_device(1, "abacus")


def test_options_that_a_provider_would_not_read_are_refused() -> None:
    with pytest.raises(ValueError, match="takes no options, but was given 'threads'"):
        ort.set_device(1, "cpu", {"threads": 2})


def test_an_installed_provider_has_a_device_or_is_named_as_one_without() -> None:
    code = "from dlport import ort; ort.set_device(1, 'openvino'); print(ort.devices()[1].provider)"
    result = run_python(code, DLPORT_ORT_LIBRARY="")
    if result.returncode == 0:
        assert "OpenVINO" in result.stdout
    else:
        assert "without a device for this machine's hardware: onnxruntime_ep_openvino" in result.stderr


def test_an_index_that_is_not_configured_says_how_to() -> None:
    with pytest.raises(RuntimeError, match=r"ort:77.*set_device"):
        ort.launch("Relu", [np.ones(2, np.float32)], device="ort:77")


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {key: value for key, value in os.environ.items() if key != "DLPORT_ORT_LIBRARY"}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env=variables | environment
    )


FAIL_IN_ONE_LINE = """
from dlport import ort
{setup}
try:
    ort.version()
except Exception as error:
    print(type(error).__name__, error)
"""


def test_a_library_that_is_not_onnx_runtime_is_named() -> None:
    done = run_python(FAIL_IN_ONE_LINE.format(setup=""), DLPORT_ORT_LIBRARY="libdl.so.2")
    assert done.stdout.startswith("RuntimeError libdl.so.2 is not ONNX Runtime")
    assert done.returncode == 0


def test_no_library_at_all_says_what_to_install() -> None:
    done = run_python(FAIL_IN_ONE_LINE.format(setup="ort.use_library('/nowhere/libonnxruntime.so')"))
    assert done.stdout.startswith("RuntimeError no ONNX Runtime library")
    assert "pip install onnxruntime" in done.stdout


OLD = """
#include <stddef.h>
static const char* version(void) { return "1.16.3"; }
static const void* get_api(unsigned v) { return NULL; }
struct base { const void* (*get)(unsigned); const char* (*version)(void); };
const struct base* OrtGetApiBase(void) {
  static const struct base b = {get_api, version};
  return &b;
}
"""


def test_a_library_that_is_too_old_says_what_is_needed(tmp_path: Path) -> None:
    source, library = tmp_path / "old.c", tmp_path / "libonnxruntime.so"
    source.write_text(OLD)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    done = run_python(FAIL_IN_ONE_LINE.format(setup=""), DLPORT_ORT_LIBRARY=str(library))
    assert done.stdout.startswith("NotImplementedError ONNX Runtime 1.16.3")
    assert "1.23" in done.stdout


IN_CHILD = """
import os, signal, sys
import numpy as np
from dlport import ort
graph = ort.Graph()
x = graph.input("float32", [256, 256], name="x")
graph.output(graph.node("MatMul", [x, x]))
session = ort.Session(graph, threads={threads})
w = np.ones((256, 256), np.float32)
assert (np.from_dlpack(session(w)) == 256).all()
pid = os.fork()
if pid == 0:
    signal.alarm(20)
    made = {made}
    try:
        os._exit(0 if (np.from_dlpack(made(w)) == 256).all() else 3)
    except RuntimeError as error:
        os._exit(7 if "fork" in str(error) else 4)
status = os.waitpid(pid, 0)[1]
assert (np.from_dlpack(session(w)) == 256).all()
print(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.parametrize("threads", [0, 2])
@pytest.mark.parametrize(("made", "expected"), [("session", "7"), ("ort.Session(graph)", "0")])
def test_a_forked_child_makes_sessions_of_its_own(threads: int, made: str, expected: str) -> None:
    done = run_python(IN_CHILD.format(threads=threads, made=made))
    assert done.stdout.strip() == expected, done.stderr
