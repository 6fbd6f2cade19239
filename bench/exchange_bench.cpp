// What taking over and handing out a tensor costs: nanoseconds and allocations, whatever its size and dimensions.
#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#include "dlport/exchange.hpp"
#include "dlport/tensor.hpp"

namespace {

std::atomic<int64_t> allocations = 0;

}  // namespace

extern "C" void* __libc_malloc(size_t size);  // NOLINT: glibc's own name

/// Every allocation of this process passes here, whichever library asks for it.
extern "C" void* malloc(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}

namespace {

using dlport::Tensor;

/// A foreign float32 tensor of `bytes` bytes and `ndim` dimensions, over memory that is reserved and never touched.
struct Foreign {
  std::vector<int64_t> shape;
  DLManagedTensorVersioned managed{};

  Foreign(int64_t bytes, int ndim) : shape(static_cast<size_t>(ndim), 1) {
    static void* const reserved =
        mmap(nullptr, size_t{1} << 32, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (ndim > 0) shape[0] = bytes / 4;
    managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    managed.deleter = [](DLManagedTensorVersioned*) {};
    managed.dl_tensor = {reserved, {kDLCPU, 0}, ndim, {kDLFloat, 32, 1}, shape.data(), nullptr, 0};
  }
};

void report_allocations(benchmark::State& state, int64_t before) {
  state.counters["allocations"] = static_cast<double>(allocations - before) / static_cast<double>(state.iterations());
}

void import_bytes(benchmark::State& state) {
  Foreign foreign(state.range(0), 2);
  const int64_t before = allocations;
  for (auto _ : state) benchmark::DoNotOptimize(Tensor::from_managed(&foreign.managed));
  report_allocations(state, before);
}
BENCHMARK(import_bytes)->Arg(4)->Arg(1 << 12)->Arg(1 << 22)->Arg(int64_t{1} << 32);

void import_dimensions(benchmark::State& state) {
  Foreign foreign(4096, static_cast<int>(state.range(0)));
  const int64_t before = allocations;
  for (auto _ : state) benchmark::DoNotOptimize(Tensor::from_managed(&foreign.managed));
  report_allocations(state, before);
}
BENCHMARK(import_dimensions)->DenseRange(0, 8);

void validate_only(benchmark::State& state) {
  Foreign foreign(4096, static_cast<int>(state.range(0)));
  for (auto _ : state) dlport::validate(foreign.managed.dl_tensor);
}
BENCHMARK(validate_only)->Arg(0)->Arg(4)->Arg(8);

void export_versioned(benchmark::State& state) {
  Foreign foreign(4096, 4);
  const Tensor tensor = Tensor::from_managed(&foreign.managed);
  const int64_t before = allocations;
  for (auto _ : state) {
    DLManagedTensorVersioned* exported = tensor.to_managed();
    exported->deleter(exported);
  }
  report_allocations(state, before);
}
BENCHMARK(export_versioned);

void export_legacy(benchmark::State& state) {
  Foreign foreign(4096, 4);
  const Tensor tensor = Tensor::from_managed(&foreign.managed);
  const int64_t before = allocations;
  for (auto _ : state) {
    DLManagedTensor* exported = tensor.to_managed_legacy();
    exported->deleter(exported);
  }
  report_allocations(state, before);
}
BENCHMARK(export_legacy);

void view(benchmark::State& state) {
  Foreign foreign(4096, 4);
  const Tensor tensor = Tensor::from_managed(&foreign.managed);
  const int64_t before = allocations;
  for (auto _ : state) benchmark::DoNotOptimize(tensor.select(0, 1));
  report_allocations(state, before);
}
BENCHMARK(view);

}  // namespace
