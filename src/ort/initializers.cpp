#include "ort/initializers.hpp"

#include <algorithm>
#include <vector>

#include "dlport/error.hpp"
#include "ort/element_type.hpp"
#include "ort/protobuf.hpp"

namespace dlport::ort {
namespace {

// Field numbers of onnx.proto.
constexpr int kModelGraph = 7;
constexpr int kGraphInitializer = 5;
constexpr int kTensorDims = 1, kTensorDataType = 2, kTensorName = 8;

struct Initializer {
  std::string name;
  ElementType type = ElementType::undefined;
  std::vector<int64_t> shape;
};

Initializer read_initializer(std::string_view message) {
  Initializer result;
  FieldReader fields(message);
  for (Field field; fields.next(field);) {
    if (field.number == kTensorName) result.name = field.bytes;
    if (field.number == kTensorDataType) result.type = static_cast<ElementType>(field.integer);
    if (field.number != kTensorDims) continue;
    if (field.bytes.empty()) result.shape.push_back(static_cast<int64_t>(field.integer));
    FieldReader packed(field.bytes);
    for (uint64_t dim = 0; packed.next_packed(dim);) result.shape.push_back(static_cast<int64_t>(dim));
  }
  return result;
}

std::vector<Initializer> read_initializers(std::string_view model) {
  std::vector<Initializer> result;
  FieldReader fields(model);
  for (Field field; fields.next(field);) {
    if (field.number != kModelGraph) continue;
    FieldReader graph(field.bytes);
    for (Field part; graph.next(part);) {
      if (part.number == kGraphInitializer) result.push_back(read_initializer(part.bytes));
    }
  }
  return result;
}

/// The first of them: large models have thousands.
std::string names_of(const std::vector<Initializer>& initializers) {
  constexpr size_t kShown = 8;
  std::string names;
  for (size_t i = 0; i < std::min(kShown, initializers.size()); ++i) {
    names += (i ? ", '" : "'") + initializers[i].name + "'";
  }
  return initializers.size() > kShown ? names + ", ..." : names;
}

}  // namespace

void check_initializers(std::string_view model, const std::map<std::string, Tensor>& given) {
  if (given.empty()) return;
  const std::vector<Initializer> initializers = read_initializers(model);
  if (initializers.empty()) return;
  for (const auto& [name, tensor] : given) {
    const auto found = std::ranges::find(initializers, name, &Initializer::name);
    if (found == initializers.end()) {
      throw Error(ErrorCode::invalid_argument,
                  "the model has no initializer '" + name + "'; it has: " + names_of(initializers));
    }
    if (found->type == element_type(tensor.dtype()) && std::ranges::equal(found->shape, tensor.shape())) continue;
    throw Error(ErrorCode::invalid_argument,
                "initializer '" + name + "' is " +
                    (found->type == ElementType::string ? "string" : dlport::to_string(dtype_of(found->type))) + " " +
                    dlport::to_string(Shape(found->shape)) + ", but was given " + dlport::to_string(tensor.dtype()) +
                    " " + dlport::to_string(tensor.shape()));
  }
}

}  // namespace dlport::ort
