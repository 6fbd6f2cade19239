#include <gtest/gtest.h>

#include <vector>

#include "dlport/tensor.hpp"
#include "expect_error.hpp"
#include "managed.hpp"
#include "random_layout.hpp"

namespace dlport {
namespace {

using testing::expect_error;
using Values = std::vector<int64_t>;
using Axes = std::vector<int>;

Values strides_of(const Tensor& x) {
  return {x.strides().begin(), x.strides().end()};
}

Values shape_of(const Tensor& x) {
  return {x.shape().begin(), x.shape().end()};
}

/// How many elements behind `base` a view starts.
int64_t offset_of(const Tensor& view, const Tensor& base) {
  return (static_cast<char*>(view.data()) - static_cast<char*>(base.data())) / base.dtype().itemsize();
}

Tensor matrix() {
  return Tensor::empty(Values{3, 4}, float32);
}

TEST(View, KeepsTheMemoryFlagsAndDeviceOfItsTensor) {
  testing::VersionedProducer producer;
  producer.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  Tensor view = Tensor::from_managed(&producer.managed).select(0, 1).slice(0, 1, 3).reshape(Values{2, 1});
  EXPECT_TRUE(view.read_only());
  EXPECT_EQ(static_cast<float*>(view.data())[0], 4);
  EXPECT_EQ(producer.deletions, 0);
  view = Tensor();
  EXPECT_EQ(producer.deletions, 1);
}

TEST(Permute, ReordersAxesAndCountsNegativeOnesFromTheEnd) {
  const Tensor x = Tensor::empty(Values{2, 3, 4}, int8);
  EXPECT_EQ(strides_of(x.permute(Axes{2, 0, 1})), (Values{1, 12, 4}));
  EXPECT_EQ(shape_of(x.permute(Axes{-1, 0, -2})), (Values{4, 2, 3}));
}

TEST(Permute, RefusesAxesThatAreNoPermutation) {
  expect_error(ErrorCode::invalid_argument, "axis -2 is named twice", [] { matrix().permute(Axes{0, -2}); });
  expect_error(ErrorCode::invalid_argument, "axis 2 is out of range for a tensor of 2 dimensions",
               [] { matrix().permute(Axes{0, 2}); });
  expect_error(ErrorCode::invalid_argument, "1 axes were given for a tensor of 2 dimensions",
               [] { matrix().permute(Axes{0}); });
}

struct Slice {
  int64_t start, stop, step;
  int64_t first, length, stride;
};

TEST(SliceOfAnAxis, FollowsPython) {
  const Tensor x = Tensor::empty(Values{10}, int16);
  for (const Slice& s :
       {Slice{2, 7, 1, 2, 5, 1}, Slice{0, 100, 3, 0, 4, 3}, Slice{-3, 10, 1, 7, 3, 1}, Slice{-100, -8, 1, 0, 2, 1},
        Slice{5, 5, 1, 0, 0, 1}, Slice{7, 2, 1, 0, 0, 1}, Slice{9, INT64_MIN, -1, 9, 10, -1}, Slice{7, 1, -2, 7, 3, -2},
        Slice{100, 4, -1, 9, 5, -1}, Slice{3, 4, INT64_MAX, 3, 1, 1}, Slice{3, INT64_MIN, INT64_MIN, 3, 1, 1}}) {
    const Tensor view = x.slice(0, s.start, s.stop, s.step);
    EXPECT_EQ(shape_of(view), Values{s.length}) << s.start << ":" << s.stop << ":" << s.step;
    EXPECT_EQ(strides_of(view), Values{s.stride});
    EXPECT_EQ(offset_of(view, x), s.first);
  }
}

TEST(SliceOfAnAxis, RefusesAStepOfZero) {
  expect_error(ErrorCode::invalid_argument, "the step of a slice must not be 0", [] { matrix().slice(0, 0, 2, 0); });
}

TEST(Select, TakesOneIndexAndItsAxisAway) {
  const Tensor x = matrix();
  EXPECT_EQ(shape_of(x.select(0, -1)), Values{4});
  EXPECT_EQ(offset_of(x.select(0, -1), x), 8);
  EXPECT_EQ(strides_of(x.select(1, 2)), Values{4});
  expect_error(ErrorCode::invalid_argument, "index 3 is out of range for axis 0 of length 3", [&] { x.select(0, 3); });
}

TEST(Reshape, RegroupsAxesOfOnePiece) {
  const Tensor x = Tensor::empty(Values{2, 3, 4, 5}, int8);
  EXPECT_EQ(strides_of(x.reshape(Values{6, 20})), (Values{20, 1}));
  EXPECT_EQ(strides_of(x.reshape(Values{6, -1})), (Values{20, 1}));
  const Tensor outer_swapped = x.permute(Axes{1, 0, 2, 3});
  EXPECT_EQ(strides_of(outer_swapped.reshape(Values{3, 2, 20})), (Values{20, 60, 1}));
  EXPECT_EQ(strides_of(outer_swapped.reshape(Values{3, 1, 2, 2, 10, 1}).permute(Axes{0, 2, 3, 4, 1, 5})),
            (Values{20, 60, 10, 1, 120, 1}));
  EXPECT_EQ(strides_of(x.slice(3, 0, 5, 2).reshape(Values{24, 3})), (Values{5, 2}));
}

TEST(Reshape, ThatWouldNeedACopySaysSo) {
  expect_error(ErrorCode::would_copy, "a tensor of shape (4, 3) and strides (1, 4) takes shape (12,) only as a copy",
               [] { matrix().permute(Axes{1, 0}).reshape(Values{12}); });
}

TEST(Reshape, ToAnotherNumberOfElementsIsRefused) {
  expect_error(ErrorCode::invalid_argument, "a tensor of shape (3, 4) has 12 elements and cannot take shape (5, 2)",
               [] { matrix().reshape(Values{5, 2}); });
  expect_error(ErrorCode::invalid_argument, "a tensor of shape (3, 4) has 12 elements and cannot take shape (-12, -1)",
               [] { matrix().reshape(Values{-12, -1}); });
}

TEST(Reshape, OfAnyLayoutKeepsEveryElementWhereItSucceeds) {
  std::mt19937 random(11);
  int regrouped = 0;
  for (int round = 0; round < 2000; ++round) {
    Values shape(random() % 4), factors;
    for (int64_t& dim : shape) dim = 1 + random() % 4;
    const Tensor x = testing::random_layout(random, shape, int8);
    for (int64_t left = x.numel(); left > 1;) {
      int64_t factor = 2;
      while (left % factor != 0) ++factor;
      if (!factors.empty() && random() % 2)
        factors.back() *= factor;
      else
        factors.push_back(factor);
      left /= factor;
    }
    Tensor y;
    try {
      y = x.reshape(factors);
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::would_copy);
      continue;
    }
    ++regrouped;
    std::vector<char> expected, found;
    testing::for_each_index(x.shape(), [&](const Values& index) { expected.push_back(*testing::element(x, index)); });
    testing::for_each_index(y.shape(), [&](const Values& index) { found.push_back(*testing::element(y, index)); });
    ASSERT_EQ(expected, found) << to_string(x) << " to " << to_string(y);
  }
  EXPECT_GT(regrouped, 500);
}

TEST(BroadcastTo, RepeatsWithStrideZero) {
  const Tensor x = Tensor::empty(Values{3, 1}, float32);
  EXPECT_EQ(strides_of(x.broadcast_to(Values{2, 3, 5})), (Values{0, 1, 0}));
  expect_error(ErrorCode::invalid_argument, "shape (3, 1) does not broadcast to (2, 5)",
               [&] { x.broadcast_to(Values{2, 5}); });
  expect_error(ErrorCode::invalid_argument, "shape (3, 1) does not broadcast to (3, -5)",
               [&] { x.broadcast_to(Values{3, -5}); });
}

TEST(AsStrided, StaysInsideTheElementsOfItsTensor) {
  const Tensor x = matrix();
  EXPECT_EQ(offset_of(x.as_strided(Values{2, 2}, Values{4, -1}, 3), x), 3);
  EXPECT_EQ(x.as_strided(Values{0}, Values{INT64_MAX}, 99).numel(), 0);
  expect_error(ErrorCode::invalid_argument,
               "shape (2, 2) with strides (8, 4) at offset 0 reaches outside the tensor's own elements",
               [&] { x.as_strided(Values{2, 2}, Values{8, 4}, 0); });
  expect_error(ErrorCode::invalid_argument,
               "shape (2,) with strides (-1,) at offset 0 reaches outside the tensor's own elements",
               [&] { x.as_strided(Values{2}, Values{-1}, 0); });
  expect_error(ErrorCode::invalid_argument, "1 strides were given for shape (2, 2)",
               [&] { x.as_strided(Values{2, 2}, Values{1}, 0); });
}

TEST(View, OfElementsThatShareBytesNeedsAPaddedCopy) {
  const Tensor x = Tensor::empty(Values{4, 4}, DType(kDLInt, 4));
  expect_error(ErrorCode::unsupported, "a slice of int4 elements, which share bytes, needs a padded copy",
               [&] { x.slice(0, 1, 2); });
  EXPECT_EQ(shape_of(x.permute(Axes{1, 0}).reshape(Values{4, 2, 2})), (Values{4, 2, 2}));
  const Tensor padded = Tensor::empty(Values{4, 4}, DType(kDLInt, 4), DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED);
  EXPECT_EQ(offset_of(padded.slice(0, 1, 2), padded), 4);
}

TEST(View, OfMoreDimensionsThanATensorCanHaveIsRefused) {
  expect_error(ErrorCode::invalid_argument, "65 dimensions are more than a tensor can have (64)",
               [] { matrix().select(0, 0).select(0, 0).reshape(Values(65, 1)); });
}

TEST(View, OfATensorWithoutElementsTakesWildStridesAsTheyAre) {
  const Tensor x =
      Tensor::from_blob(nullptr, Values{4, 0}, Values{INT64_MAX, INT64_MIN}, float32, cpu, nullptr, nullptr);
  EXPECT_EQ(shape_of(x.select(0, 3)), Values{0});
  EXPECT_EQ(shape_of(x.slice(0, 1, 4, 2)), (Values{2, 0}));
  EXPECT_EQ(shape_of(x.reshape(Values{0, 7})), (Values{0, 7}));
}

TEST(On, PutsTheTensorOnAVirtualDeviceOverTheSameMemory) {
  const auto type = static_cast<DLDeviceType>(79);
  register_virtual_device(type, "stage", [](int32_t index) { return Device(index == 0 ? kDLCPU : kDLCUDA, 0); });
  const Tensor x = matrix(), staged = x.on({type, 0});
  EXPECT_EQ(staged.device(), Device(type, 0));
  EXPECT_EQ(staged.physical_device(), cpu);
  EXPECT_EQ(staged.data(), x.data());
  EXPECT_EQ(staged.select(0, 1).device(), Device(type, 0));
  EXPECT_EQ(staged.on(cpu).device(), cpu);
  expect_error(ErrorCode::invalid_argument, "device stage:1 computes on cuda:0, but the tensor is on cpu:0",
               [&] { x.on({type, 1}); });
  register_virtual_device(type, "", nullptr);
}

}  // namespace
}  // namespace dlport
