// The drivers beside what a program would call instead, in one run: memcpy, and OpenCL's own functions.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "dlport/driver.hpp"
#include "drivers/opencl/devices.hpp"

namespace dlport {
namespace {

namespace cl = drivers::opencl;

constexpr Device opencl0{kDLOpenCL, 0};
constexpr int64_t kLarge = 256 << 20;

/// Two blocks of host memory, made and touched by the cpu driver.
struct Blocks {
  Tensor dst = empty(std::vector<int64_t>{kLarge}, uint8, cpu), src = empty(std::vector<int64_t>{kLarge}, uint8, cpu);
  Blocks() {
    std::memset(dst.data(), 1, kLarge);
    std::memset(src.data(), 2, kLarge);
  }
};

void host_copy_memcpy(benchmark::State& state) {
  const Blocks blocks;
  for (auto _ : state) {
    std::memcpy(blocks.dst.data(), blocks.src.data(), kLarge);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * kLarge);
}
BENCHMARK(host_copy_memcpy)->UseRealTime();

void host_copy_driver(benchmark::State& state) {
  const Blocks blocks;
  const dlport_driver& driver = driver_for(cpu);
  for (auto _ : state) {
    check(driver, driver.copy({cpu, blocks.dst.data(), 0}, {cpu, blocks.src.data(), 0}, kLarge, nullptr));
  }
  state.SetBytesProcessed(state.iterations() * kLarge);
}
BENCHMARK(host_copy_driver)->UseRealTime();

/// A buffer on the first OpenCL device and as much host memory; `bytes` of both.
struct Buffers {
  explicit Buffers(int64_t bytes)
      : size(static_cast<size_t>(bytes)),
        there(empty(std::vector<int64_t>{bytes}, uint8, opencl0)),
        here(static_cast<size_t>(bytes), 'x'),
        memory(static_cast<cl::cl_mem>(there.dltensor().data)),
        queue(cl::device_of(opencl0).queue) {}
  size_t size;
  Tensor there;
  std::vector<char> here;
  cl::cl_mem memory;
  cl::cl_command_queue queue;
};

bool skipped(benchmark::State& state) {
  if (find_driver(opencl0)) return false;
  state.SkipWithError("no OpenCL device here");
  return true;
}

void opencl_write_raw(benchmark::State& state) {
  if (skipped(state)) return;
  Buffers b(state.range(0));
  for (auto _ : state) {
    cl::api().EnqueueWriteBuffer(b.queue, b.memory, 1, 0, b.size, b.here.data(), 0, nullptr, nullptr);
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(opencl_write_raw)->Arg(4 << 10)->Arg(64 << 20)->UseRealTime();

void opencl_write_driver(benchmark::State& state) {
  if (skipped(state)) return;
  Buffers b(state.range(0));
  const dlport_driver& driver = driver_for(opencl0);
  for (auto _ : state) check(driver, driver.write({opencl0, b.memory, 0}, b.here.data(), b.size, nullptr));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(opencl_write_driver)->Arg(4 << 10)->Arg(64 << 20)->UseRealTime();

void opencl_read_raw(benchmark::State& state) {
  if (skipped(state)) return;
  Buffers b(state.range(0));
  for (auto _ : state) {
    cl::api().EnqueueReadBuffer(b.queue, b.memory, 1, 0, b.size, b.here.data(), 0, nullptr, nullptr);
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(opencl_read_raw)->Arg(4 << 10)->Arg(64 << 20)->UseRealTime();

void opencl_read_driver(benchmark::State& state) {
  if (skipped(state)) return;
  Buffers b(state.range(0));
  const dlport_driver& driver = driver_for(opencl0);
  for (auto _ : state) check(driver, driver.read(b.here.data(), {opencl0, b.memory, 0}, b.size, nullptr));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(opencl_read_driver)->Arg(4 << 10)->Arg(64 << 20)->UseRealTime();

constexpr const char* kScale = "kernel void scale(global float* x, float factor) { x[get_global_id(0)] *= factor; }";

void opencl_launch_raw(benchmark::State& state) {
  if (skipped(state)) return;
  Buffers b(64);
  const auto& on = cl::device_of(opencl0);
  const size_t length = std::strlen(kScale);
  const char* text = kScale;
  int32_t code = 0;
  auto* program = cl::api().CreateProgramWithSource(on.context, 1, &text, &length, &code);
  cl::api().BuildProgram(program, 1, &on.id, "", nullptr, nullptr);
  auto* kernel = cl::api().CreateKernel(program, "scale", &code);
  const size_t global[] = {16, 1, 1};
  const float factor = 1.0f;
  for (auto _ : state) {
    cl::api().SetKernelArg(kernel, 0, sizeof(b.memory), &b.memory);
    cl::api().SetKernelArg(kernel, 1, sizeof(factor), &factor);
    cl::api().EnqueueNDRangeKernel(b.queue, kernel, 3, nullptr, global, nullptr, 0, nullptr, nullptr);
    cl::api().Finish(b.queue);
  }
  cl::api().ReleaseKernel(kernel);
  cl::api().ReleaseProgram(program);
}
BENCHMARK(opencl_launch_raw)->UseRealTime();

void opencl_launch_driver(benchmark::State& state) {
  if (skipped(state)) return;
  const Tensor there = empty(std::vector<int64_t>{16}, float32, opencl0);
  const Operator scale(opencl0, "scale", kScale);
  const float factor = 1.0f;
  const Argument arguments[] = {there, factor};
  for (auto _ : state) scale.launch(arguments, {{16, 1, 1}});
}
BENCHMARK(opencl_launch_driver)->UseRealTime();

void host_launch_raw(benchmark::State& state) {
  const HostFunction function = [](const dlport_launch& launch) { benchmark::DoNotOptimize(launch.global[0]); };
  dlport_launch launch{};
  for (auto _ : state) function(launch);
}
BENCHMARK(host_launch_raw);

void host_launch_driver(benchmark::State& state) {
  register_host_operator("nothing", [](const dlport_launch& launch) { benchmark::DoNotOptimize(launch.global[0]); });
  const Tensor here = empty(std::vector<int64_t>{16}, float32, cpu);
  const Operator nothing(cpu, "nothing");
  const Argument arguments[] = {here};
  for (auto _ : state) nothing.launch(arguments, {});
}
BENCHMARK(host_launch_driver);

}  // namespace
}  // namespace dlport
