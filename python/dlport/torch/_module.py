"""`torch.ort`: the ort device's own functions, under the names that PyTorch gives those of "cuda"."""

from __future__ import annotations

import torch


def is_available() -> bool:
    """True where there is at least one ort device."""
    return device_count() > 0


def is_initialized() -> bool:
    return True


def _is_in_bad_fork() -> bool:
    return False


def device_count() -> int:
    """How many ort devices are configured."""
    return torch._C._accelerator_deviceCount() if hasattr(torch._C, "_accelerator_deviceCount") else 1


def current_device() -> int:
    return 0


def manual_seed_all(seed: int) -> None:
    """Seeds the default generator of every ort device."""
    torch.default_generator.manual_seed(seed)


manual_seed = manual_seed_all
