#include <atomic>
#include <thread>

#include "dlport/ort_launch.hpp"
#include "dlport/ort_session.hpp"
#include "fixtures.hpp"

namespace dlport::ort {
namespace {

class Launch : public OnDevice {
 protected:
  LaunchOptions options() const { return {.device = device_}; }
};
INSTANTIATE_TEST_SUITE_P(Providers, Launch, kDevices);

TEST_P(Launch, RunsAnOperatorByName) {
  const auto sum = launch("Add", {vector_of({1, 2}), vector_of({10, 20})}, {}, options());
  EXPECT_EQ(values_of(sum.at(0)), (std::vector<float>{11, 22}));
}

TEST_P(Launch, TakesAttributes) {
  const Tensor a = tensor_of<float>({1, 2}, {1, 2}, float32), b = tensor_of<float>({1, 2}, {3, 4}, float32);
  const Attribute attributes[] = {{"transB", int64_t{1}}, {"alpha", 2.0f}};
  EXPECT_EQ(values_of(launch("Gemm", {a, b}, attributes, options()).at(0)), (std::vector<float>{22}));
}

TEST_P(Launch, WritesIntoTensorsThatItIsGiven) {
  const Tensor x = vector_of({1, -1}), result = vector_of({0, 0});
  const Operand inputs[] = {x};
  const TensorView outputs[] = {result};
  launch_into("Relu", inputs, outputs, {}, options());
  EXPECT_EQ(values_of(result), (std::vector<float>{1, 0}));
}

TEST_P(Launch, RefusesAnOutputThatTheResultDoesNotFit) {
  const Tensor x = vector_of({1, -1, 3, 4});
  const Operand inputs[] = {x};
  for (const auto& [shape, expected] :
       {std::pair<std::vector<int64_t>, bool>{{4}, true}, {{3}, false}, {{5}, false}, {{2, 2}, false}, {{0}, false}}) {
    std::vector<float> guarded(24, 7);
    const Tensor output = Tensor::from_blob(guarded.data() + 8, shape, {}, float32, cpu, nullptr, nullptr);
    const TensorView outputs[] = {output};
    const auto run = [&] { launch_into("Relu", inputs, outputs, {}, options()); };
    if (expected) {
      run();
    } else {
      EXPECT_THROW(run(), Error) << dlport::to_string(Shape(shape));
    }
    for (size_t i = 0; i < guarded.size(); ++i) {
      const bool outside = i < 8 || i >= 8 + static_cast<size_t>(numel(shape));
      EXPECT_TRUE(!outside || guarded[i] == 7) << i;
    }
  }
}

TEST(LaunchInputs, MayBeLeftOut) {
  const Tensor x = vector_of({-5, 5}), largest = tensor_of<float>({}, {2}, float32);
  const Operand inputs[] = {x, std::nullopt, largest};
  EXPECT_EQ(values_of(launch("Clip", inputs).at(0)), (std::vector<float>{-5, 2}));
}

TEST(LaunchInputs, MayBeStridedAndAreThenCopiedAndCounted) {
  const Tensor wide = tensor_of<float>({2, 2}, {1, 2, 3, 4}, float32);
  const int swapped[] = {1, 0};
  const uint64_t before = strided_copies();
  EXPECT_EQ(values_of(launch("Identity", {wide.permute(swapped)}).at(0)), (std::vector<float>{1, 3, 2, 4}));
  EXPECT_EQ(strided_copies(), before + 1);
}

TEST(LaunchOutputs, MayBeChosen) {
  const Tensor x = vector_of({1, 5, 3}), k = integers({2});
  const Operand inputs[] = {x, k};
  const bool indices_only[] = {false, true};
  const auto outputs = launch("TopK", inputs, {}, {.wanted = indices_only});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(values_of<int64_t>(outputs[0]), (std::vector<int64_t>{1, 2}));
}

TEST(LaunchOutputs, OutliveTheCompiledOperator) {
  set_launch_capacity(1);
  const Tensor kept = launch("Neg", {vector_of({1, 2})}).at(0);
  launch("Abs", {vector_of({1, 2})});
  EXPECT_EQ(launch_counters().size, 1u);
  EXPECT_EQ(values_of(kept), (std::vector<float>{-1, -2}));
  set_launch_capacity(1024);
}

TEST(LaunchCache, CompilesOnceForEachKindOfCall) {
  const Attribute alpha[] = {{"alpha", 0.25f}};
  launch("LeakyRelu", {vector_of({1})}, alpha);
  const LaunchCounters before = launch_counters();
  launch("LeakyRelu", {vector_of({1, 2, 3})}, alpha);  // another length is no other kind
  EXPECT_EQ(launch_counters().hits, before.hits + 1);
  const Attribute other[] = {{"alpha", 0.5f}};
  launch("LeakyRelu", {vector_of({1})}, other);
  EXPECT_EQ(launch_counters().misses, before.misses + 1);
}

TEST(LaunchDomains, ReachOperatorsOfOtherDomains) {
  const auto result =
      launch("FusedMatMul", {tensor_of<float>({1, 2}, {1, 2}, float32), tensor_of<float>({2, 1}, {3, 4}, float32)}, {},
             {.domain = "com.microsoft"});
  EXPECT_EQ(values_of(result.at(0)), (std::vector<float>{11}));
}

TEST(LaunchErrors, NameTheOperatorAndKeepOnnxRuntimesWords) {
  expect_error(ErrorCode::unsupported, {"NoSuchOperator"}, [] { launch("NoSuchOperator", {vector_of({1})}); });
  const Attribute bad[] = {{"nonsense", int64_t{1}}};
  expect_error(ErrorCode::unsupported, {"Relu", "nonsense"}, [&] { launch("Relu", {vector_of({1})}, bad); });
  expect_error(ErrorCode::unsupported, {"Add"}, [] { launch("Add", {vector_of({1}), integers({1})}); });
  EXPECT_EQ(values_of(launch("Relu", {vector_of({-1})}).at(0)), (std::vector<float>{0})) << "still usable";
}

TEST(LaunchThreads, ShareTheCache) {
  constexpr int kThreads = 8;
  const int calls = std::getenv("DLPORT_TEST_LONG") ? 100'000 : 1'000;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int id = 0; id < kThreads; ++id) {
    threads.emplace_back([&, id] {
      const Tensor x = vector_of({static_cast<float>(id), 1});
      for (int call = 0; call < calls; ++call) {
        const char* op = call % 3 ? "Neg" : "Abs";
        const float expected = static_cast<float>(call % 3 ? -id : id);
        if (values_of(launch(op, {x}).at(0))[0] != expected) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace dlport::ort
