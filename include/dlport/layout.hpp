/// Layout: pure arithmetic on shapes and strides (both in elements). Nothing here touches a tensor's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dlport/export.h"

namespace dlport {

using Shape = std::span<const int64_t>;
using Strides = std::span<const int64_t>;

/// The most dimensions that a tensor may have: as many as any framework makes.
inline constexpr int kMaxNdim = 64;

/// Product of the dimensions (1 for ndim 0), or nothing where one is negative or the product leaves int64.
DLPORT_API std::optional<int64_t> checked_numel(Shape shape) noexcept;

/// Product of the dimensions of a shape known to be valid. (Where one is 0 the others may be anything, so the product
/// of those before it wraps rather than overflows.)
inline int64_t numel(Shape shape) noexcept {
  uint64_t count = 1;
  for (int64_t dim : shape) count *= static_cast<uint64_t>(dim);
  return static_cast<int64_t>(count);
}

/// Writes the row-major strides of `shape` to `out` (shape.size() values). Dimensions of 0 count as 1.
inline void row_major_strides(Shape shape, int64_t* out) noexcept {
  uint64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    out[i] = static_cast<int64_t>(step);
    step *= shape[i] > 1 ? static_cast<uint64_t>(shape[i]) : 1;
  }
}

/// True where the elements lie row-major without gaps. Strides of axes of length 1 are never read, and a shape
/// with no elements is contiguous whatever its strides; `strides` may be empty, which means row-major.
DLPORT_API bool is_contiguous(Shape shape, Strides strides) noexcept;

/// The elements touched, relative to the first: offsets from `low` to `high` inclusive, in elements.
struct Extent {
  int64_t low = 0;
  int64_t high = -1;  ///< below `low` where there are no elements
  bool empty() const noexcept { return high < low; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// The extent of a layout, or nothing where it leaves int64.
DLPORT_API std::optional<Extent> extent(Shape shape, Strides strides) noexcept;

/// True where two elements of the layout share memory (broadcast axes, windows that overlap).
/// Exact for layouts whose axes nest; says true where it would have to search. Needs a layout that extent() can
/// express, of at most kMaxNdim axes.
DLPORT_API bool may_self_overlap(Shape shape, Strides strides) noexcept;

/// NumPy's broadcasting of two shapes, or nothing where they do not fit.
DLPORT_API std::optional<std::vector<int64_t>> broadcast(Shape a, Shape b);

/// "(3, 4)", "(3,)", "()".
DLPORT_API std::string to_string(Shape shape);

}  // namespace dlport
