// What the driver tests share: host tensors over vectors, device tensors as vectors, and the devices to test.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cpp/core/expect_error.hpp"
#include "dlport/access.hpp"
#include "dlport/driver.hpp"
#include "dlport/error.hpp"
#include "dlport/exchange.hpp"

namespace dlport::testing {

/// A one-dimensional view of a vector.
template <class T>
TensorView view_of(const std::vector<T>& values) {
  static thread_local int64_t shape[1];
  shape[0] = static_cast<int64_t>(values.size());
  return DLTensor{const_cast<T*>(values.data()), cpu, 1, dtype_of<T>(), shape, nullptr, 0};
}

/// The elements of a tensor on any device, row-major.
template <class T>
std::vector<T> values_of(const TensorView& tensor) {
  const Tensor host = Tensor::empty(tensor.shape(), tensor.dtype());
  copy(host, tensor);
  const T* data = static_cast<const T*>(host.data());
  return {data, data + host.numel()};
}

/// A tensor on `device` with the elements 0, 1, 2, ...
template <class T>
Tensor counting(Shape shape, Device device) {
  const Tensor host = Tensor::empty(shape, dtype_of<T>());
  T* data = static_cast<T*>(host.data());
  for (int64_t i = 0; i < host.numel(); ++i) data[i] = static_cast<T>(i);
  return to(host, device);
}

inline constexpr Device opencl0{kDLOpenCL, 0};

/// Tests that run on each device; one that is not there is skipped with the reason.
class OnEveryDevice : public ::testing::TestWithParam<Device> {
 protected:
  void SetUp() override {
    if (find_driver(GetParam())) return;
    std::string reason;
    for (const RejectedDriver& left_out : rejected_drivers()) reason += left_out.source + ": " + left_out.reason + "; ";
    GTEST_SKIP() << "no " << to_string(GetParam()) << " here: " << reason;
  }
};

inline std::string device_name(const ::testing::TestParamInfo<Device>& info) {
  std::string name = to_string(info.param);
  for (char& c : name) c = c == ':' ? '_' : c;
  return name;
}

#define DLPORT_ON_EVERY_DEVICE(suite)                                                                                  \
  INSTANTIATE_TEST_SUITE_P(                                                                                            \
      Devices, suite,                                                                                                  \
      ::testing::Values(cpu, testing::opencl0, Device{kDLCUDA, 0}, Device{kDLCUDAHost, 0}, Device{kDLCUDAManaged, 0}), \
      testing::device_name)

}  // namespace dlport::testing
