"""Producers and consumers of frameworks that need a line of their own to make a tensor or to take one."""

from __future__ import annotations

from typing import Any


def tensorflow(array: Any) -> Any:
    import tensorflow as tf

    return tf.constant(array)


def from_tensorflow(producer: Any) -> Any:
    """TensorFlow takes capsules of before 1.0 and no producers."""
    import tensorflow as tf

    return tf.experimental.dlpack.from_dlpack(producer.__dlpack__())


def ort_value(array: Any) -> Any:
    import onnxruntime

    return onnxruntime.OrtValue.ortvalue_from_numpy(array)._get_c_value()


def from_ort_value(producer: Any) -> Any:
    """ONNX Runtime takes capsules of before 1.0, and has to be told which tensors are boolean."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    return state.OrtValue.from_dlpack(producer.__dlpack__(), False)
