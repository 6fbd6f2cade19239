#include <algorithm>
#include <string>
#include <vector>

#include "core/bits.hpp"
#include "core/convert.hpp"
#include "core/copy_checks.hpp"
#include "core/strided.hpp"
#include "dlport/error.hpp"
#include "dlport/exchange.hpp"

namespace dlport {
namespace {

using detail::Axis;
using detail::Coding;
using detail::Convert;
using detail::LoopNest;

/// What a tile holds at most: its scratch memory stays in the first-level cache.
constexpr int64_t kTileItems = 1024;
constexpr int64_t kLargestItem = 16;
constexpr uint64_t kPadded = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;

/// The steps from one dtype to another: codes to values, values to values, values to codes, as far as each is needed.
class Conversion {
 public:
  Conversion(DType to, DType from) {
    const Coding *decoding = detail::coding_of(from), *encoding = detail::coding_of(to);
    const DType source = decoding ? decoding->native : from, target = encoding ? encoding->native : to;
    const Convert between =
        detail::native_conversion(target, source, encoding ? detail::Rounding::odd : detail::Rounding::nearest);
    if (!between) {
      throw Error(ErrorCode::unsupported, "elements of " + to_string(from) + " do not convert to " + to_string(to));
    }
    if (decoding) steps_.push_back(decoding->decode);
    if (source != target) steps_.push_back(between);
    if (encoding) steps_.push_back(encoding->encode);
    if (steps_.empty()) steps_.push_back(between);
  }

  /// True where nothing is kept aside on the way, so that any number of elements converts at once.
  bool is_one_step() const noexcept { return steps_.size() == 1; }

  /// Converts packed elements, at most kTileItems of them unless it is one step.
  void run(void* dst, const void* src, int64_t count) const {
    alignas(64) char scratch[2][kTileItems * kLargestItem];
    const void* from = src;
    for (size_t i = 0; i < steps_.size(); ++i) {
      void* to = i + 1 == steps_.size() ? dst : scratch[i % 2];
      steps_[i](to, from, count);
      from = to;
    }
  }

 private:
  std::vector<Convert> steps_;
};

/// Row-major loops over the shape of `nest`, between one side of it and packed scratch memory.
LoopNest against_packed(const LoopNest& nest, char* dst, const char* src, int64_t itemsize, bool packed_dst) {
  LoopNest result = nest;
  result.dst = dst;
  result.src = src;
  result.dst_itemsize = result.src_itemsize = itemsize;
  int64_t step = itemsize;
  for (int i = nest.depth; i-- > 0;) {
    Axis& axis = result.storage[i];
    (packed_dst ? axis.dst_step : axis.src_step) = step;
    step *= axis.dim;
  }
  return result;
}

/// True where one side of `nest` can be converted in place: row-major, and as aligned as its elements need to be.
bool is_packed(const LoopNest& nest, const void* data, int64_t Axis::* step, int64_t itemsize) {
  if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(std::min<int64_t>(itemsize, 8)) != 0) return false;
  for (int i = nest.depth; i-- > 0;) {
    if (nest.storage[i].*step != itemsize) return false;
    itemsize *= nest.storage[i].dim;
  }
  return true;
}

bool is_source_packed(const LoopNest& nest) {
  return is_packed(nest, nest.src, &Axis::src_step, nest.src_itemsize);
}
bool is_target_packed(const LoopNest& nest) {
  return is_packed(nest, nest.dst, &Axis::dst_step, nest.dst_itemsize);
}

/// Converts a tile, by way of packed scratch memory for a side that is not packed itself.
void cast_tile(const LoopNest& tile, const Conversion& conversion) {
  alignas(64) char gathered[kTileItems * kLargestItem], converted[kTileItems * kLargestItem];
  const char* from = tile.src;
  if (!is_source_packed(tile)) {
    copy_items_here(against_packed(tile, gathered, tile.src, tile.src_itemsize, true));
    from = gathered;
  }
  const bool packed = is_target_packed(tile);
  conversion.run(packed ? tile.dst : converted, from, tile.items());
  if (!packed) copy_items_here(against_packed(tile, tile.dst, converted, tile.dst_itemsize, false));
}

/// Halves the longest loop until the rest is a tile: whatever the two layouts are, a tile is compact in both.
void cast_tiles(const LoopNest& nest, const Conversion& conversion) {
  if (nest.items() <= kTileItems) return cast_tile(nest, conversion);
  const auto axes = nest.axes();
  const auto longest = static_cast<int>(std::ranges::max_element(axes, {}, &Axis::dim) - axes.begin());
  const int64_t dim = axes[longest].dim, half = std::min((dim / 2 + 63) / 64 * 64, dim - 1);
  cast_tiles(nest.part(longest, 0, half), conversion);
  cast_tiles(nest.part(longest, half, dim - half), conversion);
}

/// A tensor whose lanes are an axis of their own.
struct WithoutLanes {
  std::vector<int64_t> shape, strides;
  TensorView view;

