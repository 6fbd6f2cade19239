"""PyTorch's `torch.device("ort")`: `import dlport.torch` registers it."""

from __future__ import annotations


def _autoload() -> None:
    """PyTorch's device autoload calls this while `torch` is being imported; importing this module does the work.

    It stands above the imports because the first of them imports `torch`, which looks for it.
    """


from dlport.torch._device import register  # noqa: E402

register()

from dlport.torch._modes import set_fallback, set_lowering  # noqa: E402
from dlport.torch._share import share  # noqa: E402
from dlport.torch._stats import reset_stats, stats  # noqa: E402

__all__ = ["reset_stats", "set_fallback", "set_lowering", "share", "stats"]
