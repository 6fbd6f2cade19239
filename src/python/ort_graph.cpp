#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "python/ort.hpp"
#include "python/ort_values.hpp"

namespace nb = nanobind;

namespace dlport::python {
namespace {

using Dims = std::vector<std::optional<int64_t>>;

std::vector<int64_t> shape_of(const Dims& dims) {
  std::vector<int64_t> shape;
  for (const auto& dim : dims) shape.push_back(dim.value_or(-1));
  return shape;
}

std::vector<ort::Value> node(ort::Graph& graph, std::string_view op, const std::vector<std::optional<int>>& inputs,
                             int outputs, nb::dict attributes, std::string_view domain) {
  std::vector<ort::Value> values;
  for (const auto& input : inputs) values.push_back(input.value_or(ort::absent));
  return graph.node(op, values, outputs, attributes_from_python(attributes), domain);
}

void output(ort::Graph& graph, int value, std::string_view name, std::optional<std::string> dtype, const Dims& dims) {
  if (dtype) {
    graph.output(value, parse_dtype(*dtype), shape_of(dims), name);
  } else {
    graph.output(value, name);
  }
}

}  // namespace

void bind_ort_graph(nb::module_& m) {
  nb::class_<ort::Graph>(m, "Graph")
      .def(nb::init<int>())
      .def("__init__", [](ort::Graph* self, const ort::Graph& outer) { new (self) ort::Graph(outer.subgraph()); })
      .def("input", [](ort::Graph& graph, std::string_view dtype, const Dims& dims,
                       std::string_view name) { return graph.input(parse_dtype(dtype), shape_of(dims), name); })
      .def("constant", [](ort::Graph& graph, nb::handle tensor) { return graph.constant(tensor_from_python(tensor)); })
      .def("node", &node)
      .def("output", &output, nb::arg(), nb::arg(), nb::arg().none(), nb::arg())
      .def("to_onnx", [](const ort::Graph& graph) {
        const std::string model = graph.to_onnx();
        return nb::bytes(model.data(), model.size());
      });
}

}  // namespace dlport::python
