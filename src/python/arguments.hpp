// Arguments that several functions take, read from Python.
#pragma once

#include <Python.h>

#include <optional>

#include "dlport/device.hpp"
#include "python/import.hpp"

namespace dlport::python {

/// None (or null), a name such as "cpu:0", or DLPack's (device_type, device_id).
std::optional<Device> device_argument(PyObject* value);

/// None (or null), True or False, as the array API means them.
Copy copy_argument(PyObject* value);

}  // namespace dlport::python