  explicit WithoutLanes(const TensorView& given) : shape(given.shape().begin(), given.shape().end()) {
    DLTensor tensor = given.dltensor();
    const int64_t lanes = given.dtype().lanes;
    uint64_t flags = given.flags();
    if (given.pitch_bits() == given.dtype().element_bits()) flags &= ~kPadded;  // there is nothing to pad
    if (lanes > 1 && (flags & kPadded)) {
      throw Error(ErrorCode::unsupported, "elements of " + to_string(given.dtype()) +
                                              " that are padded as a whole do not convert: copy them unpadded first");
    }
    strides.resize(shape.size());
    row_major_strides(shape, strides.data());
    std::ranges::copy(given.strides(), strides.begin());
    if (lanes > 1) {
      for (size_t i = 0; i < strides.size(); ++i) strides[i] *= shape[i] > 1 ? lanes : 0;  // else never read
      shape.push_back(lanes);
      strides.push_back(1);
    }
    tensor.dtype.lanes = 1;
    tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.shape = shape.data();
    tensor.strides = strides.data();
    view = TensorView(tensor, flags);
  }
};

bool shares_bytes(const TensorView& view) noexcept {
  return view.pitch_bits() % 8 != 0;
}

Tensor padded_like(const TensorView& view) {
  return Tensor::empty(view.shape(), view.dtype(), kPadded);
}

void cast_scalars(const TensorView& dst, const TensorView& src, const Conversion& conversion) {
  if (shares_bytes(src)) {
    const Tensor padded = padded_like(src);
    detail::copy_bits(padded, src);
    return cast_scalars(dst, padded, conversion);
  }
  if (shares_bytes(dst)) {
    const Tensor padded = padded_like(dst);
    cast_scalars(padded, src, conversion);
    return detail::copy_bits(dst, padded);
  }
  const LoopNest nest = detail::loop_nest(dst, src);
  detail::split_over_threads(nest, nest.items() * (nest.dst_itemsize + nest.src_itemsize), [&](const LoopNest& part) {
    if (conversion.is_one_step() && is_source_packed(part) && is_target_packed(part)) {
      conversion.run(part.dst, part.src, part.items());
    } else {
      cast_tiles(part, conversion);
    }
  });
}

}  // namespace

void copy_cast(const TensorView& dst, const TensorView& src) {
  DType to = dst.dtype(), from = src.dtype();
  if (to == from) return copy_strided(dst, src);
  if (to.lanes != from.lanes) {
    throw Error(ErrorCode::unsupported, "elements of " + to_string(from) + " do not convert to " + to_string(to) +
                                            ", which has another number of lanes");
  }
  to.lanes = from.lanes = 1;
  const Conversion conversion(to, from);
  if (detail::check_copy(dst, src) == detail::Work::nothing) return;
  cast_scalars(WithoutLanes(dst).view, WithoutLanes(src).view, conversion);
}

}  // namespace dlport
