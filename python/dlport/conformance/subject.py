"""Naming a framework's function: ``module:callable``."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from importlib import import_module
from typing import Any


def resolve(target: str) -> Callable[..., Any]:
    """The callable that `target` names, such as ``torch:from_numpy`` or ``jax.numpy:asarray``."""
    module, colon, path = target.partition(":")
    if not colon or not path:
        raise ValueError(f"{target!r} does not name a callable: write module:callable, as in 'torch:from_numpy'")
    found = reduce(getattr, path.split("."), import_module(module))
    if not callable(found):
        raise ValueError(f"{target!r} is not callable")
    function: Callable[..., Any] = found
    return function
