#include <memory>
#include <utility>

#include "fixtures.hpp"

namespace dlport::ort {
namespace {

/// Runs a graph of float vectors of any length.
std::vector<float> run(const Executable& executable, std::vector<Tensor> inputs, int64_t length) {
  Tensor output = Tensor::empty(std::vector<int64_t>{length}, float32);
  std::vector<TensorView> views(inputs.begin(), inputs.end());
  const TensorView outputs[] = {output.view()};
  executable.run(views, outputs);
  return values_of(output);
}

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

TEST(Graph, TakesConstantsOfAnyLayout) {
  const Tensor rows = tensor_of<float>({2, 3}, {0, 1, 2, 3, 4, 5}, float32);
  const int64_t shape[] = {3, 2};
  Graph graph;
  const Value x = graph.input(float32, shape), kept = graph.constant(rows.permute(std::vector<int>{1, 0}));
  graph.output(graph.node("Add", std::vector{x, kept})[0], float32, shape);
  const Tensor zeros = tensor_of<float>({3, 2}, {0, 0, 0, 0, 0, 0}, float32);
  const std::vector<TensorView> inputs{zeros};
  EXPECT_EQ(values_of(graph.compile()->run(inputs)[0]), (std::vector<float>{0, 3, 1, 4, 2, 5}));
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

TEST(Graph, TakesTensorsAsAttributes) {
  Graph graph;
  graph.output(graph.node("Constant", {}, 1, {{"value", vector_of({7, 8})}})[0], float32, kAnyLength);
  EXPECT_EQ(run(*graph.compile(), {}, 2), (std::vector<float>{7, 8}));
}

TEST(Graph, WorksOutTheTypesOfOutputsThatNobodyGave) {
  Graph graph;
  const Value x = graph.input(float32, kAnyLength);
  graph.output(graph.node("Cast", std::vector{x}, 1, {{"to", int64_t{7}}})[0]);
  const Tensor numbers = vector_of({1, 2});
  const TensorView inputs[] = {numbers};
  const auto outputs = graph.compile()->run(inputs);
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(values_of<int64_t>(outputs[0]), (std::vector<int64_t>{1, 2}));
}

/// y = x + w where `chosen`, else x - w, with branches that read the outer graph's values.
Graph branching(int64_t length) {
  Graph graph;
  const Value chosen = graph.input(boolean, {}), x = graph.input(float32, kAnyLength);
  const Value w = graph.constant(vector_of(std::vector<float>(static_cast<size_t>(length), 1)));
  std::vector<Attribute> branches;
  for (const auto& [name, op] : {std::pair("then_branch", "Add"), std::pair("else_branch", "Sub")}) {
    auto body = std::make_shared<Graph>(graph.subgraph());
    body->output(body->node(op, std::vector{x, w})[0]);
    branches.push_back({name, std::shared_ptr<const Graph>(body)});
  }
  graph.output(graph.node("If", std::vector{chosen}, 1, branches)[0]);
  return graph;
}

TEST(Graph, TakesGraphsAsAttributesWhichReadValuesAroundThem) {
  for (const int64_t length : {1, 100}) {
    const auto compiled = branching(length).compile();
    const Tensor x = vector_of(std::vector<float>(static_cast<size_t>(length), 5));
    for (const bool chosen : {true, false}) {
      const Tensor condition = tensor_of<bool>({}, {chosen}, boolean);
      const TensorView inputs[] = {condition, x};
      EXPECT_EQ(values_of(compiled->run(inputs)[0]).back(), chosen ? 6 : 4);
    }
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

}  // namespace
}  // namespace dlport::ort
