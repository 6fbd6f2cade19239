"""What the exchange core asks about PyTorch's tensors, where the compiled probe fits the PyTorch that is loaded."""

from __future__ import annotations

import sys


def _load() -> object | None:
    torch = sys.modules["torch"]
    try:
        from dlport import _torch_probe
    except ImportError:  # built without PyTorch
        return None
    return _torch_probe.probe() if _torch_probe.built_for == torch.__version__ else None


#: A capsule of `dlport::TorchProbe`, or None.
probe = _load()
