"""Runs the tests of dlport.ort on several releases of ONNX Runtime: `make test-ort-versions`.

    python scripts/test_ort_versions.py [RELEASE ...]

Each release has a virtual environment of its own under build/ort-versions, which sees the packages of the environment
in use behind its own onnxruntime. The default is the oldest supported release, the one after, and the newest on PyPI.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
RELEASES = ["1.23.2", "1.24.4", "newest"]


def environment(release: str) -> Path:
    """The Python of the release's environment, made where it is not there."""
    folder = ROOT / "build" / "ort-versions" / release
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    (packages / "outer.pth").write_text(sysconfig.get_path("purelib") + "\n")
    wanted = "onnxruntime" if release == "newest" else f"onnxruntime=={release}"
    install = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps", "--upgrade", "--target"]
    subprocess.run([python, *install, packages, wanted], check=True)
    return python


def main(releases: list[str]) -> int:
    failed = []
    for release in releases or RELEASES:
        python = environment(release)
        variables = {key: value for key, value in os.environ.items() if key != "DLPORT_ORT_LIBRARY"}
        version = subprocess.run(
            [python, "-c", "from dlport import ort; print(ort.version())"],
            capture_output=True,
            text=True,
            check=True,
            env=variables,
        ).stdout.strip()
        print(f"\n== ONNX Runtime {version} ({release})", flush=True)
        tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/python/ort"]
        if subprocess.run(tests, cwd=ROOT, env=variables).returncode != 0:
            failed.append(version)
    print("failed on: " + ", ".join(failed) if failed else "passed on every release")
    return len(failed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
