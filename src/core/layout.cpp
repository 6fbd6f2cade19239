#include "dlport/layout.hpp"

#include <algorithm>
#include <cstdlib>

namespace dlport {

std::optional<int64_t> checked_numel(Shape shape) noexcept {
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim < 0) return std::nullopt;
    empty = empty || dim == 0;
  }
  if (empty) return 0;
  int64_t count = 1;
  for (int64_t dim : shape) {
    if (__builtin_mul_overflow(count, dim, &count)) return std::nullopt;
  }
  return count;
}

bool is_contiguous(Shape shape, Strides strides) noexcept {
  if (strides.empty()) return true;
  int64_t expected = 1;
  bool contiguous = true;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 0) return true;
    if (shape[i] == 1) continue;
    contiguous = contiguous && strides[i] == expected;
    expected *= shape[i];
  }
  return contiguous;
}

std::optional<Extent> extent(Shape shape, Strides strides) noexcept {
  Extent result{0, 0};
  for (int64_t dim : shape) {
    if (dim == 0) return Extent{};
  }
  if (strides.empty()) {
    auto count = checked_numel(shape);
    if (!count) return std::nullopt;
    return Extent{0, *count - 1};
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    int64_t reach = 0;
    int64_t& end = strides[i] < 0 ? result.low : result.high;
    if (__builtin_mul_overflow(strides[i], shape[i] - 1, &reach) || __builtin_add_overflow(end, reach, &end)) {
      return std::nullopt;
    }
  }
  return result;
}

bool may_self_overlap(Shape shape, Strides strides) noexcept {
  if (strides.empty()) return false;
  struct Axis {
    int64_t step, dim;
  };
  std::vector<Axis> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return false;
    if (shape[i] > 1) axes.push_back({std::abs(strides[i]), shape[i]});
  }
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.step < b.step; });
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
