// Graphs to sessions through the model editor: constants stay where they are, nothing is serialised.
#include <string>
#include <utility>
#include <vector>

#include "dlport/error.hpp"
#include "ort/element_type.hpp"
#include "ort/environment.hpp"
#include "ort/graph.hpp"
#include "ort/memory.hpp"

namespace dlport::ort {
namespace {

ValueInfoHandle value_info(const Graph::Impl& graph, const Typed& typed) {
  auto tensor = create<TensorInfoHandle>(api::CreateTensorTypeAndShapeInfo);
  check(api::SetTensorElementType(tensor.get(), element_type(*typed.dtype)), "element type");
  check(api::SetDimensions(tensor.get(), typed.shape.data(), typed.shape.size()), "dimensions");
  auto type = create<TypeInfoHandle>(api::CreateTensorTypeInfo, tensor.get());
  return create<ValueInfoHandle>(api::CreateValueInfo, graph.name(typed.value).c_str(), type.get());
}

/// Hands the infos to `set`, which takes them over where it succeeds.
template <class Setter>
void set_values(const Setter& set, OrtGraph* target, const Graph::Impl& graph, const std::vector<Typed>& values) {
  std::vector<ValueInfoHandle> infos;
  std::vector<OrtValueInfo*> raw;
  for (const Typed& value : values) {
    infos.push_back(value_info(graph, value));
    raw.push_back(infos.back().get());
  }
  check(set(target, raw.data(), raw.size()), set.name);
  for (ValueInfoHandle& info : infos) info.release();
}

struct AttributeBuilder {
  const char* name;

  AttributeHandle build(const void* data, size_t length, AttributeType type) const {
    return create<AttributeHandle>(api::CreateOpAttr, name, data, static_cast<int>(length), type);
  }
  AttributeHandle operator()(int64_t value) const { return build(&value, 1, AttributeType::integer); }
  AttributeHandle operator()(float value) const { return build(&value, 1, AttributeType::real); }
  AttributeHandle operator()(const std::string& value) const {
    return build(value.data(), value.size(), AttributeType::string);
  }
  AttributeHandle operator()(const std::vector<int64_t>& value) const {
    return build(value.data(), value.size(), AttributeType::integers);
  }
  AttributeHandle operator()(const std::vector<float>& value) const {
    return build(value.data(), value.size(), AttributeType::reals);
  }
  AttributeHandle operator()(const std::vector<std::string>& value) const {
    std::vector<const char*> texts;
    for (const std::string& text : value) texts.push_back(text.c_str());
    return build(texts.data(), texts.size(), AttributeType::strings);
  }
  template <class Other>
  AttributeHandle operator()(const Other&) const {
    throw Error(ErrorCode::internal, std::string("attribute '") + name + "' is beyond the model editor");
  }
};

void add_node(OrtGraph* target, const Graph::Impl& graph, const Node& node) {
  std::vector<std::string> names;
  for (Value value : node.inputs) names.push_back(graph.name(value));
  for (Value value : node.outputs) names.push_back(graph.name(value));
  std::vector<const char*> raw_names;
  for (const std::string& name : names) raw_names.push_back(name.c_str());
  std::vector<AttributeHandle> attributes;
  std::vector<OrtOpAttr*> raw_attributes;
  for (const Attribute& source : node.attributes) {
    attributes.push_back(std::visit(AttributeBuilder{source.name.c_str()}, source.value));
    raw_attributes.push_back(attributes.back().get());
  }
  const std::string node_name = node.op + "_" + names.back();
  auto made = create<NodeHandle>(api::CreateNode, node.op.c_str(), node.domain.c_str(), node_name.c_str(),
                                 raw_names.data(), node.inputs.size(), raw_names.data() + node.inputs.size(),
                                 node.outputs.size(), raw_attributes.data(), raw_attributes.size());
  for (AttributeHandle& taken : attributes) taken.release();
  check(api::AddNodeToGraph(target, made.get()), "adding a node");
  made.release();
}

}  // namespace

SessionHandle edit_session(const Graph::Impl& graph, const OrtSessionOptions* options) {
  auto target = create<GraphHandle>(api::CreateGraph);
  set_values(api::SetGraphInputs, target.get(), graph, graph.inputs);
  set_values(api::SetGraphOutputs, target.get(), graph, graph.outputs);
  for (const auto& [value, tensor] : graph.constants) {
    ValueHandle held(make_value(tensor));
    const bool external = tensor.nbytes() >= kSmallestExternalConstant;
    check(api::AddInitializerToGraph(target.get(), graph.name(value).c_str(), held.get(), external),
          "adding a constant");
    held.release();
  }
  for (const Node& node : graph.nodes) add_node(target.get(), graph, node);

  std::vector<const char*> domains;
  std::vector<int> versions;
  const auto opsets = graph.opsets();
  for (const auto& [domain, version] : opsets) {
    domains.push_back(domain.c_str());
    versions.push_back(version);
  }
  auto model = create<ModelHandle>(api::CreateModel, domains.data(), versions.data(), domains.size());
  check(api::AddGraphToModel(model.get(), target.get()), "adding the graph");
  target.release();
  return create<SessionHandle>(api::CreateSessionFromModel, environment(), static_cast<const OrtModel*>(model.get()),
                               options);
}

}  // namespace dlport::ort
