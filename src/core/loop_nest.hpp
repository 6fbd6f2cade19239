// Two layouts of one shape, walked together: the loops that a copy runs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "dlport/layout.hpp"
#include "dlport/tensor.hpp"

namespace dlport::detail {

/// Strides in elements, whether the producer gave them or left them out.
class StridesOf {
 public:
  explicit StridesOf(const TensorView& view) noexcept : given_(view.strides()) {
    if (given_.empty()) row_major_strides(view.shape(), row_major_.data());
  }
  int64_t operator[](size_t axis) const noexcept { return given_.empty() ? row_major_[axis] : given_[axis]; }

 private:
  Strides given_;
  std::array<int64_t, kMaxNdim + 1> row_major_;
};

/// One loop: how often, and how many bytes each side moves a turn.
struct Axis {
  int64_t dim;
  int64_t dst_step;
  int64_t src_step;
};

/// Loops, outermost first, whose innermost body handles one item of `itemsize` bytes on either side.
struct LoopNest {
  char* dst;
  const char* src;
  int64_t dst_itemsize;
  int64_t src_itemsize;
  int depth = 0;
  std::array<Axis, kMaxNdim + 1> storage;  // one more for the lanes of an element

  LoopNest(char* to, const char* from, int64_t to_itemsize, int64_t from_itemsize) noexcept
      : dst(to), src(from), dst_itemsize(to_itemsize), src_itemsize(from_itemsize) {}
  /// Copies the loops that there are, and not the room for more.
  LoopNest(const LoopNest& other) noexcept
      : dst(other.dst),
        src(other.src),
        dst_itemsize(other.dst_itemsize),
        src_itemsize(other.src_itemsize),
        depth(other.depth) {
    std::copy_n(other.storage.begin(), depth, storage.begin());
  }
  LoopNest& operator=(const LoopNest&) = delete;

  std::span<Axis> axes() noexcept { return {storage.data(), static_cast<size_t>(depth)}; }
  std::span<const Axis> axes() const noexcept { return {storage.data(), static_cast<size_t>(depth)}; }
  int64_t items() const noexcept;

  /// The same nest restricted to `count` turns of one loop, from `begin` on.
  LoopNest part(int axis, int64_t begin, int64_t count) const noexcept;
};

/// The simplest loops over two tensors of the same shape with elements of whole bytes: axes of length 1 are gone, `dst`
/// is walked upwards with its smallest step innermost, and axes that continue each other on both sides are one.
/// Needs at least one element.
LoopNest loop_nest(const TensorView& dst, const TensorView& src) noexcept;

}  // namespace dlport::detail
