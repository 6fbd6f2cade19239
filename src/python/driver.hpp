// Devices and moves between them, in Python.
#pragma once

#include <nanobind/nanobind.h>

namespace dlport::python {

/// Adds devices(), rejected_drivers(), load_driver(), driver_table(), empty(), copy() and to() to `module`.
void bind_driver(nanobind::module_& module);

}  // namespace dlport::python
