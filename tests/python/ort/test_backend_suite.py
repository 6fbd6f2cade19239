"""The ONNX backend test suite through ort.Session, beside onnxruntime's own Python API on the same library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnxruntime
import pytest
from backend_suite import KINDS, Case, assert_same, cases

from dlport import ort

SKIPS = Path(__file__).with_name("backend_skips.txt")


def skips() -> dict[str, str]:
    """Case -> why onnxruntime passes it and we cannot: lines of a name and a reason."""
    lines = [line.split(maxsplit=1) for line in SKIPS.read_text().splitlines() if line and not line.startswith("#")]
    return {name: reason for name, reason in lines}


def run_ours(model: bytes, inputs: list[Any]) -> list[Any]:
    return ort.Session(model).run(inputs)


def run_peer(model: bytes, inputs: list[Any]) -> list[Any]:
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    names = [info.name for info in session.get_inputs()]
    return session.run(None, dict(zip(names, inputs, strict=False)))


def passes(run: Callable[[bytes, list[Any]], list[Any]], case: Case) -> bool:
    model = case.model.SerializeToString()
    try:
        for inputs, outputs in case.data_sets:
            for actual, expected in zip(run(model, inputs), outputs, strict=True):
                assert_same(actual, expected, case)
    except Exception:  # whatever it is that a run does not manage
        return False
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_what_onnxruntime_passes_passes_but_for_the_listed_cases(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The suite is ahead of the library: this lets it try operator sets that it calls unreleased.
    monkeypatch.setenv("ALLOW_RELEASED_ONNX_OPSET_ONLY", "0")
    onnxruntime.set_default_logger_severity(4)
    ours, peers, names = set(), set(), set()
    for case in cases(kind):
        names.add(case.name)
        if passes(run_ours, case):
            ours.add(case.name)
        elif passes(run_peer, case):
            peers.add(case.name)
    listed = skips().keys() & names
    assert peers - listed == set(), "onnxruntime passes these"
    assert listed - peers == set(), "these lines are stale"
    assert len(ours) > 0.6 * len(names)  # the rest is what this library has no kernel for


def test_no_line_of_the_skip_file_names_a_case_that_there_is_not() -> None:
    known = {case.name for kind in KINDS[1:] for case in cases(kind)}
    assert all(name in known or name.startswith("test_") for name in skips())
    assert all(reason for reason in skips().values())
