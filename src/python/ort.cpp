#include "python/ort.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <utility>
#include <vector>

#include "dlport/ort_launch.hpp"
#include "dlport/ort_session.hpp"
#include "python/errors.hpp"
#include "python/ort_values.hpp"

namespace nb = nanobind;

namespace dlport::python {
namespace {

nb::list infos_to_python(const std::vector<ort::DeviceInfo>& infos) {
  nb::list result;
  for (const ort::DeviceInfo& info : infos) {
    nb::dict options;
    for (const auto& [key, value] : info.options) options[key.c_str()] = value;
    result.append(nb::make_tuple(info.index, info.provider, info.vendor, info.hardware, to_string(info.physical),
                                 info.sync_streams, options));
  }
  return result;
}

/// A tensor is a sequence too, of its rows, and is not meant.
void expect_list(nb::handle value, const char* what) {
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) return;
  throw nb::type_error((std::string(what) + " is a list of tensors; put a single one into brackets").c_str());
}

/// Tensors that stay alive while they are lent to a launch.
struct Operands {
  std::vector<Tensor> tensors;
  std::vector<ort::Operand> views;

  explicit Operands(nb::sequence inputs) {
    expect_list(inputs, "inputs");
    const size_t count = nb::len(inputs);
    tensors.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      const nb::object input = inputs[i];
      if (input.is_none()) {
        views.push_back(std::nullopt);
      } else {
        views.push_back(tensors.emplace_back(tensor_from_python(input)).view());
      }
    }
  }
};

/// launch(op, inputs, attributes, domain, opset, device, wanted, out): a list of the wanted outputs, or of `out`.
nb::list launch(std::string_view op, nb::sequence inputs, nb::dict attributes, std::string_view domain, int opset,
                int device, nb::sequence wanted, nb::object out) {
  const Operands operands(inputs);
  const auto given = attributes_from_python(attributes);
  bool which[64] = {};
  const size_t count = nb::len(wanted);
  if (count > std::size(which)) throw nb::value_error("an operator has at most 64 outputs");
  for (size_t i = 0; i < count; ++i) which[i] = nb::cast<bool>(wanted[i]);
  const ort::LaunchOptions options{device, domain, opset, {which, count}};
  std::vector<Tensor> results;
  if (out.is_none()) {
    nb::gil_scoped_release released;
    results = ort::launch(op, operands.views, given, options);
  } else {
    expect_list(out, "out");
    for (nb::handle tensor : out) results.push_back(tensor_from_python(tensor));
    const std::vector<TensorView> views(results.begin(), results.end());
    nb::gil_scoped_release released;
    ort::launch_into(op, operands.views, views, given, options);
  }
  nb::list list;
  for (Tensor& result : results) list.append(tensor_to_python(std::move(result)));
  return list;
}

template <class Item>
std::vector<Item> list_of(nb::handle values) {
  std::vector<Item> items;
  for (nb::handle value : values) items.push_back(nb::cast<Item>(value));
  return items;
}

bool all(nb::handle values, int (*check)(PyObject*)) {
  for (nb::handle value : values) {
    if (!check(value.ptr())) return false;
  }
  return true;
}

int is_integer(PyObject* object) {
  return PyLong_Check(object);
}
int is_text(PyObject* object) {
  return PyUnicode_Check(object);
}
int is_number(PyObject* object) {
  return PyLong_Check(object) || PyFloat_Check(object);
}

decltype(ort::Attribute::value) attribute_value(const std::string& name, nb::handle value) {
  if (PyLong_Check(value.ptr())) return nb::cast<int64_t>(value);
  if (PyFloat_Check(value.ptr())) return static_cast<float>(PyFloat_AsDouble(value.ptr()));
  if (PyUnicode_Check(value.ptr())) return nb::cast<std::string>(value);
  if (PyBytes_Check(value.ptr())) {
    return std::string(PyBytes_AS_STRING(value.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(value.ptr())));
  }
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
    if (all(value, is_integer)) return list_of<int64_t>(value);
    if (all(value, is_number)) return list_of<float>(value);
    if (all(value, is_text)) return list_of<std::string>(value);
  } else if (nb::isinstance<ort::Graph>(value)) {
    return std::shared_ptr<const ort::Graph>(nb::cast<ort::Graph*>(value), [keep = nb::borrow(value)](auto*) mutable {
      nb::gil_scoped_acquire acquired;
      keep.reset();
    });
  } else if (nb::hasattr(value, "__dlpack__")) {
    return tensor_from_python(value);
  }
  throw nb::type_error(("attribute '" + name +
                        "' is neither a number, text, a list of one of these, a tensor nor a "
                        "Graph, but of type " +
                        Py_TYPE(value.ptr())->tp_name)
                           .c_str());
}

}  // namespace

std::vector<ort::Attribute> attributes_from_python(nb::dict attributes) {
  std::vector<ort::Attribute> result;
  for (const auto& [key, value] : attributes) {
    auto name = nb::cast<std::string>(key);
    auto converted = attribute_value(name, value);
    result.push_back({std::move(name), std::move(converted)});
  }
  return result;
}

ort::Options options_from_python(nb::dict options) {
  ort::Options result;
  for (const auto& [key, value] : options) {
    result[nb::cast<std::string>(nb::str(key))] = nb::cast<std::string>(nb::str(value));
  }
  return result;
}

void bind_ort(nb::module_& core) {
  nb::module_ m = core.def_submodule("ort");
  m.def("use_library", &ort::use_library);
  m.def("version", &ort::version);
  m.def("register_provider", &ort::register_provider);
  m.def("set_device", [](int index, std::string_view provider, nb::dict options) {
    ort::set_device(index, provider, options_from_python(options));
  });
  m.def("devices", [] { return infos_to_python(ort::devices()); });
  m.def("available_devices", [] { return infos_to_python(ort::available_devices()); });
  m.def("empty", [](nb::sequence shape, std::string_view dtype, int device) {
    return tensor_to_python(ort::empty(list_of<int64_t>(shape), parse_dtype(dtype), device));
  });
  m.def("copy", [](nb::handle dst, nb::handle src) {
    const Tensor to = tensor_from_python(dst), from = tensor_from_python(src);
    nb::gil_scoped_release released;
    ort::copy(to, from);
  });
  m.def("launch", &launch, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none());
  m.def("launch_counters", [] {
    const ort::LaunchCounters counters = ort::launch_counters();
    return nb::make_tuple(counters.hits, counters.misses, counters.size, counters.capacity);
  });
  m.def("set_launch_capacity", &ort::set_launch_capacity);
  m.def("strided_copies", &ort::strided_copies);
  bind_ort_graph(m);
  bind_ort_session(m);
}

}  // namespace dlport::python
