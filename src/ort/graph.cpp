#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "dlport/error.hpp"
#include "dlport/ort.hpp"
#include "ort/api.hpp"
#include "ort/element_type.hpp"
#include "ort/environment.hpp"
#include "ort/executable.hpp"

namespace dlport::ort {
namespace {

/// The operator sets that our graphs are written in; every supported release knows them.
constexpr const char* kDomains[] = {"", "com.microsoft"};
constexpr int kOpsets[] = {21, 1};

/// ONNX Runtime copies smaller initializers in any case and refuses to leave them outside.
constexpr int64_t kSmallestExternalInitializer = 128;

struct Node {
  std::string op, domain;
  std::vector<Value> inputs, outputs;
  std::vector<Attribute> attributes;
};

struct Typed {
  Value value;
  DType dtype;
  std::vector<int64_t> shape;
};

std::string name_of(Value value) {
  return value == absent ? "" : "v" + std::to_string(value);
}

ValueInfoHandle value_info(const Typed& typed) {
  auto tensor = create<TensorInfoHandle>(api::CreateTensorTypeAndShapeInfo);
  check(api::SetTensorElementType(tensor.get(), element_type(typed.dtype)), "element type");
  check(api::SetDimensions(tensor.get(), typed.shape.data(), typed.shape.size()), "dimensions");
  auto type = create<TypeInfoHandle>(api::CreateTensorTypeInfo, tensor.get());
  return create<ValueInfoHandle>(api::CreateValueInfo, name_of(typed.value).c_str(), type.get());
}

/// Hands the infos to `set`, which takes them over where it succeeds.
template <class Setter>
void set_values(const Setter& set, OrtGraph* graph, const std::vector<Typed>& values) {
  std::vector<ValueInfoHandle> infos;
  std::vector<OrtValueInfo*> raw;
  for (const Typed& value : values) {
    infos.push_back(value_info(value));
    raw.push_back(infos.back().get());
  }
  check(set(graph, raw.data(), raw.size()), set.name);
  for (ValueInfoHandle& info : infos) info.release();
}

ValueHandle tensor_value(const TensorView& tensor) {
  return ValueHandle(make_value(tensor));
}

AttributeHandle attribute(const Attribute& source) {
  const char* name = source.name.c_str();
  auto make = [&](const void* data, size_t length, AttributeType type) {
    return create<AttributeHandle>(api::CreateOpAttr, name, data, static_cast<int>(length), type);
  };
  struct Visitor {
    decltype(make)& build;
    const std::string& name;
    AttributeHandle operator()(int64_t value) { return build(&value, 1, AttributeType::integer); }
    AttributeHandle operator()(float value) { return build(&value, 1, AttributeType::real); }
    AttributeHandle operator()(const std::string& value) {
      return build(value.data(), value.size(), AttributeType::string);
    }
    AttributeHandle operator()(const std::vector<int64_t>& value) {
      return build(value.data(), value.size(), AttributeType::integers);
    }
    AttributeHandle operator()(const std::vector<float>& value) {
      return build(value.data(), value.size(), AttributeType::reals);
    }
    AttributeHandle operator()(const std::vector<std::string>& value) {
      std::vector<const char*> texts;
      for (const std::string& text : value) texts.push_back(text.c_str());
      return build(texts.data(), texts.size(), AttributeType::strings);
    }
    AttributeHandle operator()(const Tensor&) {
      throw Error(ErrorCode::unsupported, "attribute '" + name +
                                              "' is a tensor, which ONNX Runtime's model editor cannot "
                                              "take; make it a constant of the graph");
    }
  };
  return std::visit(Visitor{make, source.name}, source.value);
}

}  // namespace

struct Graph::Impl {
  Value next = 0;
  std::vector<Typed> inputs, outputs;
  std::vector<std::pair<Value, Tensor>> constants;
  std::vector<Node> nodes;

