"""Registers "ort" with PyTorch: its name, its module `torch.ort`, `tensor.ort()` and the like."""

from __future__ import annotations

import torch
import wrapt
from torch.utils import backend_registration

from dlport import _torch, ort


def register() -> None:
    """Makes `torch.device("ort")` work. Called once, by `import dlport.torch`."""
    if torch.__version__ != _torch.built_for:
        raise ImportError(
            f"dlport.torch was built for torch {_torch.built_for}, but torch {torch.__version__} is installed; "
            f"pip install torch=={_torch.built_for.split('+')[0]}, or rebuild dlport"
        )
    from dlport.torch import _backward, _interchange, _modes, _module, _multiprocessing

    _find_onnxruntime()
    backend_registration.rename_privateuse1_backend("ort")
    _torch.register_device()
    torch._register_device_module("ort", _module)  # type: ignore[no-untyped-call]
    backend_registration.generate_methods_for_privateuse1_backend(for_storage=True)
    _interchange.install()
    _backward.install()
    _multiprocessing.register()
    _modes.read_environment()
    # Dynamo takes over a second to import: the device is made known to it when a program does so.
    wrapt.register_post_import_hook(_prepare_compile, "torch._dynamo")


def _prepare_compile(dynamo: object) -> None:
    from dlport.torch import _compile

    _compile.register()


def _find_onnxruntime() -> None:
    """Opens ONNX Runtime, so that what is wrong with it is said now and in one line."""
    try:
        ort.version()
    except RuntimeError as error:
        raise ImportError(f"dlport.torch needs ONNX Runtime: {error}") from None
