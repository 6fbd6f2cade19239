// DLPack of ort tensors in C: the table behind `torch.Tensor.__dlpack_c_exchange_api__`, and the virtual device's
// capsule.
#pragma once

#include <ATen/core/Tensor.h>
#include <Python.h>

namespace dlport::pytorch {

/// A capsule of a table that forwards to the one in `capsule` and hands out ort tensors as physical ones.
/// New reference, or null with a Python error set. The table lives as long as the process.
PyObject* wrap_exchange_api(PyObject* capsule);

/// A DLPack capsule (versioned or of before 1.0) of an ort tensor as what it claims to be: memory of the extension
/// device `index`. Consumers that know the ort device resolve it themselves. New reference, or null with an error set.
PyObject* virtual_capsule(const at::Tensor& tensor, int index, bool versioned);

}  // namespace dlport::pytorch
