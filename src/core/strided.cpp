#include "core/strided.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "core/each.hpp"
#include "core/parallel.hpp"
#include "core/transpose.hpp"

namespace dlport::detail {
namespace {

__extension__ typedef unsigned __int128 uint128_t;

constexpr int64_t kCacheLine = 64;

/// Copies a plane: `outer.dim` times `inner.dim` items.
using PlaneCopy = void (*)(char* dst, const char* src, const Axis& outer, const Axis& inner, int64_t itemsize);

template <class Item>
void copy_row(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t count) noexcept {
  auto run = [=](auto to_step, auto from_step) {
#pragma GCC unroll 4
    for (int64_t i = 0; i < count; ++i) std::memcpy(dst + i * to_step, src + i * from_step, sizeof(Item));
  };
  // Steps that the compiler knows become vector instructions.
  constexpr std::integral_constant<int64_t, sizeof(Item)> kPacked;
  constexpr std::integral_constant<int64_t, -int64_t{sizeof(Item)}> kReversed;
  constexpr std::integral_constant<int64_t, 0> kRepeated;
  constexpr std::integral_constant<int64_t, 2 * sizeof(Item)> kEverySecond;  // as the real parts of complex numbers
  if (dst_step != kPacked) return run(dst_step, src_step);
  if (src_step == kRepeated) return run(kPacked, kRepeated);
  if (src_step == kReversed) return run(kPacked, kReversed);
  if (src_step == kEverySecond) return run(kPacked, kEverySecond);
  run(kPacked, src_step);
}

/// Any steps. Where `src` lies along the outer axis the plane is walked in blocks, so that each of its cache lines is
/// used up while it is there.
template <class Item>
void copy_plane(char* dst, const char* src, const Axis& outer, const Axis& inner, int64_t) {
  const bool across = std::abs(outer.src_step) < std::abs(inner.src_step);
  const int64_t block = across ? 256 : inner.dim;
  for (int64_t begin = 0; begin < inner.dim; begin += block) {
    const int64_t count = std::min(block, inner.dim - begin);
    char* to = dst + begin * inner.dst_step;
    const char* from = src + begin * inner.src_step;
    for (int64_t i = 0; i < outer.dim; ++i, to += outer.dst_step, from += outer.src_step) {
      copy_row<Item>(to, inner.dst_step, from, inner.src_step, count);
    }
  }
}

/// Planes whose rows in `dst` start at the same place of the cache push each other out of it while they are being
/// written. Then each block is made aside and its rows are written in one go; in planes beyond the cache that is lost
/// on the way to memory.
template <class Item>
bool rows_collide(const Axis& outer, const Axis& inner) noexcept {
  return sizeof(Item) <= 4 && outer.dst_step % 2048 == 0 && outer.dim * inner.dim * int64_t{sizeof(Item)} <= 8 << 20;
}

/// Rows of `dst` are best written from end to end where a register holds few of their items. Each line of `src` is then
/// come back to, so those of a block must not push each other out of the cache.
template <class Item>
bool is_best_along_rows(const Axis& inner, int64_t columns) noexcept {
  return Lanes<Item>::kCount == 2 && inner.dim >= columns && inner.src_step % 1024 != 0;
}

/// `dst` packed along the inner axis, `src` along the outer one.
template <class Item>
void transpose_plane(char* dst, const char* src, const Axis& outer, const Axis& inner, int64_t) {
  constexpr int64_t kRows = kCacheLine / sizeof(Item);            // what a line of `src` holds
  constexpr int64_t kColumns = std::max<int64_t>(4 * kRows, 64);  // all channels of most images, so whole rows of `dst`
  const bool aside = rows_collide<Item>(outer, inner), along_rows = is_best_along_rows<Item>(inner, kColumns);
  for (int64_t column = 0; column < inner.dim; column += kColumns) {
    const int64_t columns = std::min(kColumns, inner.dim - column);
    for (int64_t row = 0; row < outer.dim; row += kRows) {
      const int64_t rows = std::min(kRows, outer.dim - row);
      char* to = dst + row * outer.dst_step + column * inner.dst_step;
      const char* from = src + row * outer.src_step + column * inner.src_step;
      // No prefetcher of a CPU follows so many rows at once: what the next block needs comes while this one is turned.
      for (int64_t i = 0; i < columns; ++i) __builtin_prefetch(from + i * inner.src_step + kCacheLine);
      if (aside) {
        Item block[kRows * kColumns];
        transpose_block<Item>(reinterpret_cast<char*>(block), sizeof(Item) * kColumns, from, inner.src_step, rows,
                              columns, along_rows);
        for (int64_t i = 0; i < rows; ++i) {
          std::memcpy(to + i * outer.dst_step, block + i * kColumns, sizeof(Item) * static_cast<size_t>(columns));
        }
      } else {
        transpose_block<Item>(to, outer.dst_step, from, inner.src_step, rows, columns, along_rows);
      }
    }
  }
}

/// The same where one of the two axes is the few channels of a pixel.
template <class Item, int kChannels>
bool copy_channels(char* dst, const char* src, const Axis& outer, const Axis& inner) {
  constexpr int64_t kPixel = sizeof(Item) * kChannels;
  if (outer.dim == kChannels && inner.src_step == kPixel) {
    split_channels<Item, kChannels>(dst, outer.dst_step, src, inner.dim);
    return true;
  }
  if (inner.dim == kChannels && outer.dst_step == kPixel) {
    join_channels<Item, kChannels>(dst, src, inner.src_step, outer.dim);
    return true;
  }
  return false;
}

template <class Item>
void copy_across(char* dst, const char* src, const Axis& outer, const Axis& inner, int64_t itemsize) {
  if (copy_channels<Item, 2>(dst, src, outer, inner) || copy_channels<Item, 3>(dst, src, outer, inner) ||
      copy_channels<Item, 4>(dst, src, outer, inner)) {
    return;
  }
  // Where a register holds but one item, nothing is transposed in it; blocks are left to help where the items of a row
  // of `dst` would push each other out of the cache.
  constexpr int64_t kPage = 4096;
  constexpr bool kAlone = Lanes<Item>::kCount == 1;
  if (kAlone && inner.src_step % kPage != 0) return copy_plane<Item>(dst, src, outer, inner, itemsize);
  transpose_plane<Item>(dst, src, outer, inner, itemsize);
}

/// Items that fill whole wide registers: up to a few thousand bytes each a call of memcpy costs more than it saves.
constexpr int64_t kWide = 32, kLongestWide = 4096;
DLPORT_WIDE void copy_wide(char* dst, const char* src, const Axis& outer, const Axis& inner, int64_t itemsize) {
  typedef char Wide __attribute__((vector_size(kWide), aligned(1), may_alias));
  const int64_t count = itemsize / kWide;
  for (int64_t i = 0; i < outer.dim; ++i, dst += outer.dst_step, src += outer.src_step) {
    char* row_dst = dst;
    const char* row_src = src;
    for (int64_t j = 0; j < inner.dim; ++j, row_dst += inner.dst_step, row_src += inner.src_step) {
      Wide* to = reinterpret_cast<Wide*>(row_dst);
      const Wide* from = reinterpret_cast<const Wide*>(row_src);
#pragma GCC unroll 2
      for (int64_t k = 0; k < count; ++k) to[k] = from[k];
    }
  }
}

/// Items of any size, as runs of bytes.
void copy_runs(char* dst, const char* src, const Axis& outer, const Axis& inner, int64_t itemsize) {
  for (int64_t i = 0; i < outer.dim; ++i) {
    for (int64_t j = 0; j < inner.dim; ++j) {
      std::memcpy(dst + i * outer.dst_step + j * inner.dst_step, src + i * outer.src_step + j * inner.src_step,
                  static_cast<size_t>(itemsize));
    }
  }
}

struct Kernels {
  int64_t itemsize;
  PlaneCopy any;
  PlaneCopy transposed;
};

constexpr Kernels kKernels[] = {
    {1, copy_plane<uint8_t>, copy_across<uint8_t>},      {2, copy_plane<uint16_t>, copy_across<uint16_t>},
    {4, copy_plane<uint32_t>, copy_across<uint32_t>},    {8, copy_plane<uint64_t>, copy_across<uint64_t>},
    {16, copy_plane<uint128_t>, copy_across<uint128_t>},
};

PlaneCopy kernel_for(int64_t itemsize, const Axis& outer, const Axis& inner) noexcept {
  for (const Kernels& kernels : kKernels) {
    if (kernels.itemsize != itemsize) continue;
    return inner.dst_step == itemsize && outer.src_step == itemsize ? kernels.transposed : kernels.any;
  }
  return kHasWideRegisters && itemsize % kWide == 0 && itemsize <= kLongestWide ? copy_wide : copy_runs;
}

/// Makes the innermost loop part of the item where it runs over adjacent bytes on both sides.
LoopNest with_runs_as_items(LoopNest nest) noexcept {
  if (nest.depth == 0) return nest;
  const Axis& inner = nest.axes().back();
  if (inner.dst_step == nest.dst_itemsize && inner.src_step == nest.dst_itemsize) {
    nest.dst_itemsize *= inner.dim;
    nest.src_itemsize = nest.dst_itemsize;
    --nest.depth;
  }
  return nest;
}

/// Takes the axis along which `src` moves least to the end of `axes`, if it moves less there than by `step`.
void bring_source_axis_inside(std::span<Axis> axes, int64_t step) noexcept {
  if (axes.size() < 2) return;
  auto nearest = std::ranges::min_element(axes, {}, [](const Axis& axis) { return std::abs(axis.src_step); });
  if (std::abs(nearest->src_step) < std::abs(step)) std::rotate(nearest, nearest + 1, axes.end());
}

/// The innermost loops are those along which `dst` moves least. Between them come those along which `src` does, so that
/// what is touched in a row lies together on both sides.
void interleave(std::span<Axis> axes) noexcept {
  if (axes.size() < 3) return;
  bring_source_axis_inside(axes.first(axes.size() - 1), axes.back().src_step);
  if (axes.size() < 5) return;
  bring_source_axis_inside(axes.first(axes.size() - 3), axes[axes.size() - 3].src_step);
}

template <class Body>
void run_loops(std::span<const Axis> loops, char* dst, const char* src, const Body& body) {
  if (loops.empty()) return body(dst, src);
  const Axis& axis = loops.front();
  for (int64_t i = 0; i < axis.dim; ++i) {
    run_loops(loops.subspan(1), dst + i * axis.dst_step, src + i * axis.src_step, body);
  }
}

struct Split {
  int axis;
  int64_t grain;
};

/// The loop whose turns threads share, and the unit in which: whole planes where there are enough for every thread,
/// else the outermost loop that is long enough for whole blocks to a part, or else the longest.
Split loop_to_split(std::span<const Axis> axes) noexcept {
  constexpr int64_t kEnough = 8, kBlock = 64;
  const auto first = [](std::span<const Axis> among, int64_t dim) {
    return std::ranges::find_if(among, [=](const Axis& axis) { return axis.dim >= dim; }) - among.begin();
  };
  const auto planes = axes.first(axes.size() - std::min<size_t>(axes.size(), 2));
  if (const auto plane = first(planes, kEnough); plane < std::ssize(planes)) return {static_cast<int>(plane), 1};
  if (const auto axis = first(axes, 4 * kBlock); axis < std::ssize(axes)) return {static_cast<int>(axis), kBlock};
  return {static_cast<int>(std::ranges::max_element(axes, {}, &Axis::dim) - axes.begin()), 1};
}

}  // namespace

void copy_items_here(const LoopNest& given) noexcept {
  LoopNest nest = with_runs_as_items(given);
  interleave(nest.axes());
  constexpr Axis kOnce{1, 0, 0};
  const auto axes = nest.axes();
  const Axis inner = axes.empty() ? kOnce : axes.back();
  const Axis outer = axes.size() < 2 ? kOnce : axes[axes.size() - 2];
  const PlaneCopy copy = kernel_for(nest.dst_itemsize, outer, inner);
  run_loops(axes.first(axes.size() - std::min<size_t>(axes.size(), 2)), nest.dst, nest.src,
            [&](char* dst, const char* src) { copy(dst, src, outer, inner, nest.dst_itemsize); });
}

void split_over_threads(const LoopNest& nest, int64_t bytes, const std::function<void(const LoopNest&)>& work) {
  if (nest.axes().empty()) return work(nest);
  const auto [axis, grain] = loop_to_split(nest.axes());
  parallel_for(nest.axes()[axis].dim, grain, bytes,
               [&, index = axis](int64_t begin, int64_t end) { work(nest.part(index, begin, end - begin)); });
}

void copy_items(const LoopNest& given) {
  const LoopNest nest = with_runs_as_items(given);
  if (nest.depth == 0) {
    constexpr int64_t kPage = 4096;
    return parallel_for(nest.dst_itemsize, kPage, nest.dst_itemsize, [&](int64_t begin, int64_t end) {
      std::memcpy(nest.dst + begin, nest.src + begin, static_cast<size_t>(end - begin));
    });
  }
  // Jumping from item to item costs as much time as some bytes do.
  constexpr int64_t kJump = 16;
  split_over_threads(nest, nest.items() * std::max(nest.dst_itemsize, kJump), copy_items_here);
}

}  // namespace dlport::detail
