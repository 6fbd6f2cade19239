"""ONNX Runtime as a device: operators and models on tensors of any framework, without a copy.

    from dlport import ort

    total, = ort.launch("Add", [a, b])                 # one ONNX operator, by name
    session = ort.Session("model.onnx")                # a model
    scores = session(image)                            # in and out through DLPack

Nothing here imports onnxruntime: the shared library of the installed package is opened when it is first needed.
"""

from dlport.ort._devices import (
    DeviceInfo,
    available_devices,
    copy,
    devices,
    empty,
    register_provider,
    set_device,
    use_library,
    version,
)
from dlport.ort._graph import Graph, Value
from dlport.ort._launch import LaunchCounters, launch, launch_counters, set_launch_capacity, strided_copies
from dlport.ort._session import RunOptions, Session, ValueInfo

__all__ = [
    "DeviceInfo",
    "Graph",
    "LaunchCounters",
    "RunOptions",
    "Session",
    "Value",
    "ValueInfo",
    "available_devices",
    "copy",
    "devices",
    "empty",
    "launch",
    "launch_counters",
    "register_provider",
    "set_device",
    "set_launch_capacity",
    "strided_copies",
    "use_library",
    "version",
]
