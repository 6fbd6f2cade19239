#include "dlport/device.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "expect_error.hpp"

namespace dlport {
namespace {

using testing::expect_error;

constexpr auto kTestDevice = static_cast<DLDeviceType>(77);

/// A virtual device over the CPU with two indices, there for one test.
class VirtualDevice : public ::testing::Test {
 protected:
  VirtualDevice() {
    register_virtual_device(kTestDevice, "bench", [](int32_t index) -> Device {
      if (index > 1) throw Error(ErrorCode::not_found, "bench:" + std::to_string(index) + " is not configured");
      return {index == 0 ? kDLCPU : kDLCUDA, index};
    });
  }
  ~VirtualDevice() override { register_virtual_device(kTestDevice, "", nullptr); }
};

TEST(Device, EveryNameReadsBackAsTheDeviceItPrints) {
  for (DLDeviceType type : {kDLCPU, kDLCUDA, kDLCUDAHost, kDLOpenCL, kDLVulkan, kDLMetal, kDLVPI, kDLROCM, kDLROCMHost,
                            kDLExtDev, kDLCUDAManaged, kDLOneAPI, kDLWebGPU, kDLHexagon, kDLMAIA, kDLTrn}) {
    EXPECT_TRUE(is_known(type));
    EXPECT_EQ(parse_device(to_string(Device(type, 3))), Device(type, 3));
  }
}

TEST(Device, WithoutAnIndexIsTheFirst) {
  EXPECT_EQ(parse_device("cuda"), Device(kDLCUDA, 0));
  EXPECT_EQ(parse_device("ort"), Device(kORT, 0));
}

TEST(Device, OfATypeOutsideDlpackPrintsTheNumber) {
  EXPECT_EQ(to_string(Device(static_cast<DLDeviceType>(99), 0)), "device_type_99:0");
  EXPECT_FALSE(is_known(static_cast<DLDeviceType>(99)));
  EXPECT_FALSE(is_known(static_cast<DLDeviceType>(0)));
}

TEST(Device, TextThatNamesNoneIsRefused) {
  for (const char* text : {"", "gpu", "cuda:", "cuda:-1", "cuda:1x", "cuda:99999999999", ":0", "cpu:0:0"}) {
    expect_error(
        ErrorCode::invalid_argument,
        "'" + std::string(text) + "' names no device: write a name and an index, as in 'cpu', 'cuda:1' or 'ort:0'",
        [&] { parse_device(text); });
  }
}

TEST(Device, HostDevicesAreThoseTheCpuReads) {
  EXPECT_TRUE(cpu.is_host());
  EXPECT_TRUE(Device(kDLCUDAHost, 0).is_host());
  EXPECT_TRUE(Device(kDLROCMHost, 0).is_host());
  EXPECT_TRUE(Device(kDLCUDAManaged, 0).is_host());
  EXPECT_FALSE(Device(kDLCUDA, 0).is_host());
  EXPECT_FALSE(Device(kDLOpenCL, 0).is_host());
}

TEST(Device, APhysicalOneIsItsOwnPhysicalDevice) {
  EXPECT_EQ(physical(Device(kDLCUDA, 2)), Device(kDLCUDA, 2));
  EXPECT_FALSE(is_virtual(Device(kDLCUDA, 2)));
}

TEST(Device, AnExtensionDeviceThatNothingRegisteredHasNoPhysicalOne) {
  expect_error(ErrorCode::not_found,
               "device ext_dev:4 is an extension device that nothing in this process has registered; ask the producer "
               "for its physical device, or import dlport.ort first",
               [] { physical(Device(kDLExtDev, 4)); });
}

TEST_F(VirtualDevice, ResolvesToThePhysicalDeviceOfItsIndex) {
  EXPECT_TRUE(is_virtual(Device(kTestDevice, 0)));
  EXPECT_EQ(physical(Device(kTestDevice, 0)), cpu);
  EXPECT_EQ(physical(Device(kTestDevice, 1)), Device(kDLCUDA, 1));
}

TEST_F(VirtualDevice, PassesOnWhatItsResolverThrows) {
  expect_error(ErrorCode::not_found, "bench:2 is not configured", [] { physical(Device(kTestDevice, 2)); });
}

TEST_F(VirtualDevice, PrintsAndParsesByItsRegisteredName) {
  EXPECT_EQ(to_string(Device(kTestDevice, 1)), "bench:1");
  EXPECT_EQ(parse_device("bench:1"), Device(kTestDevice, 1));
}

TEST_F(VirtualDevice, IsForgottenWithAnEmptyResolver) {
  register_virtual_device(kTestDevice, "", nullptr);
  EXPECT_FALSE(is_virtual(Device(kTestDevice, 0)));
  EXPECT_EQ(to_string(Device(kTestDevice, 0)), "device_type_77:0");
}

TEST_F(VirtualDevice, ResolvesWhileOtherThreadsRegister) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      const auto type = static_cast<DLDeviceType>(1000 + t);
      for (int i = 0; i < 200; ++i) {
        register_virtual_device(type, "thread" + std::to_string(t),
                                [](int32_t index) { return Device(kDLCPU, index); });
        EXPECT_EQ(physical(Device(kTestDevice, 0)), cpu);
        EXPECT_EQ(physical(Device(type, 5)), Device(kDLCPU, 5));
        register_virtual_device(type, "", nullptr);
      }
    });
  }
}

TEST(VirtualDeviceRegistration, OfTheCpuIsRefused) {
  expect_error(ErrorCode::invalid_argument, "cpu:0 is a physical device and cannot stand for another",
               [] { register_virtual_device(kDLCPU, "mine", [](int32_t) { return cpu; }); });
}

TEST(VirtualDeviceRegistration, ThatStandsForAnotherVirtualDeviceIsAnError) {
  register_virtual_device(kTestDevice, "mirror", [](int32_t index) { return Device(kTestDevice, index); });
  expect_error(ErrorCode::device, "mirror:3 resolves to mirror:3, which is virtual too",
               [] { physical(Device(kTestDevice, 3)); });
  register_virtual_device(kTestDevice, "", nullptr);
}

}  // namespace
}  // namespace dlport
