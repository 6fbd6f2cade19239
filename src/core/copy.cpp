#include <algorithm>
#include <string>

#include "core/bits.hpp"
#include "core/copy_checks.hpp"
#include "core/strided.hpp"
#include "dlport/error.hpp"
#include "dlport/exchange.hpp"

namespace dlport {
namespace detail {
namespace {

[[noreturn]] void bad_argument(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

bool same_layout(const TensorView& a, const TensorView& b) noexcept {
  if (a.data() != b.data() || a.pitch_bits() != b.pitch_bits()) return false;
  const StridesOf a_strides(a), b_strides(b);
  for (size_t i = 0; i < a.shape().size(); ++i) {
    if (a.shape()[i] > 1 && a_strides[i] != b_strides[i]) return false;
  }
  return true;
}

}  // namespace

Work check_copy(const TensorView& dst, const TensorView& src) {
  if (!std::ranges::equal(dst.shape(), src.shape())) {
    bad_argument("a tensor of shape " + to_string(src.shape()) + " cannot be copied to one of shape " +
                 to_string(dst.shape()) + ": broadcast or reshape it first");
  }
  for (const TensorView& side : {dst, src}) {
    if (!side.device().is_host()) {
      bad_argument("a tensor on " + to_string(side.device()) +
                   " is not in host memory: copy it with its device's driver");
    }
  }
  if (dst.read_only()) bad_argument("the destination of the copy is read-only");
  if (dst.numel() == 0) return Work::nothing;
  if (!dst.is_contiguous() && may_self_overlap(dst.shape(), dst.strides())) {
    bad_argument("the destination's elements may share memory: shape " + to_string(dst.shape()) + " with strides " +
                 to_string(dst.strides()));
  }
  if (!may_share_memory(dst, src)) return Work::disjoint;
  if (dst.dtype() == src.dtype() && same_layout(dst, src)) return Work::nothing;
  bad_argument("source and destination overlap: copy the source to fresh memory first");
}

}  // namespace detail

void copy_strided(const TensorView& dst, const TensorView& src) {
  if (dst.dtype() != src.dtype()) {
    throw Error(ErrorCode::invalid_argument, "a tensor of " + to_string(src.dtype()) + " was to be copied to one of " +
                                                 to_string(dst.dtype()) + ": use copy_cast to convert");
  }
  if (detail::check_copy(dst, src) == detail::Work::nothing) return;
  if (detail::needs_bits(dst, src)) return detail::copy_bits(dst, src);
  detail::copy_items(detail::loop_nest(dst, src));
}

Tensor contiguous_copy(const TensorView& src) {
  Tensor result = Tensor::empty(src.shape(), src.dtype(), src.flags() & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED);
  copy_strided(result, src);
  return result;
}

}  // namespace dlport
