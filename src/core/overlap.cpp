#include <numeric>

#include "core/loop_nest.hpp"
#include "dlport/exchange.hpp"

namespace dlport {
namespace {

/// Memory as runs of `run` bytes: the first at `first`, the others at multiples of `step` from it (0: no others), all
/// of it before `end`.
struct Coverage {
  uintptr_t first, end;
  int64_t run, step = 0;
};

Coverage coverage(const TensorView& view) noexcept {
  const auto data = reinterpret_cast<uintptr_t>(view.data());
  if (view.is_contiguous()) return {data, data + static_cast<uintptr_t>(view.nbytes()), view.nbytes()};
  if (view.pitch_bits() % 8 != 0) {  // elements that share bytes: one run from the lowest to the highest
    const Extent touched = *extent(view.shape(), view.strides());
    const int64_t low = touched.low * view.pitch_bits() >> 3, high = ((touched.high + 1) * view.pitch_bits() + 7) >> 3;
    return {data + static_cast<uintptr_t>(low), data + static_cast<uintptr_t>(high), high - low};
  }
  const detail::LoopNest nest = detail::loop_nest(view, view);
  Coverage result{reinterpret_cast<uintptr_t>(nest.dst), 0, nest.dst_itemsize};
  int64_t size = nest.dst_itemsize;
  for (int i = nest.depth; i-- > 0;) {
    const detail::Axis& axis = nest.storage[i];
    const int64_t reach = axis.dst_step * (axis.dim - 1);
    size += reach;
    if (axis.dst_step <= result.run) {
      result.run += reach;
    } else {
      result.step = std::gcd(result.step, axis.dst_step);
    }
  }
  result.end = result.first + static_cast<uintptr_t>(size);
  return result;
}

}  // namespace

bool may_share_memory(const TensorView& a, const TensorView& b) noexcept {
  if (a.numel() == 0 || b.numel() == 0) return false;
  const Coverage x = coverage(a), y = coverage(b);
  if (x.end <= y.first || y.end <= x.first) return false;
  const auto step = static_cast<uint64_t>(std::gcd(x.step, y.step));
  if (step == 0) return true;
  // Seen modulo the step that both keep to, each is a single run; `ahead` is how far y's starts behind x's.
  const uint64_t ahead = y.first >= x.first ? (y.first - x.first) % step : (step - (x.first - y.first) % step) % step;
  return ahead < static_cast<uint64_t>(x.run) || ahead + static_cast<uint64_t>(y.run) > step;
}

}  // namespace dlport
