#include "ort/value_type.hpp"

#include "dlport/error.hpp"
#include "ort/element_type.hpp"

namespace dlport::ort {
namespace {

std::optional<DType> read_dtype(ElementType type) {
  if (type == ElementType::string) return std::nullopt;
  return dtype_of(type);
}

void read_tensor(const OrtTypeInfo* info, ValueType& type) {
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  check(api::CastTypeInfoToTensorInfo(info, &tensor), "tensor type");
  ElementType element{};
  check(api::GetTensorElementType(tensor, &element), "element type");
  type.dtype = read_dtype(element);
  // Before 1.24 no rank and rank 0 look the same; taken for open, nothing that fits is refused.
  const bool known = has_api(24);
  size_t ndim = 0;
  check(api::GetDimensionsCount(tensor, &ndim), "dimensions");
  type.ranked = known ? api::TensorTypeAndShape_HasShape(tensor) : ndim > 0;
  type.shape.resize(ndim);
  check(api::GetDimensions(tensor, type.shape.data(), ndim), "dimensions");
  std::vector<const char*> names(ndim);
  check(api::GetSymbolicDimensions(tensor, names.data(), ndim), "dimensions");
  for (const char* name : names) type.dim_names.emplace_back(name);
}

template <class Info, class Cast, class Get>
void read_element(const OrtTypeInfo* info, const Cast& cast, const Get& get, ValueType& type) {
  const Info* container = nullptr;
  check(cast(info, &container), cast.name);
  type.element.push_back(read_type(create<TypeInfoHandle>(get, container).get()));
}

void read_map(const OrtTypeInfo* info, ValueType& type) {
  const OrtMapTypeInfo* map = nullptr;
  check(api::CastTypeInfoToMapTypeInfo(info, &map), "map type");
  ElementType key{};
  check(api::GetMapKeyType(map, &key), "map key");
  type.dtype = read_dtype(key);
  type.element.push_back(read_type(create<TypeInfoHandle>(api::GetMapValueType, map).get()));
}

std::string tensor_text(const ValueType& type) {
  std::string text = dtype_name(type.dtype) + " ";
  if (!type.ranked) return text + "(...)";
  text += "(";
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (i) text += ", ";
    text += type.shape[i] >= 0 ? std::to_string(type.shape[i]) : type.dim_names[i].empty() ? "?" : type.dim_names[i];
  }
  return text + (type.shape.size() == 1 ? ",)" : ")");
}

}  // namespace

ValueType read_type(const OrtTypeInfo* info) {
  ValueKind kind{};
  check(api::GetOnnxTypeFromTypeInfo(info, &kind), "type");
  ValueType type;
  type.kind = static_cast<Kind>(kind);
  switch (type.kind) {
    case Kind::tensor:
    case Kind::sparse_tensor:
      read_tensor(info, type);
      break;
    case Kind::sequence:
      read_element<OrtSequenceTypeInfo>(info, api::CastTypeInfoToSequenceTypeInfo, api::GetSequenceElementType, type);
      break;
    case Kind::optional:
      read_element<OrtOptionalTypeInfo>(info, api::CastTypeInfoToOptionalTypeInfo, api::GetOptionalContainedTypeInfo,
                                        type);
      break;
    case Kind::map:
      read_map(info, type);
      break;
    case Kind::unknown:
    case Kind::opaque:
      break;
  }
  return type;
}

std::string dtype_name(const std::optional<DType>& dtype) {
  return dtype ? dlport::to_string(*dtype) : "string";
}

std::string to_string(const ValueType& type) {
  switch (type.kind) {
    case Kind::tensor:
      return tensor_text(type);
    case Kind::sparse_tensor:
      return "sparse " + tensor_text(type);
    case Kind::sequence:
      return "sequence of " + to_string(type.element[0]);
    case Kind::optional:
      return "optional " + to_string(type.element[0]);
    case Kind::map:
      return "map from " + dtype_name(type.dtype) + " to " + to_string(type.element[0]);
    case Kind::opaque:
      return "opaque value";
    case Kind::unknown:
      break;
  }
  return "value of unknown type";
}

}  // namespace dlport::ort
