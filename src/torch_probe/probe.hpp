// What the exchange core asks about PyTorch's tensors, and only PyTorch's own headers tell: a table that
// `dlport._torch_probe` hands over in a capsule, so that the core links nothing of PyTorch.
#pragma once

#include <Python.h>

namespace dlport {

/// All functions want the GIL, except release_storage. `tensor` is an instance of a type that is_tensor_type() accepts.
struct TorchProbe {
  /// torch.Tensor or a subclass of it.
  bool (*is_tensor_type)(PyTypeObject* type);
  /// A reference to the tensor's memory. The tensor's own object is not enough: it may be given other memory
  /// (`x.data = y`, `x.set_(y)`), and the old one is freed. Null where conjugation or negation is pending, so that the
  /// memory holds other values than the tensor.
  void* (*retain_storage)(PyObject* tensor);
  void (*release_storage)(void* storage);
};

}  // namespace dlport
