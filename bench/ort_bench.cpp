// One operator through dlport beside the same through bare calls of ONNX Runtime's C API, in one run.
//
// "bare_run" is Run alone on values made before; "bare_call" makes and releases the values around it, as every caller
// whose tensors change has to.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

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

struct Tensors {
  Tensor a = Tensor::empty(kFour, float32), b = Tensor::empty(kFour, float32), c = Tensor::empty(kFour, float32);
  std::vector<TensorView> inputs{a, b}, outputs{c};
};

/// The C API as a C program would call it.
class Bare {
 public:
  Bare() {
    devices();  // makes the environment, which is one a process
    const char* path = std::getenv("DLPORT_ORT_LIBRARY");
    void* library = dlopen(path ? path : "libonnxruntime.so", RTLD_NOW);
    struct Base {
      void* const* (*get)(uint32_t);
    };
    table_ = reinterpret_cast<const Base* (*)()>(dlsym(library, "OrtGetApiBase"))()->get(23);
    call(3, 3, static_cast<const char*>("bench"), &environment_);
    call(10, &options_);
    call(24, options_, 1);
    const std::string model = addition().to_onnx();
    call(8, environment_, static_cast<const void*>(model.data()), model.size(), options_, &session_);
    call(69, 0, 0, &memory_);
  }

  void* value(const Tensor& tensor) const {
    void* value = nullptr;
    call(49, memory_, tensor.data(), size_t{16}, static_cast<const int64_t*>(kFour), size_t{1}, 1, &value);
    return value;
  }
  void release(void* value) const { reinterpret_cast<void (*)(void*)>(table_[96])(value); }
  void run(void* const* inputs, void** outputs) const {
    static const char* const kInputs[] = {"a", "b"};
    static const char* const kOutputs[] = {"c"};
    call(9, session_, static_cast<void*>(nullptr), static_cast<const char* const*>(kInputs), inputs, size_t{2},
         static_cast<const char* const*>(kOutputs), size_t{1}, outputs);
  }

 private:
  template <class... Arguments>
  void call(int index, Arguments... arguments) const {
    if (reinterpret_cast<void* (*)(Arguments...)>(table_[index])(arguments...)) std::abort();
  }

  void* const* table_;
  void *environment_ = nullptr, *options_ = nullptr, *session_ = nullptr, *memory_ = nullptr;
};

const Bare& bare() {
  static const Bare made;
  return made;
}

void bare_run(benchmark::State& state) {
  const Tensors tensors;
  void* inputs[] = {bare().value(tensors.a), bare().value(tensors.b)};
  void* outputs[] = {bare().value(tensors.c)};
  for (auto _ : state) bare().run(inputs, outputs);
}
BENCHMARK(bare_run);

void bare_call(benchmark::State& state) {
  const Tensors tensors;
  for (auto _ : state) {
    void* inputs[] = {bare().value(tensors.a), bare().value(tensors.b)};
    void* outputs[] = {bare().value(tensors.c)};
    bare().run(inputs, outputs);
    for (void* value : {inputs[0], inputs[1], outputs[0]}) bare().release(value);
  }
}
BENCHMARK(bare_call);

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
