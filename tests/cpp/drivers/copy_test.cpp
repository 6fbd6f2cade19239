#include <numeric>
#include <random>

#include "cpp/drivers/support.hpp"

namespace dlport {
namespace {

using testing::counting;
using testing::expect_error;
using testing::values_of;

class Copy : public testing::OnEveryDevice {};
DLPORT_ON_EVERY_DEVICE(Copy);

const std::vector<int64_t> kShape{6, 5, 4};

TEST_P(Copy, MovesATensorThereAndBack) {
  const Tensor there = counting<int32_t>(kShape, GetParam());
  EXPECT_EQ(there.physical_device(), GetParam());
  std::vector<int32_t> expected(120);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(values_of<int32_t>(there), expected);
  EXPECT_EQ(values_of<int32_t>(to(there, cpu)), expected);
}

TEST_P(Copy, ToTheSameDeviceSharesTheMemory) {
  const Tensor there = counting<float>(kShape, GetParam());
  EXPECT_EQ(to(there, GetParam()).dltensor().data, there.dltensor().data);
}

TEST_P(Copy, ReadsEveryLayout) {
  const Tensor host = counting<float>(kShape, cpu), there = counting<float>(kShape, GetParam());
  const int axes[] = {2, 0, 1};
  EXPECT_EQ(values_of<float>(there.permute(axes)), values_of<float>(host.permute(axes)));
  EXPECT_EQ(values_of<float>(there.slice(0, 5, -7, -2)), values_of<float>(host.slice(0, 5, -7, -2)));
  EXPECT_EQ(values_of<float>(there.slice(2, 1, 3)), values_of<float>(host.slice(2, 1, 3)));
  EXPECT_EQ(values_of<float>(there.select(1, 2)), values_of<float>(host.select(1, 2)));
  const std::vector<int64_t> wide{3, 6, 5, 4};
  EXPECT_EQ(values_of<float>(there.broadcast_to(wide)), values_of<float>(host.broadcast_to(wide)));
}

TEST_P(Copy, WritesIntoEveryLayoutAndNothingElse) {
  const Tensor host = counting<float>(kShape, cpu), there = counting<float>(kShape, GetParam());
  for (const auto& part : {std::pair{host.slice(1, 1, 5, 2), there.slice(1, 1, 5, 2)},
                           std::pair{host.slice(2, 3, -5, -1), there.slice(2, 3, -5, -1)},
                           std::pair{host.select(0, 3), there.select(0, 3)}}) {
    const Tensor source = Tensor::empty(part.first.shape(), float32);
    for (int64_t i = 0; i < source.numel(); ++i) static_cast<float*>(source.data())[i] = static_cast<float>(-i);
    copy(part.first, source);
    copy(part.second, source);
    EXPECT_EQ(values_of<float>(there), values_of<float>(host));
  }
}

TEST_P(Copy, MovesRowsOfPlanes) {
  const std::vector<int64_t> shape{3, 40, 64};
  const Tensor host = counting<float>(shape, cpu), there = counting<float>(shape, GetParam());
  const Tensor part = there.slice(1, 4, 36, 2).slice(2, 8, 40);
  EXPECT_EQ(values_of<float>(part), values_of<float>(host.slice(1, 4, 36, 2).slice(2, 8, 40)));
  copy(part, to(Tensor::empty(part.shape(), float32), cpu));
}

TEST_P(Copy, AgreesWithTheHostOnRandomLayouts) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    Tensor host = counting<int16_t>(std::vector<int64_t>{7, 6, 5}, cpu), there = to(host, GetParam());
    for (int axis = 0; axis < 3; ++axis) {
      const int64_t step = static_cast<int64_t>(random() % 5) - 2;
      if (step == 0) continue;
      const int64_t start = step > 0 ? random() % 2 : -1 - static_cast<int64_t>(random() % 2);
      host = host.slice(axis, start, step > 0 ? 100 : -100, step);
      there = there.slice(axis, start, step > 0 ? 100 : -100, step);
    }
    ASSERT_EQ(values_of<int16_t>(there), values_of<int16_t>(host)) << to_string(host.view());
  }
}

