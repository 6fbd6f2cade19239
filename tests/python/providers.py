"""The execution providers that tests of dlport.ort and dlport.torch run on."""

from __future__ import annotations

import os
import subprocess
from importlib import import_module
from pathlib import Path

from dlport import ort

#: With their options. Left alone, OpenVINO multiplies matrices in bfloat16 where the CPU can.
PROVIDERS = {"cpu": {}, "openvino": {"load_config": '{"CPU":{"INFERENCE_PRECISION_HINT":"f32"}}'}}


def configure(index: int, provider: str) -> None:
    """Makes ort:`index` the provider of that name."""
    ort.set_device(index, provider, PROVIDERS[provider])


def register_openvino(folder: Path) -> None:
    """Has OpenVINO's provider offer a device on this CPU too, through a library that it builds in `folder`.

    It has to come before anything else registers the provider, which keeps what the first one told it.
    """
    os.environ["DLPORT_TEST_OPENVINO"] = import_module("onnxruntime_ep_openvino").get_library_path()
    source, library = Path(__file__).parents[1] / "providers/openvino.c", folder / "libopenvino_anywhere.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    ort.register_provider("openvino_anywhere", str(library))
