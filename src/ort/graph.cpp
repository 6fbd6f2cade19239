#include "ort/graph.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "dlport/error.hpp"
#include "ort/devices.hpp"
#include "ort/environment.hpp"
#include "ort/executable.hpp"
#include "ort/memory.hpp"

namespace dlport::ort {
namespace {

/// Versions of operator sets other than ONNX's own; those of unknown domains count from 1.
int domain_version(const std::string& domain) {
  return domain == "ai.onnx.ml" ? 5 : 1;
}

const std::shared_ptr<const Graph>* subgraph_of(const Attribute& attribute) {
  return std::get_if<std::shared_ptr<const Graph>>(&attribute.value);
}

SessionHandle load_session(const Graph::Impl& graph, const OrtSessionOptions* options) {
  std::vector<std::pair<Value, Tensor>> external;
  const std::string model = serialize(graph, &external);
  std::vector<std::string> names;
  std::vector<ValueHandle> held;
  std::vector<const char*> raw_names;
  std::vector<const OrtValue*> raw_values;
  for (const auto& [value, tensor] : external) {
    names.push_back(graph.name(value));
    held.emplace_back(make_value(tensor));
    raw_values.push_back(held.back().get());
  }
  for (const std::string& name : names) raw_names.push_back(name.c_str());
  auto own_options = create<SessionOptionsHandle>(api::CloneSessionOptions, options);
  if (!external.empty()) {
    check(api::AddExternalInitializers(own_options.get(), raw_names.data(), raw_values.data(), raw_values.size()),
          "adding constants");
  }
  return create<SessionHandle>(api::CreateSessionFromArray, environment(), static_cast<const void*>(model.data()),
                               model.size(), static_cast<const OrtSessionOptions*>(own_options.get()));
}

}  // namespace

std::string Graph::Impl::name(Value value) const {
  if (value == absent) return "";
  const auto found = names->find(value);
  return found == names->end() ? "v" + std::to_string(value) : found->second;
}

std::map<std::string, int> Graph::Impl::opsets() const {
  std::map<std::string, int> result{{"", opset}};
  for (const Node& node : nodes) {
    if (!node.domain.empty()) result.emplace(node.domain, domain_version(node.domain));
    for (const Attribute& attribute : node.attributes) {
      if (const auto* body = subgraph_of(attribute)) result.merge((*body)->impl().opsets());
    }
  }
  return result;
}

bool is_editable(const Graph::Impl& graph) {
  const auto needs_bytes = [](const Attribute& attribute) {
    return std::holds_alternative<Tensor>(attribute.value) || subgraph_of(attribute);
  };
  return std::ranges::all_of(graph.outputs, [](const Typed& output) { return output.dtype.has_value(); }) &&
         std::ranges::none_of(graph.nodes,
                              [&](const Node& node) { return std::ranges::any_of(node.attributes, needs_bytes); });
}

SessionHandle build_session(const Graph::Impl& graph, const OrtSessionOptions* options) {
  // ONNX Runtime refuses a graph for what its operators are (no kernel for a type, a bad attribute), so whatever it
  // says here is about the graph, not about a device in trouble.
  try {
    return is_editable(graph) ? edit_session(graph, options) : load_session(graph, options);
  } catch (const Error& error) {
    throw Error(ErrorCode::unsupported, "compiling the graph: " + std::string(error.what()), error.cause());
  }
}

Graph::Graph(int opset) : impl_(std::make_unique<Impl>()) {
  impl_->opset = opset;
}
Graph::Graph(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

Graph Graph::subgraph() const {
  auto body = std::make_unique<Impl>();
  body->opset = impl_->opset;
  body->next = impl_->next;
  body->names = impl_->names;
  return Graph(std::move(body));
}

Value Graph::input(DType dtype, Shape shape, std::string_view name) {
  const Value value = (*impl_->next)++;
  impl_->inputs.push_back({value, dtype, {shape.begin(), shape.end()}});
  if (!name.empty()) impl_->names->emplace(value, name);
  return value;
}

Value Graph::constant(Tensor tensor) {
  if (!is_row_major(tensor)) tensor = row_major_copy(tensor);
  impl_->constants.emplace_back(*impl_->next, std::move(tensor));
  return (*impl_->next)++;
}

std::vector<Value> Graph::node(std::string_view op, std::span<const Value> inputs, int outputs,
                               std::vector<Attribute> attributes, std::string_view domain) {
  // Inputs left out at the end are not written at all: some providers refuse the empty names that stand for them.
  while (!inputs.empty() && inputs.back() == absent) inputs = inputs.first(inputs.size() - 1);
  Node node{std::string(op), std::string(domain), {inputs.begin(), inputs.end()}, {}, std::move(attributes)};
  for (int i = 0; i < outputs; ++i) node.outputs.push_back((*impl_->next)++);
  impl_->nodes.push_back(std::move(node));
  return impl_->nodes.back().outputs;
}

void Graph::output(Value value, DType dtype, Shape shape, std::string_view name) {
  output(value, name);
  impl_->outputs.back().dtype = dtype;
  impl_->outputs.back().shape.assign(shape.begin(), shape.end());
}

void Graph::output(Value value, std::string_view name) {
  if (!name.empty() && !impl_->names->emplace(value, name).second) {
    value = node("Identity", {&value, 1})[0];  // it has another name already
    impl_->names->emplace(value, name);
  }
  impl_->outputs.push_back({value, {}, {}});
}

std::string Graph::to_onnx() const {
  return serialize(*impl_);
}

std::shared_ptr<const Executable> Graph::compile(int device) const {
  SessionHandle session = build_session(*impl_, launch_options(device));
  std::vector<std::string> inputs, outputs;
  for (const Typed& input : impl_->inputs) inputs.push_back(impl_->name(input.value));
  for (const Typed& output : impl_->outputs) outputs.push_back(impl_->name(output.value));
  std::vector<Tensor> constants;
  for (const auto& [value, tensor] : impl_->constants) constants.push_back(tensor);
  return std::make_shared<CompiledGraph>(std::move(session), std::move(inputs), std::move(outputs),
                                         std::move(constants));
}

}  // namespace dlport::ort
