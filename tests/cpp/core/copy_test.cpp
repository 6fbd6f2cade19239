#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "dlport/error.hpp"
#include "dlport/exchange.hpp"
#include "random_layout.hpp"

namespace dlport {
namespace {

using testing::element;
using testing::for_each_index;
using testing::random_layout;

::testing::AssertionResult same_elements(const TensorView& a, const TensorView& b) {
  ::testing::AssertionResult result = ::testing::AssertionSuccess();
  for_each_index(a.shape(), [&](const std::vector<int64_t>& index) {
    if (result && std::memcmp(element(a, index), element(b, index), static_cast<size_t>(a.dtype().itemsize())) != 0) {
      result = ::testing::AssertionFailure() << "they differ at " << to_string(index);
    }
  });
  return result;
}

class CopyOfItemsize : public ::testing::TestWithParam<DType> {};

TEST_P(CopyOfItemsize, MovesEveryElementBetweenAnyTwoLayouts) {
  std::mt19937 random(GetParam().itemsize());
  for (int round = 0; round < 300; ++round) {
    std::vector<int64_t> shape(random() % 5);
    for (int64_t& dim : shape) dim = 1 + random() % (random() % 4 == 0 ? 40 : 7);
    const Tensor src = random_layout(random, shape, GetParam()), dst = random_layout(random, shape, GetParam());
    copy_strided(dst, src);
    ASSERT_TRUE(same_elements(dst, src)) << to_string(shape) << " from strides " << to_string(src.strides()) << " to "
                                         << to_string(dst.strides());
  }
}

TEST_P(CopyOfItemsize, TransposesPlanesOfEverySizeAroundABlock) {
  for (int64_t rows : {1, 3, 15, 16, 17, 63, 64, 65, 130}) {
    for (int64_t columns : {1, 2, 16, 31, 64, 67, 200}) {
      const Tensor src = Tensor::empty(std::vector<int64_t>{rows, columns}, GetParam());
      testing::fill_with_bytes(src, 1);
      const Tensor transposed = src.permute(std::vector<int>{1, 0});
      EXPECT_TRUE(same_elements(contiguous_copy(transposed), transposed)) << rows << " x " << columns;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Itemsizes, CopyOfItemsize,
                         ::testing::Values(uint8, int16, float32, complex64, complex128, DType(kDLFloat, 32, 3),
                                           DType(kDLUInt, 8, 5), DType(kDLInt, 64, 4)),
                         [](const auto& row) { return to_string(row.param); });

TEST(Copy, TouchesNothingBetweenTheElementsOfTheDestination) {
  const Tensor memory = Tensor::empty(std::vector<int64_t>{6, 10}, int32);
  std::memset(memory.data(), 0x55, static_cast<size_t>(memory.nbytes()));
  const Tensor src = Tensor::empty(std::vector<int64_t>{3, 4}, int32);
  std::memset(src.data(), 0x11, static_cast<size_t>(src.nbytes()));
  copy_strided(memory.slice(0, 1, 6, 2).slice(1, 3, 7), src);
  for_each_index(memory.shape(), [&](const std::vector<int64_t>& index) {
    const bool inside = index[0] % 2 == 1 && index[1] >= 3 && index[1] < 7;
    EXPECT_EQ(*element(memory, index), inside ? 0x11 : 0x55) << to_string(index);
  });
}

TEST(Copy, SpreadsALargePermuteOverThreadsWithoutMissingAnElement) {
  const Tensor src = Tensor::empty(std::vector<int64_t>{7, 300, 5, 301}, float32);
  testing::fill_with_bytes(src, 3);
  const Tensor permuted = src.permute(std::vector<int>{3, 0, 2, 1});
  EXPECT_TRUE(same_elements(contiguous_copy(permuted), permuted));
}

TEST(Copy, IsSpreadOverThreadsInAForkedChildToo) {
  const Tensor src = Tensor::empty(std::vector<int64_t>{3000, 1001}, float32);
  testing::fill_with_bytes(src, 3);
  const Tensor permuted = src.permute(std::vector<int>{1, 0});
  contiguous_copy(permuted);  // the parent has its threads by now
  const pid_t child = fork();
  if (child == 0) _exit(same_elements(contiguous_copy(permuted), permuted) ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Copy, OfSeveralThreadsAtATimeKeepsTheirElementsApart) {
  std::vector<std::jthread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([seed] {
      const Tensor src = Tensor::empty(std::vector<int64_t>{1000, 1001}, float32);
      testing::fill_with_bytes(src, seed);
      const Tensor permuted = src.permute(std::vector<int>{1, 0});
      for (int i = 0; i < 5; ++i) EXPECT_TRUE(same_elements(contiguous_copy(permuted), permuted));
    });
  }
}

TEST(Copy, RepeatsABroadcastSource) {
  const Tensor row = Tensor::empty(std::vector<int64_t>{1, 9}, int16);
  testing::fill_with_bytes(row, 3);
  const Tensor wide = row.broadcast_to(std::vector<int64_t>{4, 3, 9});
  EXPECT_TRUE(same_elements(contiguous_copy(wide), wide));
}

TEST(Copy, ReadsAndWritesMisalignedElements) {
  std::vector<char> memory(1001, 'x');
  for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<char>(i % 113);
  const int64_t shape[] = {5, 20}, strides[] = {1, 5};
  const Tensor src = Tensor::from_blob(memory.data() + 1, shape, strides, float64, cpu, nullptr, nullptr);
  ASSERT_FALSE(src.is_aligned());
  const Tensor copy = contiguous_copy(src);
  EXPECT_TRUE(same_elements(copy, src));
  const Tensor back = contiguous_copy(src);
  const Tensor target = Tensor::from_blob(memory.data() + 3, shape, {}, float64, cpu, nullptr, nullptr);
  copy_strided(target, back);
  EXPECT_TRUE(same_elements(target, back));
}

TEST(Copy, MovesRunsOfEveryLengthAtAnyAddress) {
  for (const int64_t run : {16, 31, 32, 64, 96, 100, 2048, 4096, 4128}) {
    const Tensor heads = Tensor::empty(std::vector<int64_t>{1, 3, 4, run + 5}, uint8);
    testing::fill_with_bytes(heads, 7);
    const int64_t shape[] = {4, 3, run}, strides[] = {run + 5, 4 * (run + 5), 1};
    const Tensor src =
        Tensor::from_blob(static_cast<char*>(heads.data()) + 1, shape, strides, uint8, cpu, nullptr, nullptr);
    EXPECT_TRUE(same_elements(contiguous_copy(src), src)) << run << " bytes";
  }
}

TEST(Copy, OntoItselfDoesNothing) {
  const Tensor x = Tensor::empty(std::vector<int64_t>{3, 4}, float32);
  testing::fill_with_bytes(x, 9);
  const std::vector<char> before(static_cast<char*>(x.data()), static_cast<char*>(x.data()) + x.nbytes());
  copy_strided(x.permute(std::vector<int>{1, 0}), x.permute(std::vector<int>{1, 0}));
  EXPECT_EQ(std::memcmp(before.data(), x.data(), before.size()), 0);
}

TEST(Copy, TakesInterleavedHalvesOfTheSameMemoryForDisjoint) {
  const Tensor x = Tensor::empty(std::vector<int64_t>{10, 8}, int32);
  testing::fill_with_bytes(x, 2);
  copy_strided(x.slice(0, 1, 10, 2), x.slice(0, 0, 10, 2));
  EXPECT_TRUE(same_elements(x.slice(0, 1, 10, 2), x.slice(0, 0, 10, 2)));
  copy_strided(x.slice(1, 0, 4), x.slice(1, 4, 8));
  EXPECT_TRUE(same_elements(x.slice(1, 0, 4), x.slice(1, 4, 8)));
}

TEST(Copy, OfNoElementsLooksAtNoPointer) {
  const int64_t shape[] = {3, 0}, strides[] = {INT64_MAX, INT64_MIN};
  const Tensor nowhere = Tensor::from_blob(nullptr, shape, strides, float32, cpu, nullptr, nullptr);
  EXPECT_NO_THROW(copy_strided(nowhere, nowhere));
  EXPECT_EQ(contiguous_copy(nowhere).numel(), 0);
}

struct Refusal {
  const char* name;
  Tensor dst, src;
  const char* message;
};

class RefusedCopy : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusedCopy, SaysWhy) {
  try {
    copy_strided(GetParam().dst, GetParam().src);
    FAIL() << "the copy was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

Tensor floats(std::vector<int64_t> shape) {
  return Tensor::empty(shape, float32);
}

std::vector<Refusal> refusals() {
  const Tensor x = floats({4, 4});
  int on_device = 0;
  const int64_t shape[] = {2, 2};
  return {
      {"shapes", floats({2, 3}), floats({3, 2}),
       "a tensor of shape (3, 2) cannot be copied to one of shape (2, 3): broadcast or reshape it first"},
      {"dtypes", floats({2}), Tensor::empty(std::vector<int64_t>{2}, int32),
       "a tensor of int32 was to be copied to one of float32: use copy_cast to convert"},
      {"devices", floats({2, 2}), Tensor::from_blob(&on_device, shape, {}, float32, {kDLCUDA, 1}, nullptr, nullptr),
       "a tensor on cuda:1 is not in host memory: copy it with its device's driver"},
      {"read_only", floats({2}).as_read_only(), floats({2}), "the destination of the copy is read-only"},
      {"broadcast_destination", floats({1, 4}).broadcast_to(std::vector<int64_t>{3, 4}), floats({3, 4}),
       "the destination's elements may share memory: shape (3, 4) with strides (0, 1)"},
      {"overlap", x.slice(0, 1, 4), x.slice(0, 0, 3),
       "source and destination overlap: copy the source to fresh memory first"},
      {"transpose_of_itself", x, x.permute(std::vector<int>{1, 0}),
       "source and destination overlap: copy the source to fresh memory first"},
  };
}

INSTANTIATE_TEST_SUITE_P(Reasons, RefusedCopy, ::testing::ValuesIn(refusals()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace dlport
