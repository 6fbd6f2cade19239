#!/usr/bin/env bash
# Everything that needs a GPU, on a machine that has one: the driver's tests, the conformance kit on it, and PyTorch, CuPy
# and JAX sharing one CUDA buffer with dlport. Run it from the root of a checkout after `make setup`; frameworks that
# are not installed with CUDA are named and passed over. Fails where anything that could run does.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}
build=${BUILD:-build/release}

"$python" - <<'PY'
import dlport
from dlport import drivers
gpus = [entry for entry in dlport.devices() if entry["driver"] == "cuda"]
if not gpus:
    raise SystemExit(f"no GPU here: {dict(drivers.left_out()).get('cuda')}")
for entry in gpus:
    print(entry["device"], entry["name"])
PY

"$build/tests/cpp/drivers_test" --gtest_filter='*cuda*:*Cuda*' --gtest_brief=1
"$python" -m dlport.cli check driver cuda
"$python" bench/gpu/share.py
