#include "dlport/layout.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace dlport {

std::optional<int64_t> checked_numel(Shape shape) noexcept {
  int64_t count = 1;
  bool empty = false, overflow = false;  // a dimension of 0 makes up for an overflow, wherever it stands
  for (int64_t dim : shape) {
    if (dim < 0) return std::nullopt;
    empty |= dim == 0;
    overflow |= __builtin_mul_overflow(count, dim, &count);
  }
  if (empty) return 0;
  return overflow ? std::nullopt : std::optional(count);
}

bool is_contiguous(Shape shape, Strides strides) noexcept {
  if (strides.empty()) return true;
  if (std::ranges::find(shape, 0) != shape.end()) return true;
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

std::optional<Extent> extent(Shape shape, Strides strides) noexcept {
  if (strides.empty()) {
    auto count = checked_numel(shape);
    if (!count) return std::nullopt;
    return *count == 0 ? Extent{} : Extent{0, *count - 1};
  }
  Extent result{0, 0};
  bool overflow = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return Extent{};
    if (shape[i] == 1) continue;
    int64_t reach = 0;
    int64_t& end = strides[i] < 0 ? result.low : result.high;
    overflow |= __builtin_mul_overflow(strides[i], shape[i] - 1, &reach);
    overflow |= __builtin_add_overflow(end, reach, &end);
  }
  return overflow ? std::nullopt : std::optional(result);
}

bool may_self_overlap(Shape shape, Strides strides) noexcept {
  if (strides.empty() || std::ranges::find(shape, 0) != shape.end()) return false;
  struct Axis {
    int64_t step, dim;
  };
  std::array<Axis, kMaxNdim> storage;
  size_t count = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1) storage[count++] = {std::abs(strides[i]), shape[i]};
  }
  const std::span axes(storage.data(), count);
  std::ranges::sort(axes, {}, &Axis::step);
  int64_t reach = 0;  // of all the smaller axes together
  for (const Axis& axis : axes) {
    if (axis.step <= reach) return true;
    reach += axis.step * (axis.dim - 1);
  }
  return false;
}

std::optional<std::vector<int64_t>> broadcast(Shape a, Shape b) {
  if (a.size() < b.size()) std::swap(a, b);
  std::vector<int64_t> result(a.begin(), a.end());
  const size_t lead = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t& dim = result[lead + i];
    if (dim == 1) {
      dim = b[i];
    } else if (b[i] != 1 && b[i] != dim) {
      return std::nullopt;
    }
  }
  return result;
}

std::string to_string(Shape shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace dlport
