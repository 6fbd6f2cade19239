#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include "dlport/access.hpp"
#include "dlport/exchange.hpp"
#include "expect_error.hpp"
#include "random_layout.hpp"

namespace dlport {
namespace {

using testing::expect_error;
using Values = std::vector<int64_t>;

constexpr uint64_t kPadded = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;

template <class T>
Tensor of(const std::vector<T>& values) {
  const Tensor result = Tensor::empty(Values{static_cast<int64_t>(values.size())}, dtype_of<T>());
  std::ranges::copy(values, static_cast<T*>(result.data()));
  return result;
}

template <class T>
std::vector<T> values_of(const Tensor& tensor) {
  auto* data = static_cast<const T*>(tensor.data());
  return {data, data + tensor.numel()};
}

Tensor cast(const Tensor& src, DType dtype, uint64_t flags = 0) {
  const Tensor result = Tensor::empty(src.shape(), dtype, flags);
  copy_cast(result, src);
  return result;
}

const DType kEveryDType[] = {boolean,
                             int8,
                             int16,
                             int32,
                             int64,
                             uint8,
                             uint16,
                             uint32,
                             uint64,
                             float16,
                             float32,
                             float64,
                             bfloat16,
                             DType(kDLComplex, 32),
                             complex64,
                             complex128,
                             DType(kDLFloat8_e3m4, 8),
                             DType(kDLFloat8_e4m3, 8),
                             DType(kDLFloat8_e4m3b11fnuz, 8),
                             DType(kDLFloat8_e4m3fn, 8),
                             DType(kDLFloat8_e4m3fnuz, 8),
                             DType(kDLFloat8_e5m2, 8),
                             DType(kDLFloat8_e5m2fnuz, 8),
                             DType(kDLFloat8_e8m0fnu, 8),
                             DType(kDLFloat6_e2m3fn, 6),
                             DType(kDLFloat6_e3m2fn, 6),
                             DType(kDLFloat4_e2m1fn, 4),
                             DType(kDLInt, 4),
                             DType(kDLUInt, 4),
                             DType(kDLUInt, 2),
                             DType(kDLUInt, 1)};

TEST(Cast, CarriesAOneFromEveryDTypeToEveryOther) {
  const Tensor one = of<float>({1, 1, 1, 1, 1});
  for (DType from : kEveryDType) {
    const Tensor source = cast(one, from);
    for (DType to : kEveryDType) {
      EXPECT_EQ(values_of<float>(cast(cast(source, to), float32)), (std::vector<float>(5, 1)))
          << to_string(from) << " to " << to_string(to);
    }
  }
}

TEST(Cast, ConvertsAnElementAmongManyAsItDoesAlone) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> floats{std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity, -0.0f, 1e-40f, 3e38f};
  std::vector<float> counts;
  for (int i = 0; i < 200; ++i) counts.push_back(static_cast<float>(1 + i % 7));
  for (int i = 0; i < 200; ++i) floats.push_back(static_cast<float>(std::ldexp(i - 100.3, i % 40 - 20)));
  for (DType from : kEveryDType) {
    // No integer can hold the odd ones, and what becomes of them then is nobody's promise.
    const bool to_floats = from == float32 || from == float64;
    const Tensor source = cast(of(to_floats ? floats : counts), from, kPadded);
    for (DType to : kEveryDType) {
      if (to_floats && (to.code == kDLInt || to.code == kDLUInt)) continue;
      const Tensor together = cast(source, to, kPadded);
      for (int64_t i = 0; i < source.numel(); ++i) {
        const Tensor alone = cast(source.slice(0, i, i + 1), to, kPadded), among = together.slice(0, i, i + 1);
        ASSERT_EQ(std::memcmp(alone.data(), among.data(), static_cast<size_t>(to.itemsize())), 0)
            << to_string(from) << " to " << to_string(to) << ", element " << i;
      }
    }
  }
}

TEST(Cast, ConvertsNumbersAsCppDoes) {
  EXPECT_EQ(values_of<int32_t>(cast(of<double>({-1.9, 1.9, 0}), int32)), (std::vector<int32_t>{-1, 1, 0}));
  EXPECT_EQ(values_of<uint8_t>(cast(of<int32_t>({-1, 256, 255}), uint8)), (std::vector<uint8_t>{255, 0, 255}));
  EXPECT_EQ(values_of<uint8_t>(cast(of<float>({-1, 300}), uint8)), (std::vector<uint8_t>{255, 44}));
  EXPECT_EQ(values_of<int64_t>(cast(of<uint8_t>({200}), int64)), (std::vector<int64_t>{200}));
  EXPECT_EQ(values_of<double>(cast(of<int64_t>({int64_t{1} << 53}), float64)), (std::vector<double>{9007199254740992}));
}

TEST(Cast, ToBoolAsksForNonZero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(values_of<uint8_t>(cast(of<float>({0, -0.0f, 0.25f, nan}), boolean)), (std::vector<uint8_t>{0, 0, 1, 1}));
  EXPECT_EQ(values_of<uint8_t>(cast(of<std::complex<float>>({{0, 0}, {0, 1}}), boolean)), (std::vector<uint8_t>{0, 1}));
}

TEST(Cast, FromBoolTakesEveryNonZeroByteForTrue) {
  const Tensor bytes = of<uint8_t>({0, 1, 2, 255});
  const Tensor bools = Tensor::from_blob(bytes.data(), bytes.shape(), {}, boolean, cpu, nullptr, nullptr);
  EXPECT_EQ(values_of<int32_t>(cast(bools, int32)), (std::vector<int32_t>{0, 1, 1, 1}));
}

TEST(Cast, OfComplexNumbersKeepsTheRealPart) {
  const Tensor numbers = of<std::complex<double>>({{1.5, 9}, {-2, 0.5}});
  EXPECT_EQ(values_of<float>(cast(numbers, float32)), (std::vector<float>{1.5, -2}));
  EXPECT_EQ(values_of<std::complex<float>>(cast(of<float>({3}), complex64)),
            (std::vector<std::complex<float>>{{3, 0}}));
  const Tensor halves = cast(numbers, DType(kDLComplex, 32));
  EXPECT_EQ(values_of<std::complex<double>>(cast(halves, complex128)), values_of<std::complex<double>>(numbers));
}

TEST(Cast, RoundsToFloatsOfFewBits) {
  const Tensor x = of<float>({1, 1.0f / 3, 70000, -2});
  EXPECT_EQ(values_of<uint16_t>(cast(x, float16)), (std::vector<uint16_t>{0x3c00, 0x3555, 0x7c00, 0xc000}));
  EXPECT_EQ(values_of<uint16_t>(cast(x, bfloat16)), (std::vector<uint16_t>{0x3f80, 0x3eab, 0x4789, 0xc000}));
  EXPECT_EQ(values_of<uint8_t>(cast(x, DType(kDLFloat8_e4m3fn, 8))), (std::vector<uint8_t>{0x38, 0x2b, 0x7f, 0xc0}));
}

TEST(Cast, RoundsOnceOnTheWayToFloatsOfFewBits) {
  // Each lies just above the middle of two neighbours, and is that middle once it is a float32.
  const double above = 1 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  EXPECT_EQ(values_of<uint16_t>(cast(of<double>({above, -above}), float16)), (std::vector<uint16_t>{0x3c01, 0xbc01}));
  EXPECT_EQ(values_of<uint32_t>(cast(of<std::complex<double>>({{above, -above}}), DType(kDLComplex, 32))),
            (std::vector<uint32_t>{0xbc013c01}));
  const int64_t middle = int64_t{257} << 53;
  EXPECT_EQ(values_of<uint16_t>(cast(of<int64_t>({middle, middle + 1, middle - 1, -middle - 1}), bfloat16)),
            (std::vector<uint16_t>{0x5e00, 0x5e01, 0x5e00, 0xde01}));
  EXPECT_EQ(values_of<uint16_t>(cast(of<int32_t>({(257 << 22) + 1}), bfloat16)), (std::vector<uint16_t>{0x4e81}));
  const double largest = std::numeric_limits<double>::max(), infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(values_of<uint16_t>(cast(of<double>({largest, -infinity, 0.0}), bfloat16)),
            (std::vector<uint16_t>{0x7f80, 0xff80, 0}));
}

TEST(Cast, PacksAndUnpacksIntegersOfFewBits) {
  const Tensor x = of<int32_t>({-8, 7, -1, 3, 1});
  const Tensor packed = cast(x, DType(kDLInt, 4)), padded = cast(x, DType(kDLInt, 4), kPadded);
  EXPECT_EQ(packed.nbytes(), 3);
  EXPECT_EQ(static_cast<uint8_t*>(packed.data())[0], 0x78);
  EXPECT_EQ(static_cast<uint8_t*>(padded.data())[2], 0x0f);
  EXPECT_EQ(values_of<int32_t>(cast(packed, int32)), values_of<int32_t>(x));
  EXPECT_EQ(values_of<int32_t>(cast(padded, int32)), values_of<int32_t>(x));
  EXPECT_EQ(values_of<int32_t>(cast(cast(packed, DType(kDLUInt, 4)), int32)), (std::vector<int32_t>{8, 7, 15, 3, 1}));
}

TEST(Cast, ConvertsEveryLane) {
  const Tensor x = of<float>({1, 2, 3, 4, 5, 6});
  const Tensor pairs =
      Tensor::from_blob(x.data(), Values{3}, Values{-1}, DType(kDLFloat, 32, 2), cpu, nullptr, nullptr);
  const Tensor last = Tensor::from_blob(static_cast<float*>(x.data()) + 4, Values{3}, Values{-1},
                                        DType(kDLFloat, 32, 2), cpu, nullptr, nullptr);
  const Tensor wide = cast(last, DType(kDLInt, 64, 2));
  auto* data = static_cast<int64_t*>(wide.data());
  EXPECT_EQ((std::vector<int64_t>(data, data + 6)), (std::vector<int64_t>{5, 6, 3, 4, 1, 2}));
  expect_error(ErrorCode::unsupported,
               "elements of float32x2 do not convert to int64x4, which has another number of lanes",
               [&] { cast(pairs, DType(kDLInt, 64, 4)); });
}

TEST(Cast, OfLanesPaddedTogetherTakesAByteOfPairsAsItIsAndRefusesTheRest) {
  uint8_t bytes[] = {0x21, 0x43};
  const Tensor pairs = Tensor::from_blob(bytes, Values{2}, {}, DType(kDLUInt, 4, 2), cpu, nullptr, nullptr, kPadded);
  const Tensor wide = cast(pairs, DType(kDLUInt, 8, 2));
  EXPECT_EQ(std::memcmp(wide.data(), "\1\2\3\4", 4), 0);
  expect_error(ErrorCode::unsupported,
               "elements of uint4x3 that are padded as a whole do not convert: copy them unpadded first",
               [] { cast(Tensor::empty(Values{1}, DType(kDLUInt, 4, 3), kPadded), DType(kDLUInt, 8, 3)); });
}

TEST(Cast, ConvertsBetweenAnyTwoLayouts) {
  std::mt19937 random(23);
  for (int round = 0; round < 200; ++round) {
    Values shape(random() % 4);
    for (int64_t& dim : shape) dim = 1 + random() % (random() % 3 == 0 ? 70 : 6);
    const Tensor src = testing::random_layout(random, shape, int16),
                 dst = testing::random_layout(random, shape, float64);
    copy_cast(dst, src);
    testing::for_each_index(shape, [&](const Values& index) {
      int16_t from = 0;
      double to = 0;
      std::memcpy(&from, testing::element(src, index), sizeof from);
      std::memcpy(&to, testing::element(dst, index), sizeof to);
      ASSERT_EQ(to, from) << to_string(index) << " of " << to_string(src) << " to " << to_string(dst);
    });
  }
}

TEST(Cast, SpreadsALargeTransposeOverThreads) {
  const Tensor src = Tensor::empty(Values{2000, 1501}, int32);
  for (int64_t i = 0; i < src.numel(); ++i) static_cast<int32_t*>(src.data())[i] = static_cast<int32_t>(i);
  const Tensor transposed = src.permute(std::vector<int>{1, 0});
  const Tensor dst = cast(transposed, float64);
  const auto from = access<const int32_t, 2>(transposed);
  const auto to = access<const double, 2>(dst);
  for (int i = 0; i < 1501; ++i) {
    for (int j = 0; j < 2000; ++j) ASSERT_EQ(to(i, j), from(i, j));
  }
}

TEST(Cast, ReadsAndWritesMisalignedElements) {
  std::vector<char> memory(64);
  const Tensor src = of<float>({1, 2, 3});
  const Tensor odd = Tensor::from_blob(memory.data() + 1, src.shape(), {}, float64, cpu, nullptr, nullptr);
  copy_cast(odd, src);
  EXPECT_EQ(values_of<int32_t>(cast(odd, int32)), (std::vector<int32_t>{1, 2, 3}));
}

TEST(Cast, BetweenEqualDTypesIsACopy) {
  const Tensor handles = Tensor::empty(Values{2}, DType(kDLOpaqueHandle, 64));
  testing::fill_with_bytes(handles, 4);
  const Tensor copy = cast(handles, handles.dtype());
  EXPECT_EQ(std::memcmp(copy.data(), handles.data(), 16), 0);
}

TEST(Cast, OfHandlesIsRefused) {
  expect_error(ErrorCode::unsupported, "elements of handle64 do not convert to int64",
               [] { cast(Tensor::empty(Values{2}, DType(kDLOpaqueHandle, 64)), int64); });
}

TEST(Cast, OntoTheMemoryItReadsIsRefused) {
  const Tensor x = Tensor::empty(Values{4}, int32);
  const Tensor same = Tensor::from_blob(x.data(), x.shape(), {}, float32, cpu, nullptr, nullptr);
  expect_error(ErrorCode::invalid_argument, "source and destination overlap: copy the source to fresh memory first",
               [&] { copy_cast(same, x); });
}

}  // namespace
}  // namespace dlport
