"""Tensors that cross frameworks without a copy.

    import dlport
    tensor = dlport.from_dlpack(array)   # NumPy, PyTorch, JAX, TensorFlow, PyArrow, ... share their memory
    other = tensor.to(torch)             # and take it

`dlport.ort` runs ONNX operators and models on such tensors; `dlport.torch` is PyTorch's "ort" device.
"""

from dlport._core import Tensor, from_dlpack

__all__ = ["Tensor", "from_dlpack"]
__version__ = "0.1.0"
