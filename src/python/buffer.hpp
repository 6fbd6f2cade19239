// PEP 3118 of dlport.Tensor: how NumPy, memoryview and mpi4py look at host tensors.
#pragma once

#include <Python.h>

namespace dlport::python {

/// Fills `view` with the tensor's memory, strides and all; -1 with BufferError where it is not host memory, is
/// read-only and a writable buffer was asked for, or has a dtype that PEP 3118 cannot spell.
int get_buffer(PyObject* object, Py_buffer* view, int flags);
void release_buffer(PyObject* object, Py_buffer* view);

}  // namespace dlport::python
