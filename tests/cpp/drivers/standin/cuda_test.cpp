// The CUDA driver's logic over the stand-in: which calls it makes, in which order. No GPU is involved; see
// cuda_test.cpp for what runs where there is one.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "cpp/drivers/support.hpp"
#include "dlport/driver.hpp"

namespace dlport {
namespace {

using testing::expect_error;

constexpr Device gpu0{kDLCUDA, 0}, gpu1{kDLCUDA, 1}, pinned{kDLCUDAHost, 0}, managed{kDLCUDAManaged, 0};

/// What was called since the last time, without the contexts, which have a test of their own.
std::vector<std::string> journal(bool with_contexts = false) {
  static auto* take = reinterpret_cast<const char* (*)()>(dlsym(dlopen(STANDIN, RTLD_NOW), "standin_journal"));
  std::vector<std::string> calls;
  std::istringstream lines(take());
  for (std::string line; std::getline(lines, line);) {
    if (with_contexts || (line != "pop" && !line.starts_with("push"))) calls.push_back(line);
  }
  return calls;
}

using Calls = std::vector<std::string>;
const int64_t kShape[] = {100};

class CudaStandIn : public ::testing::Test {
 protected:
  void SetUp() override {
    list_devices();
    journal();
  }
};

TEST_F(CudaStandIn, ListsTheGpusThenPinnedAndManagedMemory) {
  std::vector<std::string> names;
  for (const DeviceEntry& entry : list_devices()) {
    if (entry.driver == "cuda") names.push_back(to_string(entry.device));
  }
  EXPECT_EQ(names, (Calls{"cuda:0", "cuda:1", "cuda_host:0", "cuda_managed:0"}));
}

TEST_F(CudaStandIn, PushesThePrimaryContextForEveryCallAndPopsIt) {
  {
    const Tensor tensor = empty(kShape, float32, gpu1);
  }
  EXPECT_EQ(journal(true), (Calls{"push 1100", "cuMemAlloc 400", "pop", "push 1100", "cuMemFree", "pop"}));
}

TEST_F(CudaStandIn, AllocatesAndFreesInTheOrderOfAStream) {
  const Stream stream(gpu0);
  const auto handle = std::to_string(reinterpret_cast<uintptr_t>(stream.handle()));
  journal();
  {
    const Tensor tensor = empty(kShape, float32, gpu0, &stream);
  }
  EXPECT_EQ(journal(), (Calls{"cuMemAllocAsync 400 " + handle, "cuMemFreeAsync " + handle}));
}

TEST_F(CudaStandIn, FreesBehindTheStreamThatUsedTheMemoryLast) {
  const Stream stream(gpu0);
  const auto handle = std::to_string(reinterpret_cast<uintptr_t>(stream.handle()));
  const std::vector<float> host(100, 1.0f);
  {
    const Tensor tensor = empty(kShape, float32, gpu0);
    journal();
    copy(tensor, testing::view_of(host), &stream);
  }
  EXPECT_EQ(journal(), (Calls{"cuMemcpyHtoDAsync 400 " + handle, "cuMemFreeAsync " + handle}));
}

TEST_F(CudaStandIn, OrdersASecondStreamBehindTheFirstByAnEvent) {
  const Stream first(gpu0), second(gpu0);
  const std::vector<float> host(100, 1.0f);
  const Tensor tensor = empty(kShape, float32, gpu0, &first);
  journal();
  copy(tensor, testing::view_of(host), &second);
  const Calls calls = journal();
  ASSERT_EQ(calls.size(), 5u);
  EXPECT_EQ(calls[0], "cuEventCreate");
  EXPECT_TRUE(calls[1].starts_with("cuEventRecord"));
  EXPECT_TRUE(
      calls[2].starts_with("cuStreamWaitEvent " + std::to_string(reinterpret_cast<uintptr_t>(second.handle()))));
  EXPECT_EQ(calls[3], "cuEventDestroy");
  EXPECT_TRUE(calls[4].starts_with("cuMemcpyHtoDAsync"));
}

TEST_F(CudaStandIn, MakesAnExportReadyOnTheConsumersStream) {
  const Stream producer(gpu0), consumer(gpu0);
  const Tensor tensor = empty(kShape, float32, gpu0, &producer);
  journal();
  make_ready(tensor, consumer.handle());
  const Calls calls = journal();
  ASSERT_EQ(calls.size(), 4u);
  EXPECT_TRUE(
      calls[2].starts_with("cuStreamWaitEvent " + std::to_string(reinterpret_cast<uintptr_t>(consumer.handle()))));
  make_ready(tensor);
  EXPECT_EQ(journal(), Calls{"cuStreamSynchronize " + std::to_string(reinterpret_cast<uintptr_t>(producer.handle()))});
}

TEST_F(CudaStandIn, CopiesBetweenPeersDirectlyAndEnablesThemOnce) {
  const Tensor from = empty(kShape, float32, gpu0), to_ = empty(kShape, float32, gpu1);
  journal();
  copy(to_, from);
  EXPECT_EQ(journal(), (Calls{"cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess 1000",
                              "cuMemcpyPeerAsync 1100 1000 400 0", "cuStreamSynchronize 0"}));
  copy(to_, from);
  EXPECT_EQ(journal(), (Calls{"cuMemcpyPeerAsync 1100 1000 400 0", "cuStreamSynchronize 0"}));
}

TEST_F(CudaStandIn, GivesPinnedAndManagedMemoryTheirOwnAllocators) {
  {
    const Tensor tensor = empty(kShape, float32, pinned);
  }
  EXPECT_EQ(journal(), (Calls{"cuMemHostAlloc 400 1", "cuMemFreeHost"}));
  {
    const Tensor tensor = empty(kShape, float32, managed);
  }
  EXPECT_EQ(journal(), (Calls{"cuMemAllocManaged 400 1", "cuMemFree"}));
}

TEST_F(CudaStandIn, MovesRowsInOneCall) {
  std::vector<float> host(64 * 64);
  std::iota(host.begin(), host.end(), 0.0f);
  const int64_t shape[] = {32, 32}, strides[] = {64, 1};
  const Tensor tensor = empty(shape, float32, gpu0);
  journal();
  const DLTensor corner{host.data(), cpu, 2, float32, const_cast<int64_t*>(shape), const_cast<int64_t*>(strides), 0};
  copy(tensor, corner);
  EXPECT_EQ(journal(), (Calls{"cuMemcpy2DAsync 128 32 256 128 0", "cuStreamSynchronize 0"}));
  EXPECT_EQ(testing::values_of<float>(tensor)[33], 65.0f);
}

TEST_F(CudaStandIn, FetchesATransposeThroughPinnedMemory) {
  const int64_t shape[] = {3, 4};
  const Tensor tensor = empty(shape, float32, gpu0), host = Tensor::empty(std::vector<int64_t>{4, 3}, float32);
  const int axes[] = {1, 0};
  journal();
  copy(host, tensor.permute(axes));
  const Calls calls = journal();
  ASSERT_GE(calls.size(), 2u);
  EXPECT_EQ(calls[0], "cuMemHostAlloc 48 1");
  EXPECT_EQ(calls[1], "cuMemcpyDtoHAsync 48 0");
}

TEST_F(CudaStandIn, FillsWithWidePatternsByColumnsOfWords) {
  const Tensor tensor = empty(kShape, float32, gpu0);
  const dlport_driver& driver = driver_for(gpu0);
  const uint64_t pattern = 0x0000000200000001;
  journal();
  check(driver, driver.fill({gpu0, tensor.data(), 0}, &pattern, 8, 400, nullptr));
  EXPECT_EQ(journal(), (Calls{"cuMemsetD2D32Async 8 1 50 0", "cuMemsetD2D32Async 8 1 50 0", "cuStreamSynchronize 0"}));
  EXPECT_EQ(static_cast<const uint32_t*>(tensor.data())[1], 2u);
}

TEST_F(CudaStandIn, LaunchesWithBlocksAndThreads) {
  const Operator scale(gpu0, "scale", "ptx");
  const Tensor tensor = empty(std::vector<int64_t>{1024}, float32, gpu0);
  journal();
  scale.launch(std::vector<Argument>{tensor, 3.0f}, {{1024, 2, 1}, {256, 0, 0}, 16});
  EXPECT_EQ(journal(), (Calls{"cuLaunchKernel 9100 4 2 1 256 1 1 16 0 3", "cuStreamSynchronize 0"}));
}

TEST_F(CudaStandIn, PutsTheLogOfTheAssemblerIntoTheError) {
  expect_error(ErrorCode::invalid_argument, "the code of 'scale' does not compile: ptxas fatal : line 1: what is this?",
               [] { Operator(gpu0, "scale", "error"); });
  expect_error(ErrorCode::not_found, "the module has no function 'shrink'", [] { Operator(gpu0, "shrink", "ptx"); });
}

TEST_F(CudaStandIn, SaysWhatCudaSaid) {
  expect_error(ErrorCode::out_of_memory, "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (said by the stand-in)",
               [] { empty(std::vector<int64_t>{int64_t{1} << 32}, float32, gpu0); });
}

TEST_F(CudaStandIn, TimesEventsAndRefusesOnesNeverRecorded) {
  Event start(gpu0), end(gpu0);
  const Stream stream(gpu0);
  expect_error(ErrorCode::invalid_argument, "one of the two events was never recorded",
               [&] { end.seconds_since(start); });
  start.record(stream);
  end.record(stream);
  EXPECT_DOUBLE_EQ(end.seconds_since(start), 1.5e-3);
}

}  // namespace
}  // namespace dlport
