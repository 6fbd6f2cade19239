#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "dlport/exchange.hpp"
#include "random_layout.hpp"

namespace dlport {
namespace {

using Values = std::vector<int64_t>;

std::set<char*> bytes_of(const TensorView& view) {
  std::set<char*> result;
  testing::for_each_index(view.shape(), [&](const Values& index) {
    for (int64_t i = 0; i < view.dtype().itemsize(); ++i) result.insert(testing::element(view, index) + i);
  });
  return result;
}

TEST(MayShareMemory, NeverMissesASharedByte) {
  std::mt19937 random(5);
  alignas(8) char memory[400];
  int apart = 0;
  auto view = [&](Values& shape, Values& strides) {
    shape.assign(1 + random() % 3, 0);
    strides.assign(shape.size(), 0);
    for (int64_t& dim : shape) dim = random() % 5;
    for (int64_t& stride : strides) stride = static_cast<int64_t>(random() % 17) - 8;
    const auto dtype = random() % 2 ? int16 : int8;
    return TensorView(DLTensor{memory + 200, cpu, static_cast<int32_t>(shape.size()), dtype, shape.data(),
                               strides.data(), random() % 16});
  };
  for (int round = 0; round < 5000; ++round) {
    Values a_shape, a_strides, b_shape, b_strides;
    const TensorView a = view(a_shape, a_strides), b = view(b_shape, b_strides);
    const auto a_bytes = bytes_of(a), b_bytes = bytes_of(b);
    const bool shared = std::ranges::any_of(a_bytes, [&](char* byte) { return b_bytes.contains(byte); });
    const bool told = may_share_memory(a, b);
    ASSERT_TRUE(told || !shared) << to_string(a) << " and " << to_string(b);
    apart += !told;
    ASSERT_EQ(told, may_share_memory(b, a));
  }
  EXPECT_GT(apart, 500);
}

TEST(MayShareMemory, TellsInterleavedPartsOfAMatrixApart) {
  const Tensor x = Tensor::empty(Values{6, 8}, float32);
  EXPECT_FALSE(may_share_memory(x.slice(0, 0, 6, 2), x.slice(0, 1, 6, 2)));
  EXPECT_FALSE(may_share_memory(x.slice(1, 0, 8, 2), x.slice(1, 1, 8, 2)));
  EXPECT_FALSE(may_share_memory(x.slice(1, 0, 4), x.slice(1, 4, 8)));
  EXPECT_TRUE(may_share_memory(x.slice(1, 0, 5), x.slice(1, 4, 8)));
  EXPECT_TRUE(may_share_memory(x, x.permute(std::vector<int>{1, 0})));
}

TEST(MayShareMemory, IsFalseForTensorsWithoutElements) {
  const Tensor x = Tensor::empty(Values{6}, float32);
  EXPECT_FALSE(may_share_memory(x, x.slice(0, 2, 2)));
}

TEST(MayShareMemory, SeesPackedElementsThatShareAByte) {
  uint8_t byte = 0;
  const Values shape = {1};
  const DType int4(kDLInt, 4);
  const Tensor x = Tensor::from_blob(&byte, shape, {}, int4, cpu, nullptr, nullptr);
  EXPECT_TRUE(may_share_memory(x, x));
}

}  // namespace
}  // namespace dlport
