// Devices and moves between them, in Python.
#pragma once

#include <nanobind/nanobind.h>

#include "dlport/driver.hpp"

namespace dlport::python {

/// dlport::to or dlport::copied_to.
using Move = Tensor(const Tensor&, Device, const Stream*);

/// Moves without the GIL, in the order of a Python Stream (or None). Throws PythonError too.
Tensor moved(Move& move, const Tensor& tensor, PyObject* device, PyObject* stream);

/// Adds devices(), rejected_drivers(), load_driver(), driver_table(), empty(), copy() and to() to `module`.
void bind_driver(nanobind::module_& module);

}  // namespace dlport::python
