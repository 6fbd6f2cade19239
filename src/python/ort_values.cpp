#include "python/ort_values.hpp"

#include <utility>
#include <variant>
#include <vector>

#include "dlport/error.hpp"
#include "python/errors.hpp"
#include "python/import.hpp"
#include "python/tensor_type.hpp"

namespace nb = nanobind;

namespace dlport::python {
namespace {

using ort::Datum, ort::Kind, ort::ValueType;

/// ValueError naming what was expected; an exception in flight stays as its cause. What is no Exception (an interrupt)
/// passes.
[[noreturn]] void refuse(nb::handle object, const ValueType& type, const std::string& what) {
  const std::string given = Py_TYPE(object.ptr())->tp_name;
  const std::string message = what + " takes " + to_string(type) + ", but was given an object of type " + given;
  if (!PyErr_Occurred()) {
    PyErr_SetString(PyExc_ValueError, message.c_str());
  } else if (PyErr_ExceptionMatches(PyExc_Exception)) {
    nb::raise_from(*std::make_unique<nb::python_error>(), PyExc_ValueError, "%s", message.c_str());
  }
  throw nb::python_error();
}

nb::object numpy(const char* name) {
  return nb::module_::import_("numpy").attr(name);
}

std::vector<int64_t> shape_of(nb::handle array) {
  std::vector<int64_t> shape;
  for (nb::handle dim : array.attr("shape")) shape.push_back(nb::cast<int64_t>(dim));
  return shape;
}

ort::Strings strings_from_python(nb::handle object, const ValueType& type, const std::string& what) {
  const nb::object array = numpy("asarray")(object, nb::arg("dtype") = nb::module_::import_("builtins").attr("object"));
  ort::Strings strings{shape_of(array), {}};
  for (nb::handle item : array.attr("ravel")().attr("tolist")()) {
    const nb::object bytes = PyUnicode_Check(item.ptr()) ? nb::object(item.attr("encode")("utf-8")) : nb::borrow(item);
    char* text = nullptr;
    Py_ssize_t length = 0;
    if (!PyBytes_Check(bytes.ptr()) || PyBytes_AsStringAndSize(bytes.ptr(), &text, &length) < 0)
      refuse(item, type, what);
    strings.values.emplace_back(text, static_cast<size_t>(length));
  }
  return strings;
}

/// Numbers as a row of `dtype`, through NumPy's own conversion.
Tensor row_of(nb::handle numbers, DType dtype) {
  const nb::object name = nb::cast(dlport::to_string(dtype).c_str());
  return tensor_from_python(numpy("asarray")(numbers, nb::arg("dtype") = name));
}

std::variant<Tensor, ort::Strings> column(nb::handle values, const std::optional<DType>& dtype, const ValueType& type,
                                          const std::string& what) {
  if (dtype) return row_of(values, *dtype);
  return strings_from_python(values, type, what);
}

ort::Map map_from_python(nb::handle object, const ValueType& type, const std::string& what) {
  if (!PyDict_Check(object.ptr())) refuse(object, type, what);
  const auto dict = nb::borrow<nb::dict>(object);
  const std::optional<DType>& value_dtype = type.element.at(0).dtype;
  return {column(dict.keys(), type.dtype, type, what), column(dict.values(), value_dtype, type, what)};
}

ort::Sequence sequence_from_python(nb::handle object, const ValueType& type, const std::string& what) {
  if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr())) refuse(object, type, what);
  ort::Sequence sequence;
  size_t index = 0;
  for (nb::handle item : object) {
    const std::string name = what + "[" + std::to_string(index++) + "]";
    sequence.items.push_back(datum_from_python(item, type.element.at(0), name));
  }
  return sequence;
}

nb::object strings_to_python(const ort::Strings& strings) {
  nb::list values;
  for (const std::string& text : strings.values) {
    values.append(
        nb::steal(require(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"))));
  }
  nb::list shape;
  for (int64_t dim : strings.shape) shape.append(dim);
  const nb::object type = nb::module_::import_("builtins").attr("object");
  return numpy("array")(values, nb::arg("dtype") = type).attr("reshape")(nb::tuple(shape));
}

struct ToPython {
  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(Tensor& tensor) const { return tensor_to_python(std::move(tensor)); }
  nb::object operator()(ort::Strings& strings) const { return strings_to_python(strings); }
  nb::object operator()(ort::Sequence& sequence) const {
    nb::list items;
    for (Datum& item : sequence.items) items.append(datum_to_python(std::move(item)));
    return items;
  }
  nb::object operator()(ort::Map& map) const {
    const auto list = [this](std::variant<Tensor, ort::Strings>& values) {
      return numpy("asarray")(std::visit(*this, values)).attr("tolist")();
    };
    return nb::module_::import_("builtins")
        .attr("dict")(nb::module_::import_("builtins").attr("zip")(list(map.keys), list(map.values)));
  }
};

}  // namespace

Tensor tensor_from_python(nb::handle object) {
  return is_tensor(object.ptr()) ? tensor_in(object.ptr()) : import_object(object.ptr());
}

nb::object tensor_to_python(Tensor tensor) {
  return nb::steal(require(wrap(std::move(tensor))));
}

Datum datum_from_python(nb::handle object, const ValueType& type, const std::string& what) {
  switch (type.kind) {
    case Kind::optional:
      if (object.is_none()) return std::monostate{};
      return datum_from_python(object, type.element.at(0), what);
    case Kind::sequence:
      return sequence_from_python(object, type, what);
    case Kind::map:
      return map_from_python(object, type, what);
    default:
      break;
  }
  if (is_tensor(object.ptr())) return tensor_in(object.ptr());
  if (object.is_none()) return std::monostate{};
  if (!type.dtype && type.kind == Kind::tensor) return strings_from_python(object, type, what);
  try {
    return import_object(object.ptr());
  } catch (const PythonError&) {
    refuse(object, type, what);
  } catch (const Error& error) {
    throw Error(error.code(), what + ": " + error.what());
  }
}

nb::object datum_to_python(Datum datum) {
  return std::visit(ToPython{}, static_cast<Datum::variant&>(datum));
}

}  // namespace dlport::python
