#include "python/driver.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "dlport/driver.hpp"
#include "python/arguments.hpp"
#include "python/errors.hpp"
#include "python/import.hpp"
#include "python/tensor_type.hpp"

namespace nb = nanobind;

namespace dlport::python {
namespace {

/// Our errors under the types that error.hpp names, raised through nanobind.
template <class Body>
auto translated(const Body& body) {
  try {
    return body();
  } catch (const nb::python_error&) {
    throw;
  } catch (...) {
    set_python_error();
    nb::raise_python_error();
  }
}

Device device_of(nb::handle value) {
  const auto device = device_argument(value.ptr());
  if (!device) throw Error(ErrorCode::invalid_argument, "device is None: name one, such as 'cpu:0'");
  return *device;
}

nb::object owned(Tensor tensor) {
  return nb::steal(require(wrap(std::move(tensor))));
}

nb::list devices() {
  nb::list result;
  for (const DeviceEntry& entry : list_devices()) {
    nb::dict row;
    row["device"] = to_string(entry.device);
    row["driver"] = entry.driver;
    row["name"] = std::string(entry.properties.name);
    row["memory"] = entry.properties.memory;
    row["alignment"] = entry.properties.alignment;
    row["host_access"] = (entry.properties.capabilities & DLPORT_DEVICE_HOST_ACCESS) != 0;
    row["streams"] = (entry.properties.capabilities & DLPORT_DEVICE_ASYNC) != 0;
    row["operators"] = std::string(entry.properties.operator_format);
    result.append(row);
  }
  return result;
}

nb::list rejected() {
  nb::list result;
  for (const RejectedDriver& left_out : rejected_drivers()) {
    result.append(nb::make_tuple(left_out.source, left_out.reason));
  }
  return result;
}

nb::object move(nb::handle source, nb::handle device) {
  const Device target = device_of(device);
  const Tensor tensor = import_object(source.ptr());
  Tensor result;
  {
    const nb::gil_scoped_release waiting;
    result = dlport::to(tensor, target);
  }
  return owned(std::move(result));
}

void copy_into(nb::handle dst, nb::handle src) {
  const Tensor target = import_object(dst.ptr()), source = import_object(src.ptr());
  const nb::gil_scoped_release waiting;
  dlport::copy(target, source);
}

}  // namespace

void bind_driver(nb::module_& module) {
  module.def(
      "devices", [] { return translated(devices); },
      "Every device of every driver, as dictionaries. Opens the runtimes that the built-in drivers need.");
  module.def(
      "rejected_drivers", [] { return translated(rejected); },
      "(source, reason) of each driver that was left out, or whose runtime is missing.");
  module.def(
      "load_driver", [](const std::string& path) { return translated([&] { return load_driver(path); }); },
      nb::arg("path"), "Loads the driver at `path` and returns its name; RuntimeError where it cannot be used.");
  module.def(
      "driver_table",
      [](const std::string& name) {
        return translated([&] { return reinterpret_cast<uintptr_t>(&driver_named(name)); });
      },
      nb::arg("name"), "The address of a driver's C table (dlport/driver.h).");
  module.def(
      "empty",
      [](const std::vector<int64_t>& shape, const std::string& dtype, nb::handle device) {
        return translated([&] { return owned(empty(shape, parse_dtype(dtype), device_of(device))); });
      },
      nb::arg("shape"), nb::arg("dtype") = "float32", nb::arg("device") = "cpu",
      "An uninitialised row-major tensor on `device`.");
  module.def(
      "copy", [](nb::handle dst, nb::handle src) { translated([&] { return copy_into(dst, src), 0; }); },
      nb::arg("dst"), nb::arg("src"),
      "Copies every element of `src` to `dst`: any two tensors of one shape and dtype, on any devices, of any "
      "strides.");
  module.def(
      "to", [](nb::handle source, nb::handle device) { return translated([&] { return move(source, device); }); },
      nb::arg("tensor"), nb::arg("device"),
      "`tensor`, any framework's, on `device`: shared where it is there already, otherwise a row-major copy.");
}

}  // namespace dlport::python
