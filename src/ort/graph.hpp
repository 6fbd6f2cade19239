// What a Graph holds, and the two ways to make a session of it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dlport/ort.hpp"
#include "ort/api.hpp"

namespace dlport::ort {

struct Node {
  std::string op, domain;
  std::vector<Value> inputs, outputs;
  std::vector<Attribute> attributes;
};

/// An input or output; no dtype where ONNX Runtime is to work the type out.
struct Typed {
  Value value;
  std::optional<DType> dtype;
  std::vector<int64_t> shape;
};

struct Graph::Impl {
  int opset;
  // Shared with subgraphs, where values of the outer graph go by the same numbers and names.
  std::shared_ptr<Value> next = std::make_shared<Value>(0);
  std::shared_ptr<std::map<Value, std::string>> names = std::make_shared<std::map<Value, std::string>>();
  std::vector<Typed> inputs, outputs;
  std::vector<std::pair<Value, Tensor>> constants;
  std::vector<Node> nodes;

  std::string name(Value value) const;
  /// The operator sets that the nodes, those of subgraphs included, come from.
  std::map<std::string, int> opsets() const;
};

/// ONNX Runtime copies smaller constants in any case and refuses to leave them outside the model.
inline constexpr int64_t kSmallestExternalConstant = 128;

/// True where the model editor can express the graph: it takes neither tensors nor graphs as attributes, and has to be
/// told the types of outputs.
bool is_editable(const Graph::Impl& graph);

/// Builds the session by the model editor.
SessionHandle edit_session(const Graph::Impl& graph, const OrtSessionOptions* options);

/// The serialised model. Constants that are large enough stay out of it where `external` is given, and are added to it.
std::string serialize(const Graph::Impl& graph, std::vector<std::pair<Value, Tensor>>* external = nullptr);

/// Builds the session in whichever way can. Constants are read in place: they have to outlive it.
/// Throws Error{unsupported} with ONNX Runtime's words.
SessionHandle build_session(const Graph::Impl& graph, const OrtSessionOptions* options);

}  // namespace dlport::ort
