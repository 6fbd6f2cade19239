// From a tensor straight into a framework's own tensor type.
#pragma once

#include <Python.h>

#include "dlport/tensor.hpp"

namespace dlport::python {

/// `target` is a module (its `Tensor` type is used where that has the C exchange API, else its `from_dlpack`) or a
/// tensor type with the C exchange API. New reference; throws.
PyObject* to_framework(const Tensor& tensor, PyObject* self, PyObject* target);

}  // namespace dlport::python
