#include "python/arguments.hpp"

#include "dlport/error.hpp"
#include "python/errors.hpp"

namespace dlport::python {

std::optional<Device> device_argument(PyObject* value) {
  if (!value || value == Py_None) return std::nullopt;
  if (PyUnicode_Check(value)) return parse_device(PyUnicode_AsUTF8(value));
  int type = 0, index = 0;
  if (!PyTuple_Check(value) || !PyArg_ParseTuple(value, "ii", &type, &index)) {
    PyErr_Clear();
    throw Error(ErrorCode::invalid_argument, "a device is a name such as 'cpu:0', or DLPack's (device_type, device_id)");
  }
  return Device(static_cast<DLDeviceType>(type), index);
}

Copy copy_argument(PyObject* value) {
  if (!value || value == Py_None) return Copy::if_needed;
  const int truth = PyObject_IsTrue(value);
  if (truth < 0) throw PythonError{};
  return truth ? Copy::always : Copy::never;
}

}  // namespace dlport::python
