// Arguments that several functions take, read from Python.
#pragma once

#include <Python.h>

#include <initializer_list>
#include <optional>

#include "dlport/device.hpp"
#include "python/import.hpp"

namespace dlport::python {

/// Reads a function's keyword-only arguments: `values[i]` becomes that of `names[i]`, borrowed, and stays null where it
/// was not given. Throws Python's TypeError for positional arguments and unknown names.
void read_keywords(const char* function, std::initializer_list<const char*> names, PyObject* const* arguments,
                   Py_ssize_t positional, PyObject* keywords, PyObject** values);

/// None (or null), a name such as "cpu:0", or DLPack's (device_type, device_id).
std::optional<Device> device_argument(PyObject* value);

/// As device_argument, for where None will not do.
Device required_device(PyObject* value);

/// None (or null), True or False, as the array API means them.
Copy copy_argument(PyObject* value);

}  // namespace dlport::python
