// The module `dlport._torch_probe`: what of a PyTorch tensor the exchange core needs to know and only PyTorch's own
// headers tell. It is a module of its own because importing it must change nothing in PyTorch.
#include <Python.h>
#include <torch/csrc/autograd/python_variable.h>

namespace {

bool has_lazy_bits(PyObject* object) {
  const at::Tensor& tensor = THPVariable_Unpack(object);
  return tensor.is_neg() || tensor.is_conj();
}

PyObject* probe(PyObject*, PyObject*) {
  return PyCapsule_New(reinterpret_cast<void*>(&has_lazy_bits), nullptr, nullptr);
}

PyMethodDef functions[] = {
    {"probe", probe, METH_NOARGS, "A capsule of bool(PyObject*): is the tensor pending conjugation or negation?"},
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
