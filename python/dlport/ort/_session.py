"""ONNX models, run on tensors of any framework."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dlport.ort import _native
from dlport.ort._devices import device_index
from dlport.ort._native import Graph


class ValueInfo(NamedTuple):
    """An input or output of a model. `type` is the whole of it in words; dtype and shape are None where the value is
    no tensor. A dimension is a number, a name, or None."""

    name: str
    type: str
    dtype: str | None
    shape: tuple[int | str | None, ...] | None


class RunOptions(_native.RunOptions):
    """What one run, or several at the same time, are told: `cancel()` stops them from another thread, `reset()` allows
    runs again. `config` are ONNX Runtime's run configuration entries; `tag` appears in its log."""

    def __init__(self, config: Mapping[str, object] | None = None, tag: str = "") -> None:
        super().__init__(config or {}, tag)


_OPTIMIZATION = {"none": 0, "basic": 1, "extended": 2, "all": 99}


def _loadable(model: Any) -> str | bytes | Graph:
    if isinstance(model, bytes | Graph):
        return model
    if isinstance(model, str | os.PathLike):
        path = os.fspath(model)
        if not os.path.exists(path):
            raise FileNotFoundError(f"there is no model {path!r}")
        return os.fsdecode(path)
    if hasattr(model, "SerializeToString"):
        return bytes(model.SerializeToString())
    try:
        return bytes(memoryview(model))
    except TypeError:
        raise TypeError(
            f"a model is a path, bytes, an onnx.ModelProto or an ort.Graph, but was given a {type(model).__name__}"
        ) from None


class Session(_native.Session):
    """A model ready to run. Threads may share one; outputs, and runs in flight, outlive it.

    model: a path, bytes, an onnx.ModelProto or an ort.Graph.
    device: "ort:N", N, or a provider's name.
    threads: of its own, within an operator; 0 shares those of the process.
    optimization: "none", "basic", "extended" or "all"; optimized_model_path writes what came of it.
    profile_prefix: turns profiling on; end_profiling() returns the path of the file.
    initializers: tensors that take the place of the model's, by name; their memory is shared between sessions.
    dimensions: sizes for dynamic dimensions, by name.  config: ONNX Runtime's session configuration entries.

    ValueError tells what is wrong with a model, NotImplementedError what this library cannot run.
    """

    def __init__(
        self,
        model: Any,
        *,
        device: int | str = 0,
        threads: int = 0,
        optimization: str = "all",
        log_level: int = 4,
        optimized_model_path: str | os.PathLike[str] = "",
        profile_prefix: str | os.PathLike[str] = "",
        custom_op_libraries: Sequence[str | os.PathLike[str]] = (),
        initializers: Mapping[str, Any] | None = None,
        dimensions: Mapping[str, int] | None = None,
        config: Mapping[str, object] | None = None,
    ) -> None:
        if optimization not in _OPTIMIZATION:
            raise ValueError(f"optimization is one of {', '.join(_OPTIMIZATION)}, not {optimization!r}")
        super().__init__(
            _loadable(model),
            device_index(device),
            threads,
            _OPTIMIZATION[optimization],
            log_level,
            os.fspath(optimized_model_path),
            os.fspath(profile_prefix),
            [os.fspath(path) for path in custom_op_libraries],
            initializers or {},
            dimensions or {},
            config or {},
        )

    @property
    def inputs(self) -> list[ValueInfo]:  # type: ignore[override]
        """The inputs, in the model's order, and behind them the initializers that a caller may override."""
        return [ValueInfo(*info) for info in super().inputs()]

    @property
    def device(self) -> str:
        """What the model runs on, e.g. "ort:0"."""
        return f"ort:{self.device_index()}"

    @property
    def outputs(self) -> list[ValueInfo]:  # type: ignore[override]
        """The outputs, in the model's order."""
        return [ValueInfo(*info) for info in super().outputs()]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs on inputs by position or by name; returns the model's one output, or a tuple of them."""
        if args and kwargs:
            raise TypeError("give inputs by position or by name, not both")
        results = self.run(kwargs if kwargs else args)
        return results[0] if len(results) == 1 else tuple(results)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
