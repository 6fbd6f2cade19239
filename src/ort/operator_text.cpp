#include "ort/operator_text.hpp"

#include <array>
#include <charconv>
#include <optional>

#include "dlport/error.hpp"

namespace dlport::ort {
namespace {

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The parts of `text` between separators; none for an empty text.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

template <class Number>
std::optional<std::vector<Number>> numbers(std::string_view list) {
  std::vector<Number> values;
  for (std::string_view item : split(list, ',')) {
    const auto value = number<Number>(item);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

decltype(Attribute::value) attribute_value(std::string_view text) {
  if (const auto integer = number<int64_t>(text)) return *integer;
  if (const auto real = number<float>(text)) return *real;
  if (text.starts_with('[') && text.ends_with(']')) {
    const std::string_view list = text.substr(1, text.size() - 2);
    if (auto integers = numbers<int64_t>(list)) return *std::move(integers);
    if (auto reals = numbers<float>(list)) return *std::move(reals);
  }
  return std::string(text);
}

}  // namespace

OperatorText::OperatorText(std::string_view name, std::string_view options, int device) : device_(device) {
  const size_t colons = name.rfind("::");
  op_ = colons == std::string_view::npos ? name : name.substr(colons + 2);
  if (colons != std::string_view::npos) domain_ = name.substr(0, colons);
  for (std::string_view option : split(options, ';')) {
    const size_t equals = option.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw Error(ErrorCode::invalid_argument,
                  "'" + std::string(option) + "' is no attribute of " + op_ + ": write name=value");
    }
    const std::string key(option.substr(0, equals));
    const std::string_view value = option.substr(equals + 1);
    if (key != "outputs") {
      attributes_.push_back({key, attribute_value(value)});
      continue;
    }
    const auto count = number<size_t>(value);
    if (!count || *count == 0 || *count > 64) {
      throw Error(ErrorCode::invalid_argument, "outputs=" + std::string(value) + " is not between 1 and 64");
    }
    outputs_ = *count;
  }
}

void OperatorText::launch(std::span<const Operand> inputs, std::span<const TensorView> outputs) const {
  std::array<bool, 64> wanted;
  wanted.fill(true);
  launch_into(op_, inputs, outputs, attributes_,
              {.device = device_, .domain = domain_, .wanted = std::span(wanted).first(outputs_)});
}

}  // namespace dlport::ort
