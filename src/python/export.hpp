// Handing tensors to Python: capsules, the C exchange API and the buffer protocol.
#pragma once

#include <Python.h>

#include <optional>

#include "dlport/device.hpp"
#include "dlport/tensor.hpp"
#include "python/import.hpp"

namespace dlport::python {

/// What `__dlpack__` was asked for.
struct Request {
  bool versioned = false;        // the consumer reads 1.x
  std::optional<Device> device;  // none: the physical one
  Copy copy = Copy::if_needed;
};

/// A capsule that owns a reference to `tensor`, or to a copy of it. Dropping it unconsumed drops the reference.
/// Throws where only a copy would do and none is allowed.
PyObject* export_capsule(const Tensor& tensor, const Request& request);

/// The managed tensor that any consumer can take: negative strides, which PyTorch aborts on, are copied away.
DLManagedTensorVersioned* export_managed(const Tensor& tensor);

}  // namespace dlport::python
