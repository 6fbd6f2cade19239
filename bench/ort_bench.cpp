// One operator and a small model through dlport beside the same through bare calls of ONNX Runtime's C API, in one run.
//
// "bare_run" is Run alone on values made before; "bare_call" makes and releases the values around it, as every caller
// whose tensors change has to.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "dlport/ort_launch.hpp"
#include "dlport/ort_session.hpp"

namespace dlport::ort {
namespace {

const int64_t kAny[] = {-1}, kFour[] = {4};

Graph addition() {
  Graph graph;
  const Value a = graph.input(float32, kAny, "a"), b = graph.input(float32, kAny, "b");
  graph.output(graph.node("Add", std::vector{a, b})[0], float32, kAny, "c");
  return graph;
}

/// 8 x 64 -> 32 -> 10, as small as models come.
Graph perceptron() {
  Graph graph;
  const int64_t input[] = {-1, 64}, result[] = {-1, 10}, wide[] = {64, 32}, narrow[] = {32, 10};
  const auto filled = [&](Shape shape) {
    Tensor weight = Tensor::empty(shape, float32);
    std::fill_n(static_cast<float*>(weight.data()), weight.numel(), 0.01f);
    return graph.constant(weight);
  };
  const Value x = graph.input(float32, input, "a");
  const Value hidden = graph.node("Relu", std::vector{graph.node("MatMul", std::vector{x, filled(wide)})[0]})[0];
  const Value scores = graph.node("MatMul", std::vector{hidden, filled(narrow)})[0];
  graph.output(graph.node("Softmax", std::vector{scores})[0], float32, result, "c");
  return graph;
}

struct Tensors {
  Tensor a = Tensor::empty(kFour, float32), b = Tensor::empty(kFour, float32), c = Tensor::empty(kFour, float32);
  std::vector<TensorView> inputs{a, b}, outputs{c};
};

struct Images {
  const int64_t input[2] = {8, 64}, result[2] = {8, 10};
  Tensor a = Tensor::empty(input, float32), c = Tensor::empty(result, float32);
  std::vector<TensorView> inputs{a}, outputs{c};
  Images() { std::fill_n(static_cast<float*>(a.data()), a.numel(), 0.5f); }
};

/// The C API as a C program would call it.
class Bare {
 public:
  explicit Bare(const Graph& graph) {
    devices();  // makes the environment, which is one a process
    const char* path = std::getenv("DLPORT_ORT_LIBRARY");
    void* library = dlopen(path ? path : "libonnxruntime.so", RTLD_NOW);
    struct Base {
      void* const* (*get)(uint32_t);
    };
    table_ = reinterpret_cast<const Base* (*)()>(dlsym(library, "OrtGetApiBase"))()->get(23);
    void *environment = nullptr, *options = nullptr;
    call(3, 3, static_cast<const char*>("bench"), &environment);
    call(10, &options);
    call(24, options, 1);
    const std::string model = graph.to_onnx();
    call(8, environment, static_cast<const void*>(model.data()), model.size(), options, &session_);
    call(69, 0, 0, &memory_);
  }

  void* value(const TensorView& tensor) const {
    void* value = nullptr;
    call(49, memory_, tensor.data(), static_cast<size_t>(tensor.nbytes()), tensor.shape().data(), tensor.shape().size(),
         1, &value);
    return value;
  }
  void release(void* value) const { reinterpret_cast<void (*)(void*)>(table_[96])(value); }
  void run(void* const* inputs, size_t count, void** output) const {
    static const char* const kInputs[] = {"a", "b"};
    static const char* const kOutputs[] = {"c"};
    call(9, session_, static_cast<void*>(nullptr), static_cast<const char* const*>(kInputs), inputs, count,
         static_cast<const char* const*>(kOutputs), size_t{1}, output);
  }

  /// Values made around the run, as every caller whose tensors change has to.
  void whole_call(const std::vector<TensorView>& inputs, const TensorView& output) const {
    void* values[2];
    for (size_t i = 0; i < inputs.size(); ++i) values[i] = value(inputs[i]);
    void* result = value(output);
    run(values, inputs.size(), &result);
    for (size_t i = 0; i < inputs.size(); ++i) release(values[i]);
    release(result);
  }

 private:
  template <class... Arguments>
  void call(int index, Arguments... arguments) const {
    if (reinterpret_cast<void* (*)(Arguments...)>(table_[index])(arguments...)) std::abort();
  }

  void* const* table_;
  void *session_ = nullptr, *memory_ = nullptr;
};

void bare_run(benchmark::State& state) {
  static const Bare bare(addition());
  const Tensors tensors;
  void* inputs[] = {bare.value(tensors.a), bare.value(tensors.b)};
  void* output = bare.value(tensors.c);
  for (auto _ : state) bare.run(inputs, 2, &output);
}
BENCHMARK(bare_run);

void bare_call(benchmark::State& state) {
  static const Bare bare(addition());
  const Tensors tensors;
  for (auto _ : state) bare.whole_call(tensors.inputs, tensors.c);
}
BENCHMARK(bare_call);

void perceptron_bare_call(benchmark::State& state) {
  static const Bare bare(perceptron());
  const Images images;
  for (auto _ : state) bare.whole_call(images.inputs, images.c);
}
BENCHMARK(perceptron_bare_call);

void perceptron_session_run(benchmark::State& state) {
  const Session session = Session::from_graph(perceptron());
  const Images images;
  for (auto _ : state) session.run(images.inputs, images.outputs);
}
BENCHMARK(perceptron_session_run);

void executable_run(benchmark::State& state) {
  const auto executable = addition().compile();
  const Tensors tensors;
  for (auto _ : state) executable->run(tensors.inputs, tensors.outputs);
}
BENCHMARK(executable_run);

void session_run(benchmark::State& state) {
  const Session session = Session::from_graph(addition());
  const Tensors tensors;
  for (auto _ : state) session.run(tensors.inputs, tensors.outputs);
}
BENCHMARK(session_run);

void session_run_allocating(benchmark::State& state) {
  const Session session = Session::from_graph(addition());
  const Tensors tensors;
  const Datum inputs[] = {tensors.a, tensors.b};
  const Output outputs[] = {{0, {}}};
  for (auto _ : state) benchmark::DoNotOptimize(session.run(inputs, outputs));
}
BENCHMARK(session_run_allocating);

void launch_into_given(benchmark::State& state) {
  const Tensors tensors;
  const Operand inputs[] = {tensors.a, tensors.b};
  for (auto _ : state) launch_into("Add", inputs, tensors.outputs);
}
BENCHMARK(launch_into_given);

void launch_allocating(benchmark::State& state) {
  const Tensors tensors;
  const Operand inputs[] = {tensors.a, tensors.b};
  for (auto _ : state) benchmark::DoNotOptimize(launch("Add", inputs));
}
BENCHMARK(launch_allocating);

}  // namespace
}  // namespace dlport::ort
