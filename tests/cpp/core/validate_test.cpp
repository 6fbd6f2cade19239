#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "dlport/exchange.hpp"
#include "expect_error.hpp"
#include "managed.hpp"

namespace dlport {
namespace {

using testing::expect_error;
using testing::VersionedProducer;

struct Fault {
  const char* name;
  std::function<void(VersionedProducer&)> make;
  const char* sentence;
};

class Validation : public ::testing::TestWithParam<Fault> {};

TEST_P(Validation, NamesTheFieldAtFault) {
  VersionedProducer producer;
  GetParam().make(producer);
  expect_error(ErrorCode::invalid_tensor, GetParam().sentence,
               [&] { validate(producer.tensor(), producer.managed.flags); });
}

constexpr int64_t kHuge = int64_t{1} << 61;

const Fault kFaults[] = {
    {"negative_ndim", [](auto& p) { p.tensor().ndim = -1; }, "ndim = -1 is not between 0 and 64"},
    {"wild_ndim", [](auto& p) { p.tensor().ndim = 1 << 30; }, "ndim = 1073741824 is not between 0 and 64"},
    {"unknown_flag", [](auto& p) { p.managed.flags = 8; }, "flags = 8 has bits that DLPack 1.3 does not define"},
    {"dtype_code", [](auto& p) { p.tensor().dtype.code = 77; },
     "dtype code_77_bits_32 is not one that DLPack 1.3 defines"},
    {"dtype_bits", [](auto& p) { p.tensor().dtype.bits = 33; },
     "dtype code_2_bits_33 is not one that DLPack 1.3 defines"},
    {"dtype_lanes", [](auto& p) { p.tensor().dtype.lanes = 0; }, "dtype float32x0 is not one that DLPack 1.3 defines"},
    {"device_type", [](auto& p) { p.tensor().device.device_type = static_cast<DLDeviceType>(5); },
     "device_type = 5 is not one that DLPack 1.3 defines"},
    {"device_id", [](auto& p) { p.tensor().device.device_id = -2; }, "device_id = -2 is negative"},
    {"null_shape", [](auto& p) { p.tensor().shape = nullptr; }, "shape is a null pointer, but ndim = 2"},
    {"negative_dimension", [](auto& p) { p.shape[1] = -3; }, "shape[1] = -3 is negative"},
    {"negative_beside_empty", [](auto& p) { p.shape = {0, -3}; }, "shape[1] = -3 is negative"},
    {"overflowing_shape", [](auto& p) { p.shape[0] = kHuge; },
     "shape (2305843009213693952, 3) of float32 has more bits than 63 bits can count"},
    {"null_data", [](auto& p) { p.tensor().data = nullptr; }, "data is a null pointer, but shape (2, 3) has elements"},
    {"overflowing_strides", [](auto& p) { p.strides[0] = kHuge; },
     "strides (2305843009213693952, 1) of shape (2, 3) reach further than 63 bits can count"},
    {"strides_below_memory",
     [](auto& p) {
       p.tensor().data = reinterpret_cast<void*>(16);
       p.strides[1] = -5;
     },
     "strides (3, -5) of shape (2, 3) and dtype float32 reach 40 bytes below the first element, out of the address "
     "space"},
    {"byte_offset_that_wraps",
     [](auto& p) {
       p.tensor().data = reinterpret_cast<void*>(4096);
       p.tensor().byte_offset = UINT64_MAX - 8;
     },
     "byte_offset = 18446744073709551607 with shape (2, 3) and strides (3, 1) passes the end of the address space"},
    {"start_of_a_device_buffer",
     [](auto& p) {
       p.tensor().device.device_type = kDLOpenCL;
       p.tensor().byte_offset = 4;
       p.strides[1] = -1;
     },
     "strides (3, -1) of shape (2, 3) and dtype float32 reach 8 bytes below the first element, past the start of the "
     "buffer"},
};

INSTANTIATE_TEST_SUITE_P(Faults, Validation, ::testing::ValuesIn(kFaults),
                         [](const auto& row) { return row.param.name; });

struct Oddity {
  const char* name;
  std::function<void(VersionedProducer&)> make;
};

class UnusualTensor : public ::testing::TestWithParam<Oddity> {};

TEST_P(UnusualTensor, IsAccepted) {
  VersionedProducer producer;
  GetParam().make(producer);
  EXPECT_NO_THROW(validate(producer.tensor(), producer.managed.flags));
}

const Oddity kOddities[] = {
    {"null_strides", [](auto& p) { p.tensor().strides = nullptr; }},
    {"negative_strides",
     [](auto& p) {
       p.strides = {-3, -1};
       p.tensor().byte_offset = 20;
     }},
    {"broadcast", [](auto& p) { p.strides = {0, 0}; }},
    {"no_dimensions",
     [](auto& p) {
       p.tensor().ndim = 0;
       p.tensor().shape = p.tensor().strides = nullptr;
     }},
    {"no_elements_and_no_memory",
     [](auto& p) {
       p.shape = {0, INT64_MAX};
       p.strides = {INT64_MIN, INT64_MAX};
       p.tensor().data = nullptr;
     }},
    {"wild_stride_of_a_single_row",
     [](auto& p) {
       p.shape = {1, 3};
       p.strides = {INT64_MIN, 1};
     }},
    {"byte_offset_inside_an_element", [](auto& p) { p.tensor().byte_offset = 3; }},
    {"two_to_the_33_elements", [](auto& p) { p.shape[0] = int64_t{1} << 33; }},
    {"all_flags", [](auto& p) { p.managed.flags = 7; }},
    {"sub_byte", [](auto& p) { p.tensor().dtype = DType(kDLFloat4_e2m1fn, 4); }},
    {"opaque_handle", [](auto& p) { p.tensor().dtype = DType(kDLOpaqueHandle, 64); }},
    {"every_lane", [](auto& p) { p.tensor().dtype.lanes = 65535; }},
};

INSTANTIATE_TEST_SUITE_P(Oddities, UnusualTensor, ::testing::ValuesIn(kOddities),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace dlport
