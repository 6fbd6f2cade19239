"""`torch.compile` of functions on ort tensors: what Dynamo asks of a device, and the backend "ort"."""

from __future__ import annotations

from typing import Any

import torch
from torch._dynamo.backends.registry import register_backend
from torch._dynamo.device_interface import DeviceInterface, register_interface_for_device

from dlport.torch import _memory, _module, _streams


class OrtInterface(DeviceInterface):
    """`torch.ort` under the names that Dynamo knows."""

    device = _module.device
    Event = torch.Event
    Stream = _streams.Stream

    is_available = staticmethod(_module.is_available)
    device_count = staticmethod(_module.device_count)
    current_device = staticmethod(_module.current_device)
    set_device = staticmethod(_module.set_device)
    exchange_device = staticmethod(_module._exchange_device)
    maybe_exchange_device = staticmethod(_module._maybe_exchange_device)
    stream = staticmethod(_streams.stream)
    current_stream = staticmethod(_streams.current_stream)
    set_stream = staticmethod(_streams.set_stream)
    synchronize = staticmethod(_streams.synchronize)
    memory_allocated = staticmethod(_memory.memory_allocated)

    @staticmethod
    def is_bf16_supported(including_emulation: bool = False) -> bool:
        """Every operator takes bfloat16, on PyTorch's own kernel where ONNX Runtime has none."""
        return True


def ort(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Any:
    """The backend "ort": traces forward and backward to ATen operators, which then run as in eager mode.

    It saves what Python takes between the operators, and fuses none of them.
    """
    # These import Inductor, which may be importing Dynamo, and so this module, right now.
    from functorch.compile import make_boxed_func  # type: ignore[import-untyped]
    from torch._dynamo.backends.common import aot_autograd

    return aot_autograd(fw_compiler=lambda traced, _: make_boxed_func(traced.forward))(graph, inputs)


def register() -> None:
    """Makes the device known to Dynamo, and the backend to `torch.compile`."""
    register_interface_for_device("ort", OrtInterface)
    register_backend(ort)
