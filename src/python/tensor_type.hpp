// dlport.Tensor as a Python type.
#pragma once

#include <Python.h>

#include "dlport/tensor.hpp"

namespace dlport::python {

/// The Python object: a dlport::Tensor with a header. Written against CPython directly because making one is what an
/// exchange costs; a class of a binding library adds a table of instances to every construction and destruction.
struct TensorObject {
  PyObject_HEAD PyObject* weak_references;
  Tensor tensor;
};

extern PyTypeObject tensor_type;

inline bool is_tensor(PyObject* object) {
  return PyObject_TypeCheck(object, &tensor_type);
}
inline const Tensor& tensor_in(PyObject* object) {
  return reinterpret_cast<TensorObject*>(object)->tensor;
}

/// New reference, or null with a Python error set.
PyObject* wrap(Tensor tensor);

/// Readies the type and adds it to `module` as "Tensor". False with a Python error set on failure.
bool add_tensor_type(PyObject* module);

}  // namespace dlport::python
