#include "python/framework.hpp"

#include "dlport/driver.hpp"
#include "python/errors.hpp"
#include "python/export.hpp"
#include "python/import.hpp"

namespace dlport::python {
namespace {

/// The module's or the type's tensor type, if that takes tensors through the C exchange API.
const DLPackExchangeAPI* api_of(PyObject* target) {
  if (PyType_Check(target)) return exchange_api_of(reinterpret_cast<PyTypeObject*>(target));
  if (!PyModule_Check(target)) return nullptr;
  static PyObject* const name_tensor = PyUnicode_InternFromString("Tensor");
  PyObject* type = PyDict_GetItemWithError(PyModule_GetDict(target), name_tensor);
  return type && PyType_Check(type) ? exchange_api_of(reinterpret_cast<PyTypeObject*>(type)) : nullptr;
}

}  // namespace

PyObject* to_framework(const Tensor& tensor, PyObject* self, PyObject* target) {
  if (const DLPackExchangeAPI* api = api_of(target)) {
    // No consumer of this API has read-only tensors, so one that must not be written to goes as a copy.
    DLManagedTensorVersioned* managed =
        tensor.read_only() ? copied(tensor).to_managed(/*copied=*/true) : export_managed(tensor);
    void* made = nullptr;
    if (api->managed_tensor_to_py_object_no_sync(managed, &made) != 0) throw PythonError{};
    return static_cast<PyObject*>(made);
  }
  Reference from_dlpack(PyObject_GetAttrString(target, "from_dlpack"));
  if (!from_dlpack) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%R is neither a module with from_dlpack nor a tensor type with the C exchange API",
                 target);
    throw PythonError{};
  }
  return require(PyObject_CallOneArg(from_dlpack.get(), self));
}

}  // namespace dlport::python
