#include <algorithm>

#include "cpp/drivers/support.hpp"

namespace dlport {
namespace {

using testing::expect_error;

TEST(Registry, AlwaysHasTheHost) {
  const auto devices = list_devices();
  ASSERT_FALSE(devices.empty());
  EXPECT_EQ(devices[0].device, cpu);
  EXPECT_EQ(devices[0].driver, "cpu");
  EXPECT_STREQ(driver_for(cpu).name, "cpu");
}

TEST(Registry, FindsTheDriverBehindAVirtualDevice) {
  register_virtual_device(kORT, "ort", [](int32_t) { return cpu; });
  EXPECT_EQ(find_driver({kORT, 0}), find_driver(cpu));
  EXPECT_EQ(empty(std::vector<int64_t>{2}, float32, {kORT, 1}).device(), (Device{kORT, 1}));
  register_virtual_device(kORT, "", {});
}

TEST(Registry, SaysWhichDevicesThereAreInstead) {
  try {
    driver_for({kDLVulkan, 7});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_TRUE(std::string(error.what()).starts_with("no driver serves vulkan:7; there are cpu:0")) << error.what();
  }
}

TEST(Registry, FindsADriverByName) {
  EXPECT_EQ(&driver_named("cpu"), find_driver(cpu));
  EXPECT_THROW(driver_named("abacus"), Error);
}

TEST(Registry, SaysWhyABuiltInDriverHasNoDevices) {
  const auto names = list_drivers();
  for (const RejectedDriver& left_out : rejected_drivers()) {
    if (left_out.source != "cuda") continue;
    EXPECT_TRUE(left_out.reason.starts_with("there is no libcuda.so.1") ||
                left_out.reason.starts_with("NVIDIA's driver") || left_out.reason.starts_with("cuInit"))
        << left_out.reason;
  }
  EXPECT_NE(std::ranges::find(names, "cpu"), names.end());
}

}  // namespace
}  // namespace dlport
