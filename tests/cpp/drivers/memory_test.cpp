// Memory of every device through its table: what the specification in driver.h promises.
#include <cstring>
#include <numeric>
#include <thread>

#include "cpp/drivers/support.hpp"

namespace dlport {
namespace {

class Memory : public testing::OnEveryDevice {
 protected:
  const dlport_driver& driver() { return driver_for(GetParam()); }
  void* allocate(uint64_t size) {
    void* data = nullptr;
    check(driver(), driver().allocate(GetParam(), size, 0, nullptr, &data));
    return data;
  }
  dlport_status free(void* data) { return driver().free(GetParam(), data, nullptr); }
  dlport_region at(void* data, uint64_t offset = 0) { return {GetParam(), data, offset}; }
  std::string error() { return driver().last_error(); }
};
DLPORT_ON_EVERY_DEVICE(Memory);

TEST_P(Memory, ComesBackAsItWasWritten) {
  std::vector<char> in(1000), out(1000);
  std::iota(in.begin(), in.end(), char{0});
  void* data = allocate(in.size());
  check(driver(), driver().write(at(data), in.data(), in.size(), nullptr));
  check(driver(), driver().read(out.data(), at(data), out.size(), nullptr));
  EXPECT_EQ(in, out);
  EXPECT_EQ(free(data), DLPORT_OK);
}

TEST_P(Memory, FreedTwiceIsRefused) {
  void* data = allocate(64);
  EXPECT_EQ(free(data), DLPORT_OK);
  EXPECT_EQ(free(data), DLPORT_INVALID_ARGUMENT);
  EXPECT_NE(error().find("was freed before"), std::string::npos) << error();
}

TEST_P(Memory, OfSomebodyElseIsNotFreed) {
  int foreign = 0;
  EXPECT_EQ(free(&foreign), DLPORT_INVALID_ARGUMENT);
}

TEST_P(Memory, IsNotReadPastItsEnd) {
  void* data = allocate(64);
  char host[65];
  std::memset(host, 7, sizeof(host));
  EXPECT_EQ(driver().read(host, at(data), 65, nullptr), DLPORT_INVALID_ARGUMENT);
  EXPECT_NE(error().find("out of range of an allocation of 64 bytes"), std::string::npos) << error();
  EXPECT_EQ(driver().read(host, at(data, 60), 5, nullptr), DLPORT_INVALID_ARGUMENT);
  EXPECT_EQ(driver().read(host, at(data, UINT64_MAX), 5, nullptr), DLPORT_INVALID_ARGUMENT);
  EXPECT_EQ(host[0], 7);
  EXPECT_EQ(free(data), DLPORT_OK);
}

TEST_P(Memory, BeyondWhatThereIsIsRefused) {
  void* data = nullptr;
  EXPECT_EQ(driver().allocate(GetParam(), UINT64_MAX - 100, 0, nullptr, &data), DLPORT_OUT_OF_MEMORY);
  EXPECT_EQ(data, nullptr);
  EXPECT_FALSE(error().empty());
}

TEST_P(Memory, OfNoBytesIsNothing) {
  void* data = this;
  EXPECT_EQ(driver().allocate(GetParam(), 0, 0, nullptr, &data), DLPORT_OK);
  EXPECT_EQ(data, nullptr);
  EXPECT_EQ(free(nullptr), DLPORT_OK);
}

TEST_P(Memory, OfAnotherDeviceIsRefused) {
  void* data = nullptr;
  const DLDevice other{kDLVPI, 5};
  EXPECT_EQ(driver().allocate(other, 8, 0, nullptr, &data), DLPORT_NOT_FOUND);
  EXPECT_NE(error().find("vpi:5"), std::string::npos) << error();
}

TEST_P(Memory, OverlapIsRefused) {
  void* data = allocate(64);
  EXPECT_EQ(driver().copy(at(data, 8), at(data), 9, nullptr), DLPORT_INVALID_ARGUMENT);
  EXPECT_EQ(driver().copy(at(data, 8), at(data), 8, nullptr), DLPORT_OK);
  EXPECT_EQ(free(data), DLPORT_OK);
}

TEST_P(Memory, IsFilledWithPatternsOfEverySize) {
  for (size_t pattern_size : {1, 2, 4, 8, 16}) {
    const char pattern[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    void* data = allocate(160);
    check(driver(), driver().fill(at(data), pattern, pattern_size, 160, nullptr));
    char host[160];
    check(driver(), driver().read(host, at(data), 160, nullptr));
    for (size_t i = 0; i < 160; ++i) ASSERT_EQ(host[i], pattern[i % pattern_size]) << pattern_size << " " << i;
    EXPECT_EQ(free(data), DLPORT_OK);
  }
}

TEST_P(Memory, IsFilledInLargeParts) {
  constexpr uint64_t kSize = 20'000'016;
  void* data = allocate(kSize);
  const uint64_t pattern[2] = {1, 2};
  check(driver(), driver().fill(at(data), pattern, 16, kSize, nullptr));
  std::vector<uint64_t> host(kSize / 8);
  check(driver(), driver().read(host.data(), at(data), kSize, nullptr));
  for (size_t i = 0; i < host.size(); ++i) ASSERT_EQ(host[i], 1 + i % 2) << i;
  EXPECT_EQ(free(data), DLPORT_OK);
}

TEST_P(Memory, RowsAreCopiedBothWays) {
  if (!DLPORT_DRIVER_HAS(&driver(), copy_rows)) GTEST_SKIP() << "has no copy_rows";
  std::vector<char> host(300), out(300, 0);
  std::iota(host.begin(), host.end(), char{0});
  void* data = allocate(300);
  check(driver(), driver().copy_rows(at(data, 3), 20, {cpu, host.data(), 5}, 30, 10, 9, nullptr));
  check(driver(), driver().copy_rows({cpu, out.data(), 5}, 30, at(data, 3), 20, 10, 9, nullptr));
  for (size_t row = 0; row < 9; ++row) {
    EXPECT_EQ(std::memcmp(&out[5 + 30 * row], &host[5 + 30 * row], 10), 0) << row;
  }
  EXPECT_EQ(out[4], 0);
  EXPECT_EQ(out[15], 0);
  EXPECT_EQ(driver().copy_rows(at(data), 9, {cpu, host.data(), 0}, 30, 10, 9, nullptr), DLPORT_INVALID_ARGUMENT);
  EXPECT_EQ(free(data), DLPORT_OK);
}

TEST_P(Memory, IsSharedByThreads) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (int round = 0; round < 50; ++round) {
        const std::vector<char> in(512, static_cast<char>(t + round));
        std::vector<char> out(512);
        void* data = allocate(512);
        check(driver(), driver().write(at(data), in.data(), 512, nullptr));
        check(driver(), driver().read(out.data(), at(data), 512, nullptr));
        check(driver(), free(data));
        EXPECT_EQ(in, out);
      }
    });
  }
}

TEST(HostMemory, IsAlignedAsDLPackAsks) {
  for (int64_t size : {1, 1000, 5 << 20}) {
    const Tensor tensor = empty(std::vector<int64_t>{size}, uint8, cpu);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data()) % 256, 0u);
  }
}

TEST(HostMemory, OfAnyAlignmentIsGiven) {
  void* data = nullptr;
  const dlport_driver& driver = driver_for(cpu);
  check(driver, driver.allocate(cpu, 100, 65536, nullptr, &data));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 65536, 0u);
  check(driver, driver.free(cpu, data, nullptr));
  EXPECT_EQ(driver.allocate(cpu, 100, 48, nullptr, &data), DLPORT_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace dlport
