// Graphs as serialised ONNX models. The field numbers are those of onnx.proto.
#include <string>
#include <utility>
#include <vector>

#include "dlport/exchange.hpp"
#include "ort/element_type.hpp"
#include "ort/graph.hpp"
#include "ort/memory.hpp"
#include "ort/protobuf.hpp"

namespace dlport::ort {
namespace {

using External = std::vector<std::pair<Value, Tensor>>;

constexpr int kIrVersion = 10;  // the oldest that all of opset 21's types belong to

/// TensorProto.
Message tensor_message(const Tensor& tensor, const std::string& name, bool external) {
  Message message;
  for (int64_t dim : tensor.shape()) message.integer(1, dim);
  message.integer(2, static_cast<int64_t>(element_type(tensor.dtype()))).text(8, name);
  if (external) {  // the session is handed the value itself
    return message.message(13, Message().text(1, "location").text(2, "memory")).integer(14, 1);
  }
  const Tensor packed = is_row_major(tensor) ? tensor : contiguous_copy(tensor);
  return message.text(9, {static_cast<const char*>(packed.data()), static_cast<size_t>(packed.nbytes())});
}

/// ValueInfoProto.
Message value_message(const std::string& name, const Typed& typed) {
  Message message;
  message.text(1, name);
  if (!typed.dtype) return message;
  Message shape;
  for (int64_t dim : typed.shape) shape.message(1, dim < 0 ? Message() : Message().integer(1, dim));
  const Message tensor = Message().integer(1, static_cast<int64_t>(element_type(*typed.dtype))).message(2, shape);
  return message.message(2, Message().message(1, tensor));
}

Message graph_message(const Graph::Impl& graph, External* external);

/// AttributeProto: the value's own field, and in field 20 the number of its kind.
struct AttributeWriter {
  Message message;

  Message kind(int number) { return message.integer(20, number); }
  Message operator()(int64_t value) { return message.integer(3, value), kind(2); }
  Message operator()(float value) { return message.real(2, value), kind(1); }
  Message operator()(const std::string& value) { return message.text(4, value), kind(3); }
  Message operator()(const Tensor& value) { return message.message(5, tensor_message(value, "", false)), kind(4); }
  Message operator()(const std::shared_ptr<const Graph>& value) {
    return message.message(6, graph_message(value->impl(), nullptr)), kind(5);
  }
  Message operator()(const std::vector<float>& values) {
    for (float value : values) message.real(7, value);
    return kind(6);
  }
  Message operator()(const std::vector<int64_t>& values) {
    for (int64_t value : values) message.integer(8, value);
    return kind(7);
  }
  Message operator()(const std::vector<std::string>& values) {
    for (const std::string& value : values) message.text(9, value);
    return kind(8);
  }
};

/// NodeProto.
Message node_message(const Graph::Impl& graph, const Node& node) {
  Message message;
  for (Value value : node.inputs) message.text(1, graph.name(value));
  for (Value value : node.outputs) message.text(2, graph.name(value));
  message.text(3, node.op + "_" + graph.name(node.outputs.back())).text(4, node.op).text(7, node.domain);
  for (const Attribute& attribute : node.attributes) {
    message.message(5, std::visit(AttributeWriter{Message().text(1, attribute.name)}, attribute.value));
  }
  return message;
}

/// GraphProto.
Message graph_message(const Graph::Impl& graph, External* external) {
  Message message;
  for (const Node& node : graph.nodes) message.message(1, node_message(graph, node));
  message.text(2, "graph");
  for (const auto& [value, tensor] : graph.constants) {
    const bool outside = external && tensor.nbytes() >= kSmallestExternalConstant;
    if (outside) external->emplace_back(value, tensor);
    message.message(5, tensor_message(tensor, graph.name(value), outside));
  }
  for (const Typed& input : graph.inputs) message.message(11, value_message(graph.name(input.value), input));
  for (const Typed& output : graph.outputs) message.message(12, value_message(graph.name(output.value), output));
  return message;
}

}  // namespace

std::string serialize(const Graph::Impl& graph, External* external) {
  Message model;
  model.integer(1, kIrVersion).text(2, "dlport");
  for (const auto& [domain, version] : graph.opsets()) {
    model.message(8, Message().text(1, domain).integer(2, version));
  }
  return model.message(7, graph_message(graph, external)).bytes();
}

}  // namespace dlport::ort
