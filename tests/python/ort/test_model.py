"""A model that people use: magika's classifier of file types, on the files of this project."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from dlport import ort

ROOT = Path(__file__).parents[3]


def model_path() -> Path:
    spec = importlib.util.find_spec("magika")  # the package's code is not needed
    assert spec is not None
    assert spec.submodule_search_locations
    return next(Path(spec.submodule_search_locations[0]).rglob("model.onnx"))


def features(path: Path) -> np.ndarray:
    """The first and the last 1,024 bytes; 256 stands for none."""
    content = path.read_bytes()
    head, tail = np.full(1024, 256, np.int32), np.full(1024, 256, np.int32)
    head[: len(content[:1024])] = list(content[:1024])
    tail[1024 - len(content[-1024:]) :] = list(content[-1024:])
    return np.concatenate([head, tail])


FILES = ["CMakeLists.txt", "LICENSE", "pyproject.toml", "src/ort/session.cpp", "tests/python/ort/test_model.py"]


@pytest.mark.parametrize("batch", [1, len(FILES)])
def test_its_scores_are_those_of_onnxruntime_bit_for_bit(batch: int) -> None:
    peer = onnxruntime.InferenceSession(model_path(), providers=["CPUExecutionProvider"])
    ours = ort.Session(model_path())
    for start in range(0, len(FILES), batch):
        x = np.stack([features(ROOT / name) for name in FILES[start : start + batch]])
        (expected,) = peer.run(None, {"bytes": x})
        np.testing.assert_array_equal(np.from_dlpack(ours(x)), expected)


def test_it_tells_the_kinds_of_file_apart(device: str) -> None:
    session = ort.Session(model_path(), device=device)
    kinds = [int(np.from_dlpack(session(features(ROOT / name)[None])).argmax()) for name in FILES]
    assert len(set(kinds)) == len(FILES)
