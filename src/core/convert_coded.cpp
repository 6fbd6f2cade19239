#include <array>
#include <type_traits>

#include "core/convert.hpp"
#include "core/each.hpp"
#include "core/float16.hpp"
#include "core/minifloat.hpp"

namespace dlport::detail {
namespace {

/// Every value of a format of at most 8 bits.
template <Minifloat kFormat>
constexpr auto decoded_values() {
  std::array<float, 2 * kFormat.sign_bit()> values{};
  for (uint32_t code = 0; code < values.size(); ++code) values[code] = decode<kFormat>(code);
  return values;
}

template <Minifloat kFormat>
void decode_small(void* dst, const void* src, int64_t count) {
  static constexpr auto kValues = decoded_values<kFormat>();
  auto* to = static_cast<float*>(dst);
  auto* from = static_cast<const uint8_t*>(src);
  for (int64_t i = 0; i < count; ++i) to[i] = kValues[from[i] & (kValues.size() - 1)];
}

template <auto kFunction, class To, class From>
constexpr Convert each = Each<kFunction, To, From>::run;

/// complex32: two float16 where complex64 has two floats.
void decode_pairs(void* dst, const void* src, int64_t count) {
  decode_float16(dst, src, 2 * count);
}
void encode_pairs(void* dst, const void* src, int64_t count) {
  encode_float16(dst, src, 2 * count);
}

/// Integers of less than 8 bits, in the low bits of a byte: the sign is spread over the rest.
template <int kBits, class Value>
Value widen(uint8_t code) noexcept {
  return static_cast<Value>(static_cast<Value>(code << (8 - kBits)) >> (8 - kBits));
}
template <int kBits, class Value>
uint8_t narrow(Value value) noexcept {
  return static_cast<uint8_t>(value & ((1 << kBits) - 1));
}

template <int kBits, class Value>
constexpr Coding integer(DLDataTypeCode code) {
  return {
      {code, kBits}, {code, 8}, each<widen<kBits, Value>, Value, uint8_t>, each<narrow<kBits, Value>, uint8_t, Value>};
}

template <Minifloat kFormat>
constexpr Coding small(DLDataTypeCode code) {
  return {{code, 1 + kFormat.exponent_bits + kFormat.mantissa_bits},
          float32,
          decode_small<kFormat>,
          each<encode<kFormat>, uint8_t, float>};
}

constexpr Coding kCodings[] = {
    {float16, float32, decode_float16, encode_float16},
    {bfloat16, float32, each<decode_bfloat16, float, uint16_t>, each<encode_bfloat16, uint16_t, float>},
    {{kDLComplex, 32}, complex64, decode_pairs, encode_pairs},
    small<kFloat8E3m4>(kDLFloat8_e3m4),
    small<kFloat8E4m3>(kDLFloat8_e4m3),
    small<kFloat8E4m3b11fnuz>(kDLFloat8_e4m3b11fnuz),
    small<kFloat8E4m3fn>(kDLFloat8_e4m3fn),
    small<kFloat8E4m3fnuz>(kDLFloat8_e4m3fnuz),
    small<kFloat8E5m2>(kDLFloat8_e5m2),
    small<kFloat8E5m2fnuz>(kDLFloat8_e5m2fnuz),
    {{kDLFloat8_e8m0fnu, 8}, float32, each<decode_e8m0, float, uint8_t>, each<encode_e8m0, uint8_t, float>},
    small<kFloat6E2m3fn>(kDLFloat6_e2m3fn),
    small<kFloat6E3m2fn>(kDLFloat6_e3m2fn),
    small<kFloat4E2m1fn>(kDLFloat4_e2m1fn),
    integer<4, int8_t>(kDLInt),
    integer<2, int8_t>(kDLInt),
    integer<1, int8_t>(kDLInt),
    integer<4, uint8_t>(kDLUInt),
    integer<2, uint8_t>(kDLUInt),
    integer<1, uint8_t>(kDLUInt),
};

}  // namespace

const Coding* coding_of(DType dtype) noexcept {
  for (const Coding& coding : kCodings) {
    if (coding.dtype == dtype) return &coding;
  }
  return nullptr;
}

}  // namespace dlport::detail
