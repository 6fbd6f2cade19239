#include "ort/datum.hpp"

#include <cstring>
#include <utility>

#include "dlport/error.hpp"
#include "ort/element_type.hpp"
#include "ort/empty_sequence.hpp"
#include "ort/memory.hpp"
#include "ort/value_type.hpp"

namespace dlport::ort {
namespace {

ValueHandle strings_value(const Strings& strings) {
  if (numel(strings.shape) != static_cast<int64_t>(strings.values.size())) {
    throw Error(ErrorCode::invalid_argument, std::to_string(strings.values.size()) + " strings do not fill shape " +
                                                 dlport::to_string(strings.shape));
  }
  auto value = create<ValueHandle>(api::CreateTensorAsOrtValue, host_allocator(), strings.shape.data(),
                                   strings.shape.size(), ElementType::string);
  for (size_t i = 0; i < strings.values.size(); ++i) {
    char* buffer = nullptr;
    check(api::GetResizedStringTensorElementBuffer(value.get(), i, strings.values[i].size(), &buffer), "strings");
    std::memcpy(buffer, strings.values[i].data(), strings.values[i].size());
  }
  return value;
}

ValueHandle container_value(std::vector<ValueHandle> parts, ValueKind kind) {
  std::vector<const OrtValue*> raw;
  for (const ValueHandle& part : parts) raw.push_back(part.get());
  return create<ValueHandle>(api::CreateValue, raw.data(), raw.size(), kind);
}

Datum item(const OrtValue* container, int index, const std::shared_ptr<const void>& owner) {
  return from_value(create<ValueHandle>(api::GetValue, container, index, host_allocator()), owner);
}

size_t count(const OrtValue* container) {
  size_t items = 0;
  check(api::GetValueCount(container, &items), "counting values");
  return items;
}

Strings read_strings(const OrtValue* value) {
  Strings strings;
  const TensorFacts facts(value);
  strings.shape.assign(facts.shape().begin(), facts.shape().end());
  const auto items = static_cast<size_t>(numel(strings.shape));
  size_t length = 0;
  check(api::GetStringTensorDataLength(value, &length), "strings");
  std::string all(length, '\0');
  std::vector<size_t> starts(items);
  if (items) check(api::GetStringTensorContent(value, all.data(), length, starts.data(), items), "strings");
  for (size_t i = 0; i < items; ++i) {
    const size_t end = i + 1 < items ? starts[i + 1] : length;
    strings.values.push_back(all.substr(starts[i], end - starts[i]));
  }
  return strings;
}

std::variant<Tensor, Strings> column(Datum datum) {
  if (auto* tensor = std::get_if<Tensor>(&datum)) return std::move(*tensor);
  return std::get<Strings>(std::move(datum));
}

Datum column_datum(const std::variant<Tensor, Strings>& column) {
  return std::visit([](const auto& value) { return Datum(value); }, column);
}

/// What a value of `type` holds, behind the optional that it may be.
const ValueType& contained(const ValueType& type) {
  return type.kind == Kind::optional ? contained(type.element[0]) : type;
}

struct ToValue {
  const ValueType& type;
  std::vector<Tensor>& copies;

  ValueHandle operator()(std::monostate) const { throw Error(ErrorCode::internal, "no value to hand over"); }
  ValueHandle operator()(const Tensor& tensor) const { return ValueHandle(lend(tensor, copies)); }
  ValueHandle operator()(const Strings& strings) const { return strings_value(strings); }
  ValueHandle operator()(const Map& map) const {
    std::vector<ValueHandle> parts;
    for (const auto* part : {&map.keys, &map.values}) parts.push_back(to_value(column_datum(*part), type, copies));
    return container_value(std::move(parts), ValueKind::map);
  }
  ValueHandle operator()(const Sequence& sequence) const {
    const ValueType& element = contained(type).element.at(0);
    if (sequence.items.empty()) return empty_sequence(element);
    std::vector<ValueHandle> parts;
    for (const Datum& part : sequence.items) parts.push_back(to_value(part, element, copies));
    return container_value(std::move(parts), ValueKind::sequence);
  }
};

}  // namespace

std::string describe(const Datum& datum) {
  struct Visitor {
    std::string operator()(std::monostate) const { return "nothing"; }
    std::string operator()(const Tensor& tensor) const {
      return dlport::to_string(tensor.dtype()) + " " + dlport::to_string(tensor.shape());
    }
    std::string operator()(const Strings& strings) const { return "string " + dlport::to_string(strings.shape); }
    std::string operator()(const Map&) const { return "a map"; }
    std::string operator()(const Sequence& sequence) const {
      return "a sequence of " + std::to_string(sequence.items.size());
    }
  };
  return std::visit(Visitor{}, static_cast<const Datum::variant&>(datum));
}

ValueHandle to_value(const Datum& datum, const ValueType& type, std::vector<Tensor>& copies) {
  return std::visit(ToValue{type, copies}, static_cast<const Datum::variant&>(datum));
}

Datum from_value(ValueHandle value, const std::shared_ptr<const void>& owner) {
  int has_value = 0;
  check(api::HasValue(value.get(), &has_value), "output");
  if (!has_value) return std::monostate{};
  ValueKind kind{};
  check(api::GetValueType(value.get(), &kind), "output");
  switch (kind) {
    case ValueKind::tensor:
      if (TensorFacts(value.get()).element() == ElementType::string) return read_strings(value.get());
      return take_tensor(std::move(value), owner);
    case ValueKind::sequence: {
      Sequence sequence;
      const size_t items = count(value.get());
      for (size_t i = 0; i < items; ++i) sequence.items.push_back(item(value.get(), static_cast<int>(i), owner));
      return sequence;
    }
    case ValueKind::map:
      return Map{column(item(value.get(), 0, owner)), column(item(value.get(), 1, owner))};
    default:
      throw Error(ErrorCode::unsupported, "an output holds a value that is neither tensor, sequence nor map");
  }
}

}  // namespace dlport::ort
