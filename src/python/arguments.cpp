#include "python/arguments.hpp"

#include <algorithm>

#include "dlport/error.hpp"
#include "python/errors.hpp"

namespace dlport::python {

Keywords::Keywords(const char* function, std::initializer_list<const char*> names) : function_(function) {
  for (const char* name : names) names_.push_back(require(PyUnicode_InternFromString(name)));
}

/// Names that are written in a program are interned there too, so their text is hardly ever looked at.
size_t Keywords::position_of(PyObject* given) const {
  const auto same_object = std::ranges::find(names_, given);
  if (same_object != names_.end()) return static_cast<size_t>(same_object - names_.begin());
  const auto same_text =
      std::ranges::find_if(names_, [&](PyObject* name) { return PyUnicode_Compare(name, given) == 0; });
  return static_cast<size_t>(same_text - names_.begin());
}

void Keywords::read(PyObject* const* arguments, Py_ssize_t positional, PyObject* keywords, PyObject** values) const {
  if (positional > 0) {
    PyErr_Format(PyExc_TypeError, "%s takes keyword arguments only, got %zd positional ones", function_, positional);
    throw PythonError{};
  }
  for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i) {
    PyObject* given = PyTuple_GET_ITEM(keywords, i);
    const size_t position = position_of(given);
    if (position == names_.size()) {
      PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument %R", function_, given);
      throw PythonError{};
    }
    values[position] = arguments[positional + i];
  }
}

std::optional<Device> device_argument(PyObject* value) {
  if (!value || value == Py_None) return std::nullopt;
  if (PyUnicode_Check(value)) return parse_device(PyUnicode_AsUTF8(value));
  int type = 0, index = 0;
  if (!PyTuple_Check(value) || !PyArg_ParseTuple(value, "ii", &type, &index)) {
    PyErr_Clear();
    throw Error(ErrorCode::invalid_argument,
                "a device is a name such as 'cpu:0', or DLPack's (device_type, device_id)");
  }
  return Device(static_cast<DLDeviceType>(type), index);
}

Device required_device(PyObject* value) {
  if (const auto device = device_argument(value)) return *device;
  throw Error(ErrorCode::invalid_argument, "device is None: name one, such as 'cpu:0'");
}

Copy copy_argument(PyObject* value) {
  if (!value || value == Py_None) return Copy::if_needed;
  const int truth = PyObject_IsTrue(value);
  if (truth < 0) throw PythonError{};
  return truth ? Copy::always : Copy::never;
}

}  // namespace dlport::python
