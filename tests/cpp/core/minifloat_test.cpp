#include "core/minifloat.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace dlport::detail {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <Minifloat kFormat>
constexpr uint32_t kCodes = 2 * kFormat.sign_bit();

template <Minifloat kFormat>
void every_code_survives_the_way_out_and_back() {
  for (uint32_t code = 0; code < kCodes<kFormat>; ++code) {
    const float value = decode<kFormat>(code);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(decode<kFormat>(encode<kFormat>(value))));
    } else {
      EXPECT_EQ(encode<kFormat>(value), code) << value;
    }
  }
}

/// The definition of rounding: no other code is nearer, and of two as near the even one is taken.
template <Minifloat kFormat>
void rounds_to_the_nearest() {
  std::mt19937 random(3);
  const double largest = decode<kFormat>(kFormat.largest());
  for (int round = 0; round < 2000; ++round) {
    const double exponent = std::uniform_real_distribution(-20.0, std::log2(largest))(random);
    float value = static_cast<float>(std::exp2(exponent));
    if (round % 3 == 0) {  // halfway between two neighbours
      const uint32_t code = random() % kFormat.largest();
      value = static_cast<float>((double{decode<kFormat>(code)} + double{decode<kFormat>(code + 1)}) / 2);
    }
    uint32_t best = 0;
    double distance = value;
    for (uint32_t code = 1; code <= kFormat.largest(); ++code) {
      const double away = std::abs(double{decode<kFormat>(code)} - value);
      if (away < distance || (away == distance && code % 2 == 0)) {
        best = code;
        distance = away;
      }
    }
    ASSERT_EQ(encode<kFormat>(value), best) << value;
    const uint32_t negative = encode<kFormat>(-value);
    ASSERT_EQ(decode<kFormat>(negative), -decode<kFormat>(best));
  }
}

template <Minifloat kFormat>
void is_a_format() {
  every_code_survives_the_way_out_and_back<kFormat>();
  rounds_to_the_nearest<kFormat>();
}

TEST(Minifloat, Float16) {
  every_code_survives_the_way_out_and_back<kFloat16>();
}
TEST(Minifloat, Float8E3m4) {
  is_a_format<kFloat8E3m4>();
}
TEST(Minifloat, Float8E4m3) {
  is_a_format<kFloat8E4m3>();
}
TEST(Minifloat, Float8E4m3b11fnuz) {
  is_a_format<kFloat8E4m3b11fnuz>();
}
TEST(Minifloat, Float8E4m3fn) {
  is_a_format<kFloat8E4m3fn>();
}
TEST(Minifloat, Float8E4m3fnuz) {
  is_a_format<kFloat8E4m3fnuz>();
}
TEST(Minifloat, Float8E5m2) {
  is_a_format<kFloat8E5m2>();
}
TEST(Minifloat, Float8E5m2fnuz) {
  is_a_format<kFloat8E5m2fnuz>();
}
TEST(Minifloat, Float6E2m3fn) {
  is_a_format<kFloat6E2m3fn>();
}
TEST(Minifloat, Float6E3m2fn) {
  is_a_format<kFloat6E3m2fn>();
}
TEST(Minifloat, Float4E2m1fn) {
  is_a_format<kFloat4E2m1fn>();
}

TEST(Minifloat, HasTheLargestNumberOfItsStandard) {
  EXPECT_EQ(decode<kFloat16>(kFloat16.largest()), 65504);
  EXPECT_EQ(decode<kFloat8E3m4>(kFloat8E3m4.largest()), 15.5);
  EXPECT_EQ(decode<kFloat8E4m3>(kFloat8E4m3.largest()), 240);
  EXPECT_EQ(decode<kFloat8E4m3b11fnuz>(kFloat8E4m3b11fnuz.largest()), 30);
  EXPECT_EQ(decode<kFloat8E4m3fn>(kFloat8E4m3fn.largest()), 448);
  EXPECT_EQ(decode<kFloat8E4m3fnuz>(kFloat8E4m3fnuz.largest()), 240);
  EXPECT_EQ(decode<kFloat8E5m2>(kFloat8E5m2.largest()), 57344);
  EXPECT_EQ(decode<kFloat8E5m2fnuz>(kFloat8E5m2fnuz.largest()), 57344);
  EXPECT_EQ(decode<kFloat6E2m3fn>(kFloat6E2m3fn.largest()), 7.5);
  EXPECT_EQ(decode<kFloat6E3m2fn>(kFloat6E3m2fn.largest()), 28);
  EXPECT_EQ(decode<kFloat4E2m1fn>(kFloat4E2m1fn.largest()), 6);
}

TEST(Minifloat, OverflowsToInfinityToNanOrToItsLargest) {
  EXPECT_EQ(decode<kFloat16>(encode<kFloat16>(65520)), kInfinity);
  EXPECT_EQ(decode<kFloat8E5m2>(encode<kFloat8E5m2>(-kInfinity)), -kInfinity);
  EXPECT_TRUE(std::isnan(decode<kFloat8E4m3fn>(encode<kFloat8E4m3fn>(1e9f))));
  EXPECT_TRUE(std::isnan(decode<kFloat8E4m3fnuz>(encode<kFloat8E4m3fnuz>(-1e9f))));
  EXPECT_EQ(decode<kFloat4E2m1fn>(encode<kFloat4E2m1fn>(-1e9f)), -6);
}

TEST(Minifloat, WithoutNegativeZeroHasOneZero) {
  EXPECT_EQ(encode<kFloat8E4m3fnuz>(-0.0f), 0u);
  EXPECT_EQ(encode<kFloat8E4m3fnuz>(-1e-9f), 0u);
  EXPECT_EQ(encode<kFloat8E4m3fn>(-0.0f), 0x80u);
}

TEST(Bfloat16, RoundsToTheNearestAndKeepsNan) {
  EXPECT_EQ(encode_bfloat16(1.0f), 0x3f80);
  EXPECT_EQ(encode_bfloat16(std::bit_cast<float>(0x3f808000u)), 0x3f80);  // halfway, to even
  EXPECT_EQ(encode_bfloat16(std::bit_cast<float>(0x3f818000u)), 0x3f82);
  EXPECT_EQ(encode_bfloat16(std::bit_cast<float>(0x3f808001u)), 0x3f81);
  EXPECT_EQ(encode_bfloat16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_TRUE(std::isnan(decode_bfloat16(encode_bfloat16(std::bit_cast<float>(0x7f800001u)))));
}

TEST(E8m0, IsPowersOfTwoAndNan) {
  for (int code = 0; code < 255; ++code) EXPECT_EQ(encode_e8m0(decode_e8m0(static_cast<uint8_t>(code))), code);
  EXPECT_EQ(decode_e8m0(127), 1);
  EXPECT_EQ(decode_e8m0(0), std::ldexp(1.0f, -127));
  EXPECT_TRUE(std::isnan(decode_e8m0(255)));
  EXPECT_EQ(encode_e8m0(1.49f), 127);
  EXPECT_EQ(encode_e8m0(1.5f), 128);
  EXPECT_EQ(encode_e8m0(std::ldexp(0.75f, -126)), 1);
  for (float value : {0.0f, -1.0f, kInfinity, kNan, std::ldexp(1.6f, 127)}) EXPECT_EQ(encode_e8m0(value), 255) << value;
}

}  // namespace
}  // namespace dlport::detail
