#include "core/bits.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "dlport/exchange.hpp"

namespace dlport {
namespace {

using Values = std::vector<int64_t>;
using Bytes = std::vector<uint8_t>;

constexpr uint64_t kPadded = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
constexpr DType kInt4{kDLInt, 4}, kFloat6{kDLFloat6_e2m3fn, 6}, kUint1{kDLUInt, 1};

/// A tensor over a copy of `bytes`.
Tensor over(const Bytes& bytes, Shape shape, Strides strides, DType dtype, uint64_t flags = 0) {
  auto* held = new Bytes(bytes);
  return Tensor::from_blob(
      held->data(), shape, strides, dtype, cpu, held, [](void* context) { delete static_cast<Bytes*>(context); },
      flags);
}

Bytes bytes_of(const Tensor& tensor) {
  auto* data = static_cast<uint8_t*>(tensor.data());
  return {data, data + tensor.nbytes()};
}

/// A row-major copy, padded or packed as `flags` say.
Bytes copied(const Tensor& src, uint64_t flags) {
  const Tensor dst = Tensor::empty(src.shape(), src.dtype(), flags);
  std::memset(dst.data(), 0xff, static_cast<size_t>(dst.nbytes()));
  copy_strided(dst, src);
  return bytes_of(dst);
}

TEST(SubByteCopy, PutsTheFirstElementOfAByteInItsLowBits) {
  const Tensor packed = over({0x21, 0x43}, Values{4}, {}, kInt4);
  EXPECT_EQ(copied(packed, kPadded), (Bytes{1, 2, 3, 4}));
}

TEST(SubByteCopy, PacksPaddedElementsAndDropsTheirPadding) {
  const Tensor padded = over({0xf1, 0x02, 0xa3, 0x04}, Values{4}, {}, kInt4, kPadded);
  EXPECT_EQ(copied(padded, 0), (Bytes{0x21, 0x43}));
}

TEST(SubByteCopy, CrossesBytesWithElementsOfSixBits) {
  const Tensor padded = over({0x3f, 0x00, 0x2a, 0x15}, Values{4}, {}, kFloat6, kPadded);
  const Bytes packed = copied(padded, 0);
  EXPECT_EQ(packed, (Bytes{0x3f, 0xa0, 0x56}));
  EXPECT_EQ(copied(over(packed, Values{4}, {}, kFloat6), kPadded), (Bytes{0x3f, 0x00, 0x2a, 0x15}));
}

TEST(SubByteCopy, TransposesPackedElements) {
  const Tensor packed = over({0x21, 0x43, 0x65}, Values{2, 3}, {}, kInt4);
  EXPECT_EQ(bytes_of(contiguous_copy(packed.permute(std::vector<int>{1, 0}))), (Bytes{0x41, 0x52, 0x63}));
}

TEST(SubByteCopy, ReadsReversedAndRepeatedElements) {
  const Tensor bits = over({0b00001011}, Values{4}, {}, kUint1);
  const DLTensor& whole = bits.dltensor();
  Values shape = {2, 3}, strides = {0, 1};
  DLTensor repeated = whole;
  repeated.ndim = 2;
  repeated.shape = shape.data();
  repeated.strides = strides.data();
  const Tensor dst = Tensor::empty(shape, kUint1, kPadded);
  copy_strided(dst, repeated);
  EXPECT_EQ(bytes_of(dst), (Bytes{1, 1, 0, 1, 1, 0}));
}

TEST(SubByteCopy, LeavesTheRestOfTheLastByteAlone) {
  Bytes memory = {0xff, 0xff};
  const Tensor dst = Tensor::from_blob(memory.data(), Values{3}, {}, kInt4, cpu, nullptr, nullptr);
  copy_strided(dst, over({0x21, 0x43}, Values{3}, {}, kInt4));
  EXPECT_EQ(memory, (Bytes{0x21, 0xf3}));
}

TEST(SubByteCopy, OfPaddedElementsKeepsThemPadded) {
  const Tensor padded = over({1, 2, 3, 4}, Values{2, 2}, {}, kInt4, kPadded);
  const Tensor copy = contiguous_copy(padded.permute(std::vector<int>{1, 0}));
  EXPECT_TRUE(copy.is_padded());
  EXPECT_EQ(bytes_of(copy), (Bytes{1, 3, 2, 4}));
}

TEST(SubByteCopy, MovesLanesThatFillAByteAsBytes) {
  const Tensor pairs = over({0x21, 0x43}, Values{2}, {}, DType(kDLFloat4_e2m1fn, 4, 2));
  EXPECT_EQ(bytes_of(contiguous_copy(pairs)), (Bytes{0x21, 0x43}));
}

}  // namespace
}  // namespace dlport
