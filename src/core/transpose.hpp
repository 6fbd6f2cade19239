// The kernels behind transposes and permutes: a plane that lies one way in `src` and the other way in `dst`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace dlport::detail {

/// A 16-byte register of items.
template <class Item>
struct Lanes {
  static constexpr int kCount = 16 / sizeof(Item);
  typedef Item Vector __attribute__((vector_size(16)));

  /// a0 b0 a1 b1 ... of the lower halves, or of the upper ones.
  template <bool kUpper, int... kIndex>
  static Vector interleave(Vector a, Vector b, std::integer_sequence<int, kIndex...>) noexcept {
    constexpr int kFirst = kUpper ? kCount / 2 : 0;
    return __builtin_shufflevector(a, b, (kFirst + kIndex / 2 + (kIndex % 2) * kCount)...);
  }

  /// Transposes kCount x kCount items; steps are in bytes. Interleaving row i with row i + half moves one bit of the
  /// row number into the column number, so log2(kCount) rounds swap the two.
  static void transpose(const char* src, int64_t src_step, char* dst, int64_t dst_step) noexcept {
    using Indices = std::make_integer_sequence<int, kCount>;
    Vector rows[kCount];
    for (int i = 0; i < kCount; ++i) std::memcpy(&rows[i], src + i * src_step, 16);
    for (int round = 1; round < kCount; round *= 2) {
      Vector mixed[kCount];
      for (int i = 0; i < kCount / 2; ++i) {
        mixed[2 * i] = interleave<false>(rows[i], rows[i + kCount / 2], Indices());
        mixed[2 * i + 1] = interleave<true>(rows[i], rows[i + kCount / 2], Indices());
      }
      std::copy_n(mixed, kCount, rows);
    }
    for (int i = 0; i < kCount; ++i) std::memcpy(dst + i * dst_step, &rows[i], 16);
  }
};

/// Writes `rows` rows of `columns` items each, packed in `dst` and `dst_step` bytes apart; the items of a row are
/// `src_step` bytes apart in `src`, those of a column next to each other. The block is walked along the rows of `dst`
/// or along the columns, which are the rows of `src`.
template <class Item>
void transpose_block(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t rows, int64_t columns,
                     bool along_rows) noexcept {
  constexpr int64_t kSize = sizeof(Item);
  constexpr int64_t kSide = Lanes<Item>::kCount;
  if (rows < kSide || columns < kSide) {
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; ++column) {
        std::memcpy(dst + row * dst_step + column * kSize, src + column * src_step + row * kSize, kSize);
      }
    }
    return;
  }
  // What is left over at the ends is done by blocks that reach back over their neighbours.
  auto each = [](int64_t count, auto&& body) {
    for (int64_t i = 0; i < count; i += kSide) body(std::min(i, count - kSide));
  };
  auto transpose_at = [&](int64_t row, int64_t column) {
    Lanes<Item>::transpose(src + column * src_step + row * kSize, src_step, dst + row * dst_step + column * kSize,
                           dst_step);
  };
  if (along_rows) {
    each(rows, [&](int64_t row) { each(columns, [&](int64_t column) { transpose_at(row, column); }); });
  } else {
    each(columns, [&](int64_t column) { each(rows, [&](int64_t row) { transpose_at(row, column); }); });
  }
}

/// An item in memory that may be aligned to nothing and be of another type.
template <class Item>
struct Loose {
  typedef Item Type __attribute__((aligned(1), may_alias));
};

/// A few channels, as of an image: `pixels` groups of kChannels items, packed in `src`, become kChannels packed rows
/// that are `dst_step` bytes apart.
template <class Item, int kChannels>
void split_channels(char* dst, int64_t dst_step, const char* src, int64_t pixels) noexcept {
  using Loose = typename Loose<Item>::Type;
  const Loose* __restrict from = reinterpret_cast<const Loose*>(src);
  Loose* __restrict to[kChannels];
  for (int c = 0; c < kChannels; ++c) to[c] = reinterpret_cast<Loose*>(dst + c * dst_step);
  for (int64_t i = 0; i < pixels; ++i) {
    for (int c = 0; c < kChannels; ++c) to[c][i] = from[i * kChannels + c];
  }
}

/// The way back: kChannels packed rows, `src_step` bytes apart, become packed groups.
template <class Item, int kChannels>
void join_channels(char* dst, const char* src, int64_t src_step, int64_t pixels) noexcept {
  using Loose = typename Loose<Item>::Type;
  Loose* __restrict to = reinterpret_cast<Loose*>(dst);
  const Loose* __restrict from[kChannels];
  for (int c = 0; c < kChannels; ++c) from[c] = reinterpret_cast<const Loose*>(src + c * src_step);
  for (int64_t i = 0; i < pixels; ++i) {
    for (int c = 0; c < kChannels; ++c) to[i * kChannels + c] = from[c][i];
  }
}

}  // namespace dlport::detail
