// dlport::copy and dlport::to: moving tensors between any two devices by the shortest way.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/loop_nest.hpp"
#include "dlport/driver.hpp"
#include "dlport/error.hpp"
#include "dlport/exchange.hpp"
#include "drivers/staging.hpp"

namespace dlport {
namespace {

using drivers::Block;
using drivers::block_of;
using drivers::Transfer;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

bool share_memory(const TensorView& dst, const TensorView& src) {
  if (!(dst.device() == src.device())) return false;
  if (drivers::data_is_handle(dst.device()) && dst.dltensor().data != src.dltensor().data) return false;
  return may_share_memory(dst, src);
}

/// The same steps along every axis that takes any.
bool same_strides(const TensorView& dst, const TensorView& src) noexcept {
  const detail::StridesOf to(dst), from(src);
  for (size_t axis = 0; axis < dst.shape().size(); ++axis) {
    if (dst.shape()[axis] > 1 && to[axis] != from[axis]) return false;
  }
  return true;
}

/// True where there is nothing to copy. Throws Error{invalid_argument} where the two do not fit.
bool nothing_to_do(const TensorView& dst, const TensorView& src) {
  if (!std::ranges::equal(dst.shape(), src.shape())) {
    refuse("a tensor of shape " + to_string(src.shape()) + " cannot be copied to one of shape " +
           to_string(dst.shape()) + ": broadcast or reshape it first");
  }
  if (dst.dtype() != src.dtype() || dst.pitch_bits() != src.pitch_bits()) {
    refuse("a tensor of " + to_string(src.dtype()) + " was to be copied to one of " + to_string(dst.dtype()) +
           ": convert it on its own device first");
  }
  if (dst.read_only()) refuse("the destination of the copy is read-only");
  if (dst.numel() == 0) return true;
  if (may_self_overlap(dst.shape(), dst.strides())) {
    refuse("the destination's elements may share memory: shape " + to_string(dst.shape()) + " with strides " +
           to_string(dst.strides()));
  }
  if (!share_memory(dst, src)) return false;
  if (dst.data() == src.data() && same_strides(dst, src)) return true;
  refuse("source and destination overlap: copy the source to fresh memory first");
}

/// Whether the elements of both lie in the same order without gaps: then their bytes can move as they are.
bool moves_as_block(const TensorView& dst, const TensorView& src) {
  if (dst.is_contiguous() && src.is_contiguous()) return true;
  return same_strides(dst, src) && dst.pitch_bits() % 8 == 0 &&
         block_of(dst).size == static_cast<uint64_t>(dst.nbytes());
}

/// Rows that a device copies by itself: how many bytes they have to have, and how many calls may be made for them.
constexpr int64_t kLeastRow = 64;
constexpr int64_t kMostCalls = 256;

/// Copies by the driver's own row copies where the layouts come down to few enough planes of rows.
bool copied_by_rows(const TensorView& dst, const TensorView& src, const Transfer& transfer) {
  if (dst.pitch_bits() % 8 != 0 || !transfer.copies_rows()) return false;
  const detail::LoopNest nest = detail::loop_nest(dst, src);
  const auto axes = nest.axes();
  if (axes.size() < 2) return false;
  const detail::Axis& run = axes[axes.size() - 1];
  const detail::Axis& rows = axes[axes.size() - 2];
  const int64_t row = run.dim * nest.dst_itemsize;
  if (run.dst_step != nest.dst_itemsize || run.src_step != nest.src_itemsize || row < kLeastRow) return false;
  if (rows.dst_step < row || rows.src_step < row || nest.items() / (run.dim * rows.dim) > kMostCalls) return false;

  auto offset_in = [](const void* place, const TensorView& view) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(place) - reinterpret_cast<uintptr_t>(view.dltensor().data));
  };
  int64_t turn[kMaxNdim + 1] = {};
  const size_t outer = axes.size() - 2;
  int64_t to = offset_in(nest.dst, dst), from = offset_in(nest.src, src);
  for (size_t axis = 0;;) {
    transfer.rows(static_cast<uint64_t>(to), static_cast<uint64_t>(rows.dst_step), static_cast<uint64_t>(from),
                  static_cast<uint64_t>(rows.src_step), static_cast<uint64_t>(row), static_cast<uint64_t>(rows.dim));
    for (axis = 0; axis < outer; ++axis) {  // the next plane, as an odometer turns
      to += axes[axis].dst_step;
      from += axes[axis].src_step;
      if (++turn[axis] < axes[axis].dim) break;
      to -= axes[axis].dst_step * axes[axis].dim;
      from -= axes[axis].src_step * axes[axis].dim;
      turn[axis] = 0;
    }
    if (axis == outer) return true;
  }
}

/// Any two layouts, by way of host memory.
void copy_through_host(const TensorView& dst, const TensorView& src) {
  const Tensor source = src.device().is_host() ? Tensor() : drivers::fetch(src);
  const TensorView from = source ? source.view() : src;
  if (dst.device().is_host()) return copy_strided(dst, from);
  if (dst.is_contiguous()) {
    const Tensor packed = from.is_contiguous() ? Tensor() : contiguous_copy(from);
    return Transfer(dst, packed ? packed.view() : from, nullptr).block();
  }
  const Tensor edited = drivers::fetch(dst);
  copy_strided(edited, from);
  drivers::put_back(dst, edited);
}

}  // namespace

void copy(const TensorView& dst, const TensorView& src, const Stream* stream) {
  if (dst.device().is_host() && src.device().is_host()) {
    make_ready(src);
    make_ready(dst);
    return copy_cast(dst, src);
  }
  if (nothing_to_do(dst, src)) return;
  const Transfer transfer(dst, src, stream);
  if (moves_as_block(dst, src)) return transfer.block();
  if (copied_by_rows(dst, src, transfer)) return;
  transfer.settle();
  copy_through_host(dst, src);
}

Tensor copied_to(const Tensor& tensor, Device device, const Stream* stream) {
  if (device == cpu && tensor.physical_device().is_host()) return contiguous_copy(tensor);
  Tensor result = empty(tensor.shape(), tensor.dtype(), device, stream,
                        tensor.flags() & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED);
  copy(result, tensor, stream);
  return result;
}

Tensor copied(const Tensor& tensor) {
  return copied_to(tensor, tensor.physical_device().is_host() ? cpu : tensor.device());
}

Tensor to(const Tensor& tensor, Device device, const Stream* stream) {
  if (device == tensor.device()) return tensor;
  const Device target = physical(device);
  if (target == tensor.physical_device() || (target == cpu && tensor.physical_device().is_host())) {
    return tensor.on(device);
  }
  return copied_to(tensor, device, stream);
}

}  // namespace dlport
