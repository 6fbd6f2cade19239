"""Runs a suite in a child process that may crash or hang, and goes on behind the check that did it."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module

from dlport.conformance.checks import Check, Result, Skip

#: Seconds that a single check may take. Opening a runtime for the first time is slow, nothing else should be.
PATIENCE = 120.0

SUITES = {
    "driver": "dlport.conformance.driver",
    "producer": "dlport.conformance.producer",
    "consumer": "dlport.conformance.consumer",
}


def checks_of(kind: str) -> list[Check]:
    """The checks on one kind of thing: "driver", "producer" or "consumer"."""
    checks: list[Check] = import_module(SUITES[kind]).SUITE.checks
    return checks


def run(kind: str, target: str) -> Iterator[Result]:
    """Runs all checks of `kind` on `target` and yields their results as they come."""
    checks = checks_of(kind)
    done = 0
    while done < len(checks):
        for index, result in _run_child(kind, target, done, checks):
            yield result
            done = index + 1


def _run_child(kind: str, target: str, first: int, checks: list[Check]) -> Iterator[tuple[int, Result]]:
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "dlport.conformance.runner", kind, target, str(first), str(writing)]
    with subprocess.Popen(command, pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
        assert child.stderr is not None
        errors = child.stderr.fileno()
        os.close(writing)
        done = first
        buffer = b""
        ended = ""
        while not ended:
            ready, _, _ = select.select([reading, errors], [], [], PATIENCE)
            if not ready:
                child.kill()
                ended = f"hung for {PATIENCE:.0f} seconds"
                break
            if errors in ready:
                os.read(errors, 65536)  # what libraries have to say is not the result
            if reading not in ready:
                continue
            chunk = os.read(reading, 65536)
            if not chunk:
                break
            buffer += chunk
            *lines, buffer = buffer.split(b"\n")
            for line in lines:
                index, *values = json.loads(line)
                yield index, Result(checks[index].group, checks[index].sentence, *values)
                done = index + 1
        os.close(reading)
        if child.stderr is not None:
            child.stderr.close()
        code = child.wait()
    if done < len(checks):
        if not ended:
            ended = f"crashed: {signal.Signals(-code).name}" if code < 0 else f"ended the process with code {code}"
        yield done, Result(checks[done].group, checks[done].sentence, "failed", ended)


def _run_here(check: Check, target: object) -> tuple[str, str, float]:
    begin = time.perf_counter()
    try:
        check.run(target)
        outcome, detail = "passed", ""
    except Skip as reason:
        outcome, detail = "skipped", str(reason)
    except BaseException as error:
        outcome = "failed"
        detail = str(error) if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"
    return outcome, " ".join(detail.split())[:400], time.perf_counter() - begin


def _child(kind: str, target: str, first: str, pipe: str) -> None:
    module = import_module(SUITES[kind])
    subject = module.open_target(target)
    with os.fdopen(int(pipe), "w", buffering=1) as out:
        for index, check in enumerate(module.SUITE.checks[int(first) :], int(first)):
            print(json.dumps([index, *_run_here(check, subject)]), file=out, flush=True)
    os._exit(0)  # a runtime that crashes while shutting down has passed all the same


if __name__ == "__main__":
    _child(*sys.argv[1:])
