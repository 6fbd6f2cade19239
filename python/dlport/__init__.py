"""Tensors that cross frameworks without a copy.

    import dlport
    tensor = dlport.from_dlpack(array)   # NumPy, PyTorch, JAX, TensorFlow, PyArrow, ... share their memory
    other = tensor.to(torch)             # and take it

`dlport.ort` runs ONNX operators and models on such tensors; `dlport.torch` is PyTorch's "ort" device.
"""

from dlport._core import Tensor, copy, empty, from_dlpack, to
from dlport.drivers import devices

__all__ = ["Tensor", "copy", "devices", "empty", "from_dlpack", "to"]
__version__ = "0.1.0"
