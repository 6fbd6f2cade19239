#include <numeric>
#include <thread>

#include "cpp/drivers/support.hpp"

namespace dlport {
namespace {

using testing::counting;
using testing::expect_error;
using testing::opencl0;
using testing::values_of;

const std::vector<int64_t> kShape{64};

float* floats(const dlport_argument& argument) {
  return static_cast<float*>(TensorView(*argument.tensor).data());
}

void register_scale() {
  register_host_operator("scale", [](const dlport_launch& launch) {
    const float factor = *static_cast<const float*>(launch.arguments[1].value);
    for (uint64_t i = 0; i < launch.global[0]; ++i) floats(launch.arguments[0])[i] *= factor;
  });
}

TEST(HostOperator, RunsARegisteredFunction) {
  register_scale();
  const Tensor tensor = counting<float>(kShape, cpu);
  Operator(cpu, "scale").launch(std::vector<Argument>{tensor, 3.0f}, {{64, 1, 1}});
  EXPECT_EQ(values_of<float>(tensor)[63], 189.0f);
}

TEST(HostOperator, ThatThrowsFailsItsLaunch) {
  register_host_operator("refuse", [](const dlport_launch&) { throw Error(ErrorCode::unsupported, "not today"); });
  const Operator refuse(cpu, "refuse");
  expect_error(ErrorCode::unsupported, "not today", [&] { refuse.launch({}, {}); });
}

TEST(HostOperator, ThatNobodyRegisteredIsNotFound) {
  expect_error(ErrorCode::not_found, "no host operator is registered as 'fly'", [] { Operator(cpu, "fly"); });
}

TEST(HostOperator, TakesNoCode) {
  expect_error(ErrorCode::invalid_argument,
               "the cpu driver compiles nothing, but 'scale' came with code: register a function under that name",
               [] { Operator(cpu, "scale", "int main() {}"); });
}

TEST(Launch, RefusesWhatDoesNotFit) {
  register_scale();
  const Operator scale(cpu, "scale");
  const Tensor tensor = counting<float>(kShape, cpu);
  expect_error(ErrorCode::invalid_argument, "launch.global[1] = 0: there is at least one work item",
               [&] { scale.launch(std::vector<Argument>{tensor, 1.0f}, {{64, 0, 1}}); });
  expect_error(ErrorCode::invalid_argument, "launch.local[0] = 7 does not divide the 64 work items",
               [&] { scale.launch(std::vector<Argument>{tensor, 1.0f}, {{64, 1, 1}, {7, 0, 0}}); });
}

class OpenCl : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!find_driver(opencl0)) GTEST_SKIP() << "no OpenCL platform here: apt-get install pocl-opencl-icd";
  }
  static constexpr const char* kScale =
      "kernel void scale(global float* x, float factor) { x[get_global_id(0)] *= factor; }";
};

TEST_F(OpenCl, RunsAKernelFromSource) {
  const Tensor tensor = counting<float>(kShape, opencl0);
  Operator(opencl0, "scale", kScale).launch(std::vector<Argument>{tensor, 2.0f}, {{64, 1, 1}});
  EXPECT_EQ(values_of<float>(tensor)[63], 126.0f);
}

TEST_F(OpenCl, RunsOnAPartOfABuffer) {
  const Tensor tensor = counting<float>(std::vector<int64_t>{128}, opencl0);
  const Tensor half = tensor.slice(0, 64, 128);
  Operator(opencl0, "scale", kScale).launch(std::vector<Argument>{half, 2.0f}, {{64, 1, 1}});
  EXPECT_EQ(values_of<float>(tensor)[63], 63.0f);
  EXPECT_EQ(values_of<float>(tensor)[64], 128.0f);
}

TEST_F(OpenCl, RefusesAPartThatAKernelCannotBeginAt) {
  const Tensor tensor = counting<float>(kShape, opencl0).slice(0, 1, 64);
  EXPECT_THROW(Operator(opencl0, "scale", kScale).launch(std::vector<Argument>{tensor, 2.0f}, {{63, 1, 1}}), Error);
}

TEST_F(OpenCl, PutsTheCompilersLogIntoTheError) {
  try {
    Operator(opencl0, "scale", "kernel void scale(global float* x) { x[0] = undeclared; }");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("undeclared"), std::string::npos) << error.what();
  }
}

TEST_F(OpenCl, NamesAKernelThatIsNotInTheCode) {
  expect_error(ErrorCode::not_found, "the OpenCL code has no kernel 'shrink'",
               [] { Operator(opencl0, "shrink", kScale); });
}

TEST_F(OpenCl, ChecksArguments) {
  const Operator scale(opencl0, "scale", kScale);
  const Tensor tensor = counting<float>(kShape, opencl0), host = counting<float>(kShape, cpu);
  expect_error(ErrorCode::invalid_argument, "the kernel 'scale' takes 2 arguments, and was launched with 1",
               [&] { scale.launch(std::vector<Argument>{tensor}, {{64, 1, 1}}); });
  expect_error(ErrorCode::invalid_argument, "argument 0 is a tensor on cpu:0, and the operator is opencl:0's",
               [&] { scale.launch(std::vector<Argument>{host, 1.0f}, {{64, 1, 1}}); });
}

TEST_F(OpenCl, LaunchesOneKernelFromManyThreads) {
  const Operator scale(opencl0, "scale", kScale);
  std::vector<Tensor> tensors;
  for (int i = 0; i < 4; ++i) tensors.push_back(counting<float>(kShape, opencl0));
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        const Stream stream(opencl0);
        for (int round = 0; round < 20; ++round) {
          const float factor = i % 2 ? -1.0f : 1.0f;
          scale.launch(std::vector<Argument>{tensors[i], factor}, {{64, 1, 1}}, &stream);
        }
        stream.synchronise();
      });
    }
  }
  for (const Tensor& tensor : tensors) EXPECT_EQ(values_of<float>(tensor)[63], 63.0f);
}

TEST_F(OpenCl, KeepsTheOrderOfAStream) {
  const Operator scale(opencl0, "scale", kScale);
  const Stream stream(opencl0);
  const Tensor tensor = counting<float>(kShape, opencl0);
  for (int round = 0; round < 8; ++round) scale.launch(std::vector<Argument>{tensor, 2.0f}, {{64, 1, 1}}, &stream);
  const Tensor host = Tensor::empty(kShape, float32);
  copy(host, tensor, &stream);
  stream.synchronise();
  EXPECT_EQ(values_of<float>(host)[1], 256.0f);
}

}  // namespace
}  // namespace dlport
