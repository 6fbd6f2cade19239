"""What the tests of several folders need."""

from __future__ import annotations

import pytest

from providers import register_openvino


@pytest.fixture(scope="session", autouse=True)
def openvino(tmp_path_factory: pytest.TempPathFactory) -> None:
    """OpenVINO's provider, on a CPU of any maker."""
    register_openvino(tmp_path_factory.mktemp("providers"))
