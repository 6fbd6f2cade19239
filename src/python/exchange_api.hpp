// The C exchange API of dlport.Tensor.
#pragma once

#include <Python.h>

namespace dlport::python {

/// The table behind `Tensor.__dlpack_c_exchange_api__`, as a capsule. New reference.
PyObject* exchange_api_capsule();

}  // namespace dlport::python
