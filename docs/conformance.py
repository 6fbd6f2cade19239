"""Writes docs/conformance.md from a run of the conformance kit: `python docs/conformance.py`."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import dlport
from dlport.conformance import Result, run, runner
from dlport.conformance.report import count

PAGE = Path(__file__).with_name("conformance.md")

#: What is checked: framework, package, its producer, its consumer. Where a framework needs a line of its own to make or
#: take a tensor, that line is a function of conformance_targets.py.
FRAMEWORKS = [
    ("dlport", "dlport", "dlport:from_dlpack", "dlport:from_dlpack"),
    ("NumPy", "numpy", "numpy:array", "numpy:from_dlpack"),
    ("PyTorch", "torch", "torch:from_numpy", "torch:from_dlpack"),
    ("JAX", "jax", "jax.numpy:array", "jax.dlpack:from_dlpack"),
    ("TensorFlow", "tensorflow_cpu", "conformance_targets:tensorflow", "conformance_targets:from_tensorflow"),
    ("PyArrow", "pyarrow", "pyarrow:array", None),
    ("TVM FFI", "apache-tvm-ffi", "tvm_ffi:from_dlpack", "tvm_ffi:from_dlpack"),
    ("ONNX Runtime", "onnxruntime", "conformance_targets:ort_value", "conformance_targets:from_ort_value"),
]

INTRODUCTION = """# Conformance

What the conformance kit found on the day of this page, which `make docs` writes from a run: {system}, Python {python}.
The kit is `dlport check`; each sentence below is one of its checks, and the reason beside it is what was seen.
A check that does not apply, such as one of a dtype that a framework does not have, is skipped.

`crashed` means that the process ended: checks run in a child process, and the kit goes on behind the one that did it.
"""


def table(rows: list[tuple[str, ...]], header: tuple[str, ...]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def numbers(results: list[Result]) -> tuple[str, str, str]:
    return tuple(str(count(results, outcome)) for outcome in ("passed", "failed", "skipped"))  # type: ignore[return-value]


def findings(results: list[Result]) -> list[tuple[str, ...]]:
    """What is not so and what was seen, one row a reason."""
    by_reason: dict[str, list[str]] = {}
    for result in results:
        if result.outcome == "failed":
            by_reason.setdefault(result.detail[:200], []).append(result.sentence)
    rows = []
    for reason, sentences in by_reason.items():
        shown = "; ".join(sentences[:3])
        rows.append((shown + (f"; and {len(sentences) - 3} more" if len(sentences) > 3 else ""), reason))
    return rows


def driver_part() -> str:
    present = dict.fromkeys(entry["driver"] for entry in dlport.devices())
    runs = {driver: list(run("driver", driver)) for driver in present}
    rows = [(driver, *numbers(results)) for driver, results in runs.items()]
    parts = [
        f"## Drivers\n\n{len(runner.checks_of('driver'))} checks against the specification in `dlport/driver.h`.\n"
    ]
    parts.append(table(rows, ("driver", "passed", "failed", "skipped")))
    for driver, results in runs.items():
        if findings(results):
            parts.append(f"\n### {driver}\n\n" + table(findings(results), ("is not so", "seen")))
    return "\n".join(parts)


def framework_part(kind: str) -> str:
    rows, details = [], []
    for name, package, producer, consumer in FRAMEWORKS:
        target = producer if kind == "producer" else consumer
        if target is None:
            rows.append((name, "takes no tensors", "", "", ""))
            continue
        try:
            release = dlport.__version__ if package == "dlport" else version(package)
        except PackageNotFoundError:
            rows.append((name, "not installed", "", "", ""))
            continue
        results = list(run(kind, target))
        rows.append((name, release, *numbers(results)))
        if findings(results):
            details.append(f"\n### {name} as a {kind}\n\n" + table(findings(results), ("is not so", "seen")))
    title = f"## {kind.capitalize()}s\n\n{len(runner.checks_of(kind))} checks against the DLPack standard, 1.3.\n\n"
    return title + table(rows, ("framework", "version", "passed", "failed", "skipped")) + "\n" + "\n".join(details)


def main() -> None:
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(PAGE.parent), os.environ.get("PYTHONPATH")]))
    introduction = INTRODUCTION.format(system=platform.system(), python=platform.python_version())
    parts = [introduction, driver_part(), framework_part("producer"), framework_part("consumer")]
    PAGE.write_text("\n".join(part.strip() + "\n" for part in parts))


if __name__ == "__main__":
    main()
