#include "python/framework.hpp"

#include <initializer_list>

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

/// What lies at the end of `path` from `object`; null without a Python error where there is no such thing.
Reference attribute(PyObject* object, std::initializer_list<const char*> path) {
  Reference found(Py_NewRef(object));
  for (const char* name : path) {
    found = Reference(PyObject_GetAttrString(found.get(), name));
    if (found) continue;
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw PythonError{};
    PyErr_Clear();
    return Reference();
  }
  return found;
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
  Reference from_dlpack = attribute(target, {"from_dlpack"});
  if (!from_dlpack) from_dlpack = attribute(target, {"dlpack", "from_dlpack"});
  if (from_dlpack) return require(PyObject_CallOneArg(from_dlpack.get(), self));
  if (Reference from_capsule = attribute(target, {"experimental", "dlpack", "from_dlpack"})) {
    Reference capsule(export_capsule(tensor, {}));
    return require(PyObject_CallOneArg(from_capsule.get(), capsule.get()));
  }
  PyErr_Format(PyExc_TypeError, "%R is neither a module with from_dlpack nor a tensor type with the C exchange API",
               target);
  throw PythonError{};
}

}  // namespace dlport::python
