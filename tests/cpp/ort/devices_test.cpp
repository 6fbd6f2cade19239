#include "fixtures.hpp"

namespace dlport::ort {
namespace {

TEST(Devices, TheFirstOneIsTheCpuProvider) {
  const auto all = devices();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].provider, "CPUExecutionProvider");
  EXPECT_EQ(all[0].physical, cpu);
}

TEST(Devices, RefuseAProviderThatDoesNotExistAndNameThoseThatDo) {
  try {
    set_device(1, "abacus");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_NE(std::string(error.what()).find("cpu"), std::string::npos) << error.what();
  }
}

TEST(Devices, ResolveToWhatTheProviderComputesOn) {
  register_ort_device();
  EXPECT_EQ(physical({kORT, 0}), cpu);
  EXPECT_THROW(physical({kORT, 7}), Error);
  EXPECT_EQ(to_string(Device(kORT, 0)), "ort:0");
}

TEST(Devices, HandOutMemoryOfWhatTheProviderComputesOn) {
  const int64_t shape[] = {2, 3};
  const Tensor tensor = empty(shape, float32, 0);
  EXPECT_EQ(tensor.device(), Device(kORT, 0));
  EXPECT_EQ(tensor.physical_device(), cpu);
  const Tensor source = tensor_of<float>({2, 3}, {1, 2, 3, 4, 5, 6}, float32);
  copy(tensor, source);
  EXPECT_EQ(values_of(tensor), values_of(source));
}

TEST(Devices, RefuseAnIndexThatLeavesAGap) {
  expect_error(ErrorCode::invalid_argument, {"ort:9", "gap"}, [] { set_device(9, "cpu"); });
  expect_error(ErrorCode::not_found, {"ort:9", "set_device"}, [] { empty({}, float32, 9); });
}

TEST(Devices, RefuseALibraryThatIsNoProvider) {
  expect_error(ErrorCode::device, {"libdl.so.2"}, [] { register_provider("no provider", "libdl.so.2"); });
}

TEST(Devices, ListWhatTheLibraryHas) {
  const auto all = available_devices();
  EXPECT_TRUE(std::ranges::any_of(
      all, [](const DeviceInfo& info) { return info.provider == "CPUExecutionProvider" && !info.vendor.empty(); }));
}

}  // namespace
}  // namespace dlport::ort
