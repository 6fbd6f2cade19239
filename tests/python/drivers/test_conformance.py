"""The kit finds what is wrong, and our own parts pass it."""

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

import dlport
from dlport.cli import main
from dlport.conformance import dlpack, run, runner
from dlport.conformance.driver import table

ROOT = Path(__file__).parents[3]
DRIVERS = [driver for driver in ("cpu", "opencl", "cuda") if driver in {entry["driver"] for entry in dlport.devices()}]


def failures(kind, target):
    return [(result.sentence, result.detail) for result in run(kind, target) if result.outcome == "failed"]


@pytest.mark.parametrize("driver", DRIVERS)
def test_our_driver_passes(driver):
    assert failures("driver", driver) == []


def test_the_example_driver_passes(tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler here")
    library = tmp_path / "libheap.so"
    source = ROOT / "examples" / "driver" / "heap.c"
    command = [
        compiler,
        "-std=c11",
        "-O2",
        "-shared",
        "-fPIC",
        "-I",
        ROOT / "include",
        source,
        "-o",
        library,
        "-lpthread",
    ]
    subprocess.run(command, check=True)
    assert failures("driver", str(library)) == []


def test_our_tensors_pass_as_a_producer():
    assert failures("producer", "dlport:from_dlpack") == []


def test_from_dlpack_passes_as_a_consumer():
    assert failures("consumer", "dlport:from_dlpack") == []


def test_there_are_some_150_checks_on_a_driver():
    assert len(runner.checks_of("driver")) >= 150


def test_every_check_has_a_sentence_of_its_own():
    for kind in runner.SUITES:
        sentences = [(check.group, check.sentence) for check in runner.checks_of(kind)]
        assert len(set(sentences)) == len(sentences)


def test_a_crash_is_a_failed_check_and_the_rest_goes_on(tmp_path, monkeypatch):
    (tmp_path / "crashing.py").write_text(
        "import ctypes, dlport\n"
        "def take(x):\n"
        "    if hasattr(x, 'kept'):\n"
        "        ctypes.string_at(8)\n"
        "    return dlport.from_dlpack(x)\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path(dlport.__file__).parents[1]}")
    results = list(run("consumer", "crashing:take"))
    crashed = [result for result in results if result.detail == "crashed: SIGSEGV"]
    assert [result.sentence for result in crashed] == ["a capsule that was taken is not taken again"]
    assert len(results) == len(runner.checks_of("consumer"))


def test_the_c_table_is_what_the_header_says(tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler here")
    names = {
        "dlport_driver": table.Table,
        "dlport_device_properties": table.Properties,
        "dlport_region": table.Region,
        "dlport_operator_source": table.Source,
        "dlport_argument": table.Argument,
        "dlport_launch": table.Launch,
        "DLTensor": table.DLTensor,
    }
    lines = "".join(f'printf("%zu\\n", sizeof({name}));' for name in names)
    program = tmp_path / "sizes.c"
    program.write_text(f'#include <stdio.h>\n#include "dlport/driver.h"\nint main(void) {{ {lines} return 0; }}\n')
    subprocess.run([compiler, "-I", ROOT / "include", program, "-o", tmp_path / "sizes"], check=True)
    sizes = subprocess.run([tmp_path / "sizes"], check=True, capture_output=True, text=True).stdout.split()
    assert [int(size) for size in sizes] == [ctypes.sizeof(structure) for structure in names.values()]


def test_the_command_writes_a_junit_file(tmp_path):
    report = tmp_path / "report.xml"
    done = CliRunner().invoke(main, ["check", "consumer", "dlport:from_dlpack", "--junit", str(report)])
    assert done.exit_code == 0, done.output
    suite = ElementTree.parse(report).getroot()
    assert int(suite.attrib["tests"]) == len(suite) == len(runner.checks_of("consumer"))
    assert suite.attrib["failures"] == "0"


def test_the_command_fails_where_a_check_does():
    done = CliRunner().invoke(main, ["check", "producer", "builtins:bytes"])
    assert done.exit_code == 1


def test_handmade_tensors_are_released_where_nobody_takes_them():
    producer = dlpack.Handmade(np.zeros(3, np.float32))
    capsule = producer.capsule()
    del capsule
    assert producer.deleted == 1


@pytest.mark.parametrize("target", ["torch", "numpy:", "no_such_module:function"])
def test_a_target_that_names_no_callable_is_refused(target):
    done = subprocess.run(
        [sys.executable, "-m", "dlport.cli", "check", "producer", target], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr


def test_a_driver_that_is_not_there_is_refused():
    for target, reason in {"./no/such.so": "no such file", "nope": "only cpu, opencl, cuda"}.items():
        done = CliRunner().invoke(main, ["check", "driver", target])
        assert done.exit_code == 1
        assert reason in done.output
