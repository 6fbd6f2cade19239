// Floating point formats that the CPU does not compute in: float16, bfloat16 and everything of 8, 6 and 4 bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace dlport::detail {

/// What a format's highest codes mean.
enum class Specials {
  ieee,    ///< all exponent bits set: infinity, or NaN where the mantissa is not 0
  fn,      ///< only all bits set is NaN; no infinity
  fnuz,    ///< only the code of -0 is NaN; no infinity
  finite,  ///< neither; what is too large becomes the largest
};

/// A binary format of sign, exponent and mantissa.
struct Minifloat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;

  constexpr uint32_t sign_bit() const noexcept { return 1u << (exponent_bits + mantissa_bits); }
  constexpr uint32_t max_exponent() const noexcept { return (1u << exponent_bits) - 1; }

  /// The code that NaN gets.
  constexpr uint32_t nan() const noexcept {
    switch (specials) {
      case Specials::ieee:
        return (max_exponent() << mantissa_bits) | (1u << (mantissa_bits - 1));
      case Specials::fn:
        return sign_bit() - 1;
      default:
        return sign_bit();  // fnuz: its NaN; finite: -0, for want of one
    }
  }
  /// The code of the largest finite number.
  constexpr uint32_t largest() const noexcept {
    switch (specials) {
      case Specials::ieee:
        return (max_exponent() << mantissa_bits) - 1;
      case Specials::fn:
        return sign_bit() - 2;
      default:
        return sign_bit() - 1;
    }
  }
  /// What a number beyond the largest rounds to.
  constexpr uint32_t overflow() const noexcept {
    switch (specials) {
      case Specials::ieee:
        return max_exponent() << mantissa_bits;
      case Specials::finite:
        return largest();
      default:
        return nan();
    }
  }
};

inline constexpr Minifloat kFloat16{5, 10, 15, Specials::ieee};
inline constexpr Minifloat kFloat8E3m4{3, 4, 3, Specials::ieee};
inline constexpr Minifloat kFloat8E4m3{4, 3, 7, Specials::ieee};
inline constexpr Minifloat kFloat8E4m3b11fnuz{4, 3, 11, Specials::fnuz};
inline constexpr Minifloat kFloat8E4m3fn{4, 3, 7, Specials::fn};
inline constexpr Minifloat kFloat8E4m3fnuz{4, 3, 8, Specials::fnuz};
inline constexpr Minifloat kFloat8E5m2{5, 2, 15, Specials::ieee};
inline constexpr Minifloat kFloat8E5m2fnuz{5, 2, 16, Specials::fnuz};
inline constexpr Minifloat kFloat6E2m3fn{2, 3, 1, Specials::finite};
inline constexpr Minifloat kFloat6E3m2fn{3, 2, 3, Specials::finite};
inline constexpr Minifloat kFloat4E2m1fn{2, 1, 1, Specials::finite};

/// The power of two as a float; `exponent` within float's normal range.
constexpr float power_of_two(int exponent) noexcept {
  return std::bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23);
}

/// The value of a code. Exact: every format here is a subset of float's.
template <Minifloat kFormat>
constexpr float decode(uint32_t code) noexcept {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const bool negative = code & kFormat.sign_bit();
  const uint32_t magnitude = code & (kFormat.sign_bit() - 1);
  const uint32_t exponent = magnitude >> kFormat.mantissa_bits;
  const uint32_t mantissa = magnitude & ((1u << kFormat.mantissa_bits) - 1);
  if (kFormat.specials == Specials::fnuz && code == kFormat.nan()) return kNan;
  if (magnitude > kFormat.largest()) {
    if (magnitude != kFormat.overflow() || kFormat.specials != Specials::ieee) return kNan;
    return negative ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  }
  // A number is mantissa units of the last place; normal ones have a hidden leading bit.
  const uint32_t units = exponent == 0 ? mantissa : mantissa | (1u << kFormat.mantissa_bits);
  const int scale = static_cast<int>(exponent == 0 ? 1 : exponent) - kFormat.bias - kFormat.mantissa_bits;
  const float value = static_cast<float>(units) * power_of_two(scale);
  return negative ? -value : value;
}

/// The code nearest to `value`, ties to even. Every case is computed and one chosen, so that loops over it are vectors.
template <Minifloat kFormat>
constexpr uint32_t encode(float value) noexcept {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 31 ? kFormat.sign_bit() : 0;
  const uint32_t magnitude = bits & 0x7fffffffu;
  constexpr int kDropped = 23 - kFormat.mantissa_bits;
  constexpr int kSmallestNormal = 1 - kFormat.bias;
  const uint32_t half = (1u << (kDropped - 1)) - 1 + ((magnitude >> kDropped) & 1);
  constexpr uint32_t kRebias = static_cast<uint32_t>(127 - kFormat.bias) << kFormat.mantissa_bits;
  const uint32_t normal = ((magnitude + half) >> kDropped) - kRebias;
  // Adding a float whose last place is the format's smallest step rounds to whole steps.
  constexpr float kRounder = power_of_two(kSmallestNormal - kFormat.mantissa_bits + 23);
  const uint32_t subnormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + kRounder) - std::bit_cast<uint32_t>(kRounder);
  const uint32_t rounded = magnitude >= static_cast<uint32_t>(kSmallestNormal + 127) << 23 ? normal : subnormal;
  const uint32_t code = rounded > kFormat.largest() ? kFormat.overflow() : rounded;
  const bool unsigned_code = kFormat.specials == Specials::fnuz && (code == 0 || code == kFormat.nan());
  const uint32_t number = unsigned_code ? code : sign | code;
  return magnitude > 0x7f800000u ? sign | kFormat.nan() : number;  // where NaN has no sign, its code is the sign bit's
}

inline float decode_bfloat16(uint16_t code) noexcept {
  return std::bit_cast<float>(static_cast<uint32_t>(code) << 16);
}

inline uint16_t encode_bfloat16(float value) noexcept {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
  return static_cast<uint16_t>(value == value ? rounded : 0x7fc0u);  // rounding could carry a NaN over to infinity
}

/// float8_e8m0fnu: a power of two and nothing else; neither sign, zero nor infinity.
inline float decode_e8m0(uint8_t code) noexcept {
  if (code == 0xff) return std::numeric_limits<float>::quiet_NaN();
  return code == 0 ? std::bit_cast<float>(0x00400000u) : power_of_two(code - 127);
}

/// The nearest power of two, the larger one from halfway on; NaN for 0, negative numbers and what is too large.
inline uint8_t encode_e8m0(float value) noexcept {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t half = bits < 0x00800000u ? 0x00200000u : 0x00400000u;  // subnormal ones have no hidden bit
  if (!(value > 0) || bits + half >= 0x7f800000u) return 0xff;
  return static_cast<uint8_t>((bits + half) >> 23);
}

}  // namespace dlport::detail
