#include "core/bits.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace dlport::detail {
namespace {

unsigned read_bits(const unsigned char* data, int64_t at, int count) noexcept {
  const unsigned char* byte = data + (at >> 3);
  const int shift = static_cast<int>(at & 7);
  unsigned value = byte[0] >> shift;
  if (shift + count > 8) value |= static_cast<unsigned>(byte[1]) << (8 - shift);
  return value & ((1u << count) - 1);
}

void write_bits(unsigned char* data, int64_t at, int count, unsigned value) noexcept {
  unsigned char* byte = data + (at >> 3);
  const int shift = static_cast<int>(at & 7);
  const unsigned mask = ((1u << count) - 1) << shift;
  value <<= shift;
  byte[0] = static_cast<unsigned char>((byte[0] & ~mask) | (value & mask));
  if (shift + count > 8) byte[1] = static_cast<unsigned char>((byte[1] & ~(mask >> 8)) | (value >> 8));
}

/// One side of the copy: where its elements are, in bits.
struct Side {
  unsigned char* data;
  int64_t pitch;
  std::vector<int64_t> steps;

  explicit Side(const TensorView& view)
      : data(static_cast<unsigned char*>(view.data())), pitch(view.pitch_bits()), steps(view.shape().size()) {
    row_major_strides(view.shape(), steps.data());
    std::ranges::copy(view.strides(), steps.begin());
    for (size_t i = 0; i < steps.size(); ++i) steps[i] *= view.shape()[i] > 1 ? pitch : 0;  // else never taken
  }
};

struct BitCopy {
  Shape shape;
  Side dst, src;
  int64_t width;  // of an element, without padding

  void element(int64_t to, int64_t from) const noexcept {
    auto move = [&](int64_t begin, int64_t end, auto value_at) {
      for (int64_t done = begin; done < end; done += 8) {
        const int count = static_cast<int>(std::min<int64_t>(8, end - done));
        write_bits(dst.data, to + done, count, value_at(done, count));
      }
    };
    move(0, width, [&](int64_t done, int count) { return read_bits(src.data, from + done, count); });
    move(width, dst.pitch, [](int64_t, int) { return 0u; });
  }

  void axis(size_t index, int64_t to, int64_t from) const noexcept {
    if (index == shape.size()) return element(to, from);
    for (int64_t i = 0; i < shape[index]; ++i) {
      axis(index + 1, to + i * dst.steps[index], from + i * src.steps[index]);
    }
  }
};

}  // namespace

bool needs_bits(const TensorView& dst, const TensorView& src) noexcept {
  return dst.pitch_bits() % 8 != 0 || dst.pitch_bits() != src.pitch_bits();
}

void copy_bits(const TensorView& dst, const TensorView& src) {
  if (dst.pitch_bits() == src.pitch_bits() && dst.is_contiguous() && src.is_contiguous()) {
    const int64_t bits = dst.numel() * dst.pitch_bits(), whole = bits / 8;
    std::memcpy(dst.data(), src.data(), static_cast<size_t>(whole));
    const auto rest = static_cast<int>(bits % 8);
    if (rest == 0) return;
    write_bits(static_cast<unsigned char*>(dst.data()), 8 * whole, rest,
               read_bits(static_cast<const unsigned char*>(src.data()), 8 * whole, rest));
    return;
  }
  const BitCopy copy{dst.shape(), Side(dst), Side(src), dst.dtype().element_bits()};
  copy.axis(0, 0, 0);
}

}  // namespace dlport::detail
