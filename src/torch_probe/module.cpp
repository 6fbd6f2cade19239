// The module `dlport._torch_probe`. It is a module of its own because importing it must change nothing in PyTorch.
#include <Python.h>
#include <torch/csrc/autograd/python_variable.h>

#include "torch_probe/probe.hpp"

namespace {

bool is_tensor_type(PyTypeObject* type) {
  return THPVariableClass && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(THPVariableClass));
}

void* retain_storage(PyObject* object) {
  const at::Tensor& tensor = THPVariable_Unpack(object);
  if (tensor.is_neg() || tensor.is_conj()) return nullptr;
  c10::StorageImpl* storage = tensor.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
  c10::raw::intrusive_ptr::incref(storage);
  return storage;
}

void release_storage(void* storage) {
  c10::raw::intrusive_ptr::decref(static_cast<c10::StorageImpl*>(storage));
}

constexpr dlport::TorchProbe kProbe = {is_tensor_type, retain_storage, release_storage};

PyObject* probe(PyObject*, PyObject*) {
  return PyCapsule_New(const_cast<dlport::TorchProbe*>(&kProbe), nullptr, nullptr);
}

PyMethodDef functions[] = {
    {"probe", probe, METH_NOARGS, "A capsule of the C++ structure dlport::TorchProbe."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_torch_probe", nullptr, 0, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__torch_probe() {
  PyObject* module = PyModule_Create(&definition);
  if (module) PyModule_AddStringConstant(module, "built_for", DLPORT_TORCH_VERSION);
  return module;
}
