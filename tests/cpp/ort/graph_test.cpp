#include <gtest/gtest.h>

#include <vector>

#include "dlport/error.hpp"
#include "dlport/ort.hpp"

namespace dlport::ort {
namespace {

Tensor vector_of(std::vector<float> values) {
  const int64_t shape[] = {static_cast<int64_t>(values.size())};
  Tensor tensor = Tensor::empty(shape, float32);
  std::copy(values.begin(), values.end(), static_cast<float*>(tensor.data()));
  return tensor;
}

std::vector<float> values_of(const Tensor& tensor) {
  auto* first = static_cast<const float*>(tensor.data());
  return {first, first + tensor.numel()};
}

/// Runs a graph of float vectors of any length.
std::vector<float> run(const Executable& executable, std::vector<Tensor> inputs, int64_t length) {
  Tensor output = Tensor::empty(std::vector<int64_t>{length}, float32);
  std::vector<TensorView> views(inputs.begin(), inputs.end());
  const TensorView outputs[] = {output.view()};
  executable.run(views, outputs);
  return values_of(output);
}

const int64_t kAnyLength[] = {-1};

TEST(Graph, RunsANodeOnMemoryThatTheCallerOwns) {
  Graph graph;
  const Value a = graph.input(float32, kAnyLength), b = graph.input(float32, kAnyLength);
  graph.output(graph.node("Add", std::vector{a, b})[0], float32, kAnyLength);
  const auto add = graph.compile();
  EXPECT_EQ(run(*add, {vector_of({1, 2}), vector_of({10, 20})}, 2), (std::vector<float>{11, 22}));
  EXPECT_EQ(run(*add, {vector_of({1, 2, 3}), vector_of({1, 1, 1})}, 3), (std::vector<float>{2, 3, 4}));
}

TEST(Graph, ReadsConstantsInPlaceWhateverTheirSize) {
  for (int64_t length : {1, 1000}) {
    Graph graph;
    const Value x = graph.input(float32, kAnyLength);
    const Value two = graph.constant(vector_of(std::vector<float>(static_cast<size_t>(length), 2)));
    graph.output(graph.node("Mul", std::vector{x, two})[0], float32, kAnyLength);
    const auto twice = graph.compile();
    const auto result = run(*twice, {vector_of(std::vector<float>(static_cast<size_t>(length), 21))}, length);
    EXPECT_EQ(result, std::vector<float>(static_cast<size_t>(length), 42));
  }
}

TEST(Graph, PassesAttributesOfEveryKindThatAnOperatorTakes) {
  Graph graph;
  const Value x = graph.input(float32, kAnyLength);
  const Value scaled = graph.node("LeakyRelu", std::vector{x}, 1, {{"alpha", 0.5f}})[0];
  const Value axes = graph.constant([] {
    Tensor axis = Tensor::empty(std::vector<int64_t>{1}, int64);
    *static_cast<int64_t*>(axis.data()) = 0;
    return axis;
  }());
  const Value sum = graph.node("ReduceSum", std::vector{scaled, axes}, 1, {{"keepdims", int64_t{1}}})[0];
  graph.output(sum, float32, kAnyLength);
  EXPECT_EQ(run(*graph.compile(), {vector_of({-2, 2})}, 1), (std::vector<float>{1}));
}

TEST(Graph, SaysThatATensorAttributeHasToBeAConstant) {
  Graph graph;
  graph.output(graph.node("Constant", {}, 1, {{"value", vector_of({7, 8})}})[0], float32, kAnyLength);
  try {
    graph.compile();
    FAIL() << "compiled";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("make it a constant"), std::string::npos) << error.what();
  }
}

TEST(Graph, RunsOnTensorsWithoutElements) {
  Graph graph;
  const Value x = graph.input(float32, kAnyLength);
  graph.output(graph.node("Relu", std::vector{x})[0], float32, kAnyLength);
  EXPECT_TRUE(run(*graph.compile(), {vector_of({})}, 0).empty());
}

TEST(Graph, RefusesAnOperatorThatDoesNotExist) {
  Graph graph;
  const Value x = graph.input(float32, kAnyLength);
  graph.output(graph.node("NoSuchOperator", std::vector{x})[0], float32, kAnyLength);
  try {
    graph.compile();
    FAIL() << "compiled";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("NoSuchOperator"), std::string::npos) << error.what();
  }
}

TEST(Executable, RefusesAnotherNumberOfTensors) {
  Graph graph;
  const Value x = graph.input(float32, kAnyLength);
  graph.output(graph.node("Relu", std::vector{x})[0], float32, kAnyLength);
  EXPECT_THROW(run(*graph.compile(), {vector_of({1}), vector_of({1})}, 1), Error);
}

TEST(Executable, WritesNothingOutsideAnOutputOfTheWrongShape) {
  Graph graph;
  const Value x = graph.input(float32, kAnyLength);
  graph.output(graph.node("Relu", std::vector{x})[0], float32, kAnyLength);
  const auto relu = graph.compile();
  for (int64_t length : {0, 2, 6}) {
    EXPECT_THROW(run(*relu, {vector_of({1, 2, 3, 4})}, length), Error) << length;
  }
  EXPECT_EQ(run(*relu, {vector_of({1, -2})}, 2), (std::vector<float>{1, 0})) << "still usable";
}

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

}  // namespace
}  // namespace dlport::ort