  void add_nodes(OrtGraph* graph) const {
    for (const Node& node : nodes) {
      std::vector<std::string> names;
      for (Value value : node.inputs) names.push_back(name_of(value));
      for (Value value : node.outputs) names.push_back(name_of(value));
      std::vector<const char*> raw_names;
      for (const std::string& name : names) raw_names.push_back(name.c_str());
      std::vector<AttributeHandle> attributes;
      std::vector<OrtOpAttr*> raw_attributes;
      for (const Attribute& source : node.attributes) {
        attributes.push_back(attribute(source));
        raw_attributes.push_back(attributes.back().get());
      }
      const std::string node_name = node.op + "_" + name_of(node.outputs.front());
      auto made = create<NodeHandle>(api::CreateNode, node.op.c_str(), node.domain.c_str(), node_name.c_str(),
                                     raw_names.data(), node.inputs.size(), raw_names.data() + node.inputs.size(),
                                     node.outputs.size(), raw_attributes.data(), raw_attributes.size());
      for (AttributeHandle& taken : attributes) taken.release();
      check(api::AddNodeToGraph(graph, made.get()), "adding a node");
      made.release();
    }
  }
};

Graph::Graph() : impl_(std::make_unique<Impl>()) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

Value Graph::input(DType dtype, Shape shape) {
  impl_->inputs.push_back({impl_->next, dtype, {shape.begin(), shape.end()}});
  return impl_->next++;
}

Value Graph::constant(Tensor tensor) {
  impl_->constants.emplace_back(impl_->next, std::move(tensor));
  return impl_->next++;
}

std::vector<Value> Graph::node(std::string_view op, std::span<const Value> inputs, int outputs,
                               std::vector<Attribute> attributes, std::string_view domain) {
  Node node{std::string(op), std::string(domain), {inputs.begin(), inputs.end()}, {}, std::move(attributes)};
  for (int i = 0; i < outputs; ++i) node.outputs.push_back(impl_->next++);
  impl_->nodes.push_back(node);
  return impl_->nodes.back().outputs;
}

void Graph::output(Value value, DType dtype, Shape shape) {
  impl_->outputs.push_back({value, dtype, {shape.begin(), shape.end()}});
}

std::shared_ptr<const Executable> Graph::compile(int device) const {
  const OrtSessionOptions* options = launch_options(device);
  auto graph = create<GraphHandle>(api::CreateGraph);
  set_values(api::SetGraphInputs, graph.get(), impl_->inputs);
  set_values(api::SetGraphOutputs, graph.get(), impl_->outputs);
  for (const auto& [value, tensor] : impl_->constants) {
    ValueHandle held = tensor_value(tensor);
    const bool external = tensor.nbytes() >= kSmallestExternalInitializer;
    check(api::AddInitializerToGraph(graph.get(), name_of(value).c_str(), held.get(), external), "adding a constant");
    held.release();
  }
  impl_->add_nodes(graph.get());
  auto model = create<ModelHandle>(api::CreateModel, kDomains, kOpsets, std::size(kDomains));
  check(api::AddGraphToModel(model.get(), graph.get()), "adding the graph");
  graph.release();

  // ONNX Runtime refuses a graph for what its operators are (no kernel for a type, a bad attribute), so whatever it
  // says here is about the graph, not about a device in trouble.
  OrtSession* session = nullptr;
  try {
    check(api::CreateSessionFromModel(environment(), model.get(), options, &session), "compiling the graph");
  } catch (const Error& error) {
    throw Error(ErrorCode::unsupported, error.what());
  }
  std::vector<std::string> inputs, outputs;
  for (const Typed& input : impl_->inputs) inputs.push_back(name_of(input.value));
  for (const Typed& output : impl_->outputs) outputs.push_back(name_of(output.value));
  std::vector<Tensor> constants;
  for (const auto& [value, tensor] : impl_->constants) constants.push_back(tensor);
  return std::make_shared<CompiledGraph>(SessionHandle(session), std::move(inputs), std::move(outputs),
                                         std::move(constants));
}

}  // namespace dlport::ort