TEST_P(Copy, BetweenTwoTensorsOfADevice) {
  const Tensor from = counting<float>(kShape, GetParam()), target = empty(kShape, float32, GetParam());
  copy(target, from);
  EXPECT_EQ(values_of<float>(target), values_of<float>(from));
  copy(target.slice(0, 0, 3), from.slice(0, 3, 6));
  EXPECT_EQ(values_of<float>(target.slice(0, 0, 3)), values_of<float>(from.slice(0, 3, 6)));
}

TEST_P(Copy, OfPackedFourBitElementsMovesTheirBytes) {
  const DType int4{kDLInt, 4};
  const std::vector<int64_t> shape{3, 5};
  const Tensor host = Tensor::empty(shape, int4);
  for (int i = 0; i < 8; ++i) static_cast<char*>(host.data())[i] = static_cast<char>(0x10 + i);
  const Tensor back = to(to(host, GetParam()), cpu);
  EXPECT_EQ(static_cast<char*>(back.data())[6], 0x16);
}

TEST_P(Copy, OfNoElementsDoesNothing) {
  const std::vector<int64_t> shape{0, 3};
  EXPECT_EQ(values_of<float>(to(Tensor::empty(shape, float32), GetParam())).size(), 0u);
}

TEST(HostCopy, ConvertsWhereTheDtypesDiffer) {
  const std::vector<int64_t> shape{4};
  const Tensor whole = Tensor::empty(shape, int32);
  copy(whole, counting<float>(shape, cpu));
  EXPECT_EQ(values_of<int32_t>(whole), (std::vector<int32_t>{0, 1, 2, 3}));
}

TEST_P(Copy, RefusesWhatDoesNotFit) {
  const Tensor there = counting<float>(std::vector<int64_t>{4}, GetParam());
  expect_error(ErrorCode::invalid_argument,
               "a tensor of shape (4,) cannot be copied to one of shape (5,): broadcast or reshape it first",
               [&] { copy(empty(std::vector<int64_t>{5}, float32, GetParam()), there); });
  if (!there.device().is_host()) {
    expect_error(ErrorCode::invalid_argument,
                 "a tensor of float32 was to be copied to one of int32: convert it on its own device first",
                 [&] { copy(empty(std::vector<int64_t>{4}, int32, GetParam()), there); });
  }
  expect_error(ErrorCode::invalid_argument, "the destination of the copy is read-only",
               [&] { copy(there.as_read_only(), there); });
  expect_error(ErrorCode::invalid_argument, "source and destination overlap: copy the source to fresh memory first",
               [&] { copy(there.slice(0, 1, 4), there.slice(0, 0, 3)); });
  expect_error(ErrorCode::invalid_argument,
               "the destination's elements may share memory: shape (2, 4) with strides (0, 1)", [&] {
                 const Tensor wide = there.broadcast_to(std::vector<int64_t>{2, 4});
                 copy(wide, Tensor::empty(wide.shape(), float32));
               });
}

TEST_P(Copy, OntoItselfDoesNothing) {
  const Tensor there = counting<float>(kShape, GetParam());
  copy(there, there);
  EXPECT_EQ(values_of<float>(there)[119], 119.0f);
}

TEST_P(Copy, OnAStreamIsDoneWhenItIsSynchronised) {
  const Stream stream(GetParam());
  const Tensor host = counting<float>(kShape, cpu), there = empty(kShape, float32, GetParam(), &stream);
  const Tensor back = Tensor::empty(kShape, float32);
  copy(there, host, &stream);
  copy(back, there, &stream);
  stream.synchronise();
  EXPECT_EQ(values_of<float>(back), values_of<float>(host));
}

TEST_P(Copy, BetweenTwoDriversPassesThroughTheHost) {
  for (const Device other : {cpu, testing::opencl0, Device{kDLCUDA, 0}}) {
    if (!find_driver(other)) continue;
    const Tensor there = to(counting<float>(kShape, GetParam()), other);
    EXPECT_EQ(values_of<float>(there)[119], 119.0f) << to_string(other);
  }
}

TEST(CopyOnAStream, OfAnotherDeviceIsRefused) {
  if (!find_driver(testing::opencl0)) GTEST_SKIP() << "no OpenCL here";
  const Stream stream(cpu);
  expect_error(ErrorCode::invalid_argument, "the stream is cpu:0's, and the copy is opencl:0's work",
               [&] { copy(empty(kShape, float32, testing::opencl0), counting<float>(kShape, cpu), &stream); });
}

}  // namespace
}  // namespace dlport
