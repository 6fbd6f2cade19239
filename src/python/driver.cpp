#include "python/driver.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "dlport/driver.hpp"
#include "python/arguments.hpp"
#include "python/errors.hpp"
#include "python/import.hpp"
#include "python/stream.hpp"
#include "python/tensor_type.hpp"

namespace nb = nanobind;

namespace dlport::python {
namespace {

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

nb::object new_tensor(const std::vector<int64_t>& shape, const std::string& dtype, nb::handle device,
                      nb::handle stream) {
  const HoldingStream* on = stream_argument(stream);
  return owned(empty(shape, parse_dtype(dtype), required_device(device.ptr()), on ? &on->stream() : nullptr));
}

void copy_into(nb::handle dst, nb::handle src, nb::handle stream) {
  HoldingStream* on = stream_argument(stream);
  const Tensor target = import_object(dst.ptr()), source = import_object(src.ptr());
  {
    const nb::gil_scoped_release waiting;
    copy(target, source, on ? &on->stream() : nullptr);
  }
  if (!on) return;
  on->hold(target);
  on->hold(source);
}

}  // namespace

Tensor moved(Move& move, const Tensor& tensor, PyObject* device, PyObject* stream) {
  const Device target = required_device(device);
  HoldingStream* on = stream_argument(stream);
  Tensor result;
  {
    const nb::gil_scoped_release waiting;
    result = move(tensor, target, on ? &on->stream() : nullptr);
  }
  if (on) on->hold(tensor);
  return result;
}

void bind_driver(nb::module_& module) {
  module.def("devices", devices,
             "Every device of every driver, as dictionaries. Opens the runtimes that the built-in drivers need.");
  module.def("rejected_drivers", rejected,
             "(source, reason) of each driver that was left out, or whose runtime is missing.");
  module.def("load_driver", &load_driver, nb::arg("path"),
             "Loads the driver at `path` and returns its name; RuntimeError where it cannot be used.");
  module.def(
      "driver_table", [](const std::string& name) { return reinterpret_cast<uintptr_t>(&driver_named(name)); },
      nb::arg("name"), "The address of a driver's C table (dlport/driver.h).");
  module.def("empty", new_tensor, nb::arg("shape"), nb::arg("dtype") = "float32", nb::arg("device") = "cpu",
             nb::kw_only(), nb::arg("stream") = nb::none(), "An uninitialised row-major tensor on `device`.");
  module.def("copy", copy_into, nb::arg("dst"), nb::arg("src"), nb::kw_only(), nb::arg("stream") = nb::none(),
             "Copies each element of `src` to `dst`: any two tensors of one shape, on any devices, of any strides. In "
             "host memory elements convert to the dtype of `dst`; elsewhere the two are of one dtype.");
  module.def(
      "to",
      [](nb::handle source, nb::handle device, nb::handle stream) {
        return owned(moved(dlport::to, import_object(source.ptr()), device.ptr(), stream.ptr()));
      },
      nb::arg("tensor"), nb::arg("device"), nb::kw_only(), nb::arg("stream") = nb::none(),
      "`tensor`, any framework's, on `device`: shared where it is there already, otherwise a row-major copy.");
}

}  // namespace dlport::python
