"""What several files of these tests need."""

from __future__ import annotations

import pytest

import dlport.torch  # noqa: F401  registers "ort"
from dlport import ort


@pytest.fixture(scope="module")
def second_device() -> int:
    """Configures ort:1, and returns its index."""
    ort.set_device(1, "cpu", {})
    return 1
