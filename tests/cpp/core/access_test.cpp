#define DLPORT_CHECK_BOUNDS 1  // whatever the build type
#include "dlport/access.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "expect_error.hpp"
#include "managed.hpp"

namespace dlport {
namespace {

using testing::expect_error;
using testing::VersionedProducer;
using Values = std::vector<int64_t>;

TEST(Access, ReadsAndWritesByIndexThroughTheTensorsStrides) {
  const Tensor x = Tensor::empty(Values{2, 3}, float32);
  auto rows = access<float, 2>(x);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) rows(i, j) = static_cast<float>(10 * i + j);
  }
  const auto columns = access<const float, 2>(x.permute(std::vector<int>{1, 0}));
  EXPECT_EQ(columns(2, 1), 12);
  EXPECT_EQ(columns.extent(0), 3);
  EXPECT_EQ(columns.stride(0), 1);
}

TEST(Access, ToATensorWithoutStridesIsRowMajor) {
  VersionedProducer producer;
  producer.tensor().strides = nullptr;
  const auto view = access<const float, 2>(producer.tensor());
  EXPECT_EQ(view(1, 0), 3);
}

TEST(Access, WithoutDimensionsIsToTheOneElement) {
  const Tensor x = Tensor::empty({}, int64);
  access<int64_t, 0>(x)() = 7;
  EXPECT_EQ((access<const int64_t, 0>(x)()), 7);
}

TEST(Access, OutsideIsCaughtWhereBoundsAreChecked) {
  VersionedProducer producer;
  const auto view = access<float, 2>(producer.tensor());
  expect_error(ErrorCode::invalid_argument, "index 3 is out of range for axis 1 of length 3", [&] { view(1, 3); });
  expect_error(ErrorCode::invalid_argument, "index -1 is out of range for axis 0 of length 2", [&] { view(-1, 0); });
}

TEST(Access, NeedsTheRightTypeRankPlaceAndRights) {
  VersionedProducer producer;
  const TensorView view = producer.tensor();
  const std::string start = "access to a tensor float32 (2, 3) on ";
  expect_error(ErrorCode::invalid_argument, start + "cpu:0 needs dtype int32", [&] { access<int32_t, 2>(view); });
  expect_error(ErrorCode::invalid_argument, start + "cpu:0 needs 1 dimensions", [&] { access<float, 1>(view); });
  expect_error(ErrorCode::invalid_argument, start + "cpu:0, read-only needs writable memory, or a const element type",
               [&] { access<float, 2>(TensorView(producer.tensor(), DLPACK_FLAG_BITMASK_READ_ONLY)); });
  producer.tensor().byte_offset = 2;
  expect_error(ErrorCode::invalid_argument, start + "cpu:0 needs aligned data",
               [&] { access<float, 2>(producer.tensor()); });
  producer.tensor().device.device_type = kDLCUDA;
  expect_error(ErrorCode::invalid_argument, start + "cuda:0 needs host memory",
               [&] { access<float, 2>(producer.tensor()); });
}

TEST(DTypeOf, NamesTheTypesThatCppHas) {
  EXPECT_EQ(dtype_of<bool>(), boolean);
  EXPECT_EQ(dtype_of<int8_t>(), int8);
  EXPECT_EQ(dtype_of<uint64_t>(), uint64);
  EXPECT_EQ(dtype_of<double>(), float64);
  EXPECT_EQ(dtype_of<std::complex<double>>(), complex128);
}

}  // namespace
}  // namespace dlport
