#include "core/loop_nest.hpp"

#include <algorithm>

namespace dlport::detail {
namespace {

/// True where `outer` goes on where `inner` ends, on both sides.
bool continues(const Axis& outer, const Axis& inner) noexcept {
  return outer.dst_step == inner.dst_step * inner.dim && outer.src_step == inner.src_step * inner.dim;
}

}  // namespace

int64_t LoopNest::items() const noexcept {
  int64_t count = 1;
  for (const Axis& axis : axes()) count *= axis.dim;
  return count;
}

LoopNest LoopNest::part(int axis, int64_t begin, int64_t count) const noexcept {
  LoopNest result = *this;
  Axis& loop = result.storage[axis];
  result.dst += begin * loop.dst_step;
  result.src += begin * loop.src_step;
  loop.dim = count;
  return result;
}

LoopNest loop_nest(const TensorView& dst, const TensorView& src) noexcept {
  LoopNest nest(static_cast<char*>(dst.data()), static_cast<const char*>(src.data()), dst.pitch_bits() / 8,
                src.pitch_bits() / 8);
  const Shape shape = dst.shape();
  const StridesOf dst_strides(dst), src_strides(src);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    Axis axis{shape[i], dst_strides[i] * nest.dst_itemsize, src_strides[i] * nest.src_itemsize};
    if (axis.dst_step < 0) {  // start at the other end
      nest.dst += axis.dst_step * (axis.dim - 1);
      nest.src += axis.src_step * (axis.dim - 1);
      axis.dst_step = -axis.dst_step;
      axis.src_step = -axis.src_step;
    }
    nest.storage[nest.depth++] = axis;
  }
  std::ranges::sort(nest.axes(), std::greater(), &Axis::dst_step);
  int merged = 0;
  for (int i = 1; i < nest.depth; ++i) {
    Axis& outer = nest.storage[merged];
    const Axis& inner = nest.storage[i];
    if (continues(outer, inner)) {
      outer = {outer.dim * inner.dim, inner.dst_step, inner.src_step};
    } else {
      nest.storage[++merged] = inner;
    }
  }
  if (nest.depth > 0) nest.depth = merged + 1;
  return nest;
}

}  // namespace dlport::detail
