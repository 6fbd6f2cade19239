// Arguments that several functions take, read from Python.
#pragma once

#include <Python.h>

#include <initializer_list>
#include <optional>
#include <vector>

#include "dlport/device.hpp"
#include "python/import.hpp"

namespace dlport::python {

/// A function's keyword-only arguments.
class Keywords {
 public:
  Keywords(const char* function, std::initializer_list<const char*> names);

  /// `values[i]` becomes the argument of the i-th name, borrowed, and stays null where it was not given. Throws
  /// Python's TypeError for positional arguments and unknown names.
  void read(PyObject* const* arguments, Py_ssize_t positional, PyObject* keywords, PyObject** values) const;

 private:
  size_t position_of(PyObject* given) const;

  const char* function_;
  std::vector<PyObject*> names_;  // interned, for as long as the process lives
};

/// None (or null), a name such as "cpu:0", or DLPack's (device_type, device_id).
std::optional<Device> device_argument(PyObject* value);

/// As device_argument, for where None will not do.
Device required_device(PyObject* value);

/// None (or null), True or False, as the array API means them.
Copy copy_argument(PyObject* value);

}  // namespace dlport::python
