// Copies between layouts beside memcpy of the same bytes, both measured in turns: "memcpy" is how many of those a copy
// takes, the best of either. bench/layouts.py sets the same copies beside PyTorch and NumPy.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "dlport/exchange.hpp"
#include "dlport/tensor.hpp"

namespace {

using dlport::DType;
using dlport::Tensor;

struct Work {
  const char* name;
  std::vector<int64_t> shape;
  std::vector<int> axes;  // of the source, in the order that the copy has them
};

const Work kWorks[] = {
    {"contiguous_4KB", {1024}, {0}},
    {"contiguous_4MB", {1 << 20}, {0}},
    {"contiguous_256MB", {1 << 26}, {0}},
    {"transpose_1000", {1000, 1000}, {1, 0}},
    {"transpose_1024", {1024, 1024}, {1, 0}},
    {"transpose_4096", {4096, 4096}, {1, 0}},
    {"NCHW_to_NHWC", {8, 64, 56, 56}, {0, 2, 3, 1}},
    {"NHWC_to_NCHW", {8, 56, 56, 64}, {0, 3, 1, 2}},
    {"image_to_planes", {8, 224, 224, 3}, {0, 3, 1, 2}},
    {"heads", {8, 128, 12, 64}, {0, 2, 1, 3}},
    {"all_axes_reversed", {32, 32, 32, 32}, {3, 2, 1, 0}},
};

template <class Copy>
double seconds(Copy copy) {
  const auto start = std::chrono::steady_clock::now();
  copy();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void copy_layout(benchmark::State& state, const Work& work, DType dtype) {
  const Tensor src = Tensor::empty(work.shape, dtype), permuted = src.permute(work.axes);
  const Tensor dst = Tensor::empty(permuted.shape(), dtype);
  const auto bytes = static_cast<size_t>(src.nbytes());
  std::memset(src.data(), 1, bytes);
  std::memset(dst.data(), 2, bytes);
  double ours = INFINITY, theirs = INFINITY;
  for (auto _ : state) {
    theirs = std::min(theirs, seconds([&] { std::memcpy(dst.data(), src.data(), bytes); }));
    const double once = seconds([&] { dlport::copy_strided(dst, permuted); });
    ours = std::min(ours, once);
    state.SetIterationTime(once);
  }
  state.counters["memcpy"] = ours / theirs;
  state.SetBytesProcessed(state.iterations() * src.nbytes());
}

const bool kRegistered = [] {
  for (const DType dtype : {dlport::uint8, dlport::float16, dlport::float32, dlport::float64, dlport::complex128}) {
    for (const Work& work : kWorks) {
      const std::string name = std::string("copy/") + work.name + "/" + to_string(dtype);
      benchmark::RegisterBenchmark(name.c_str(), copy_layout, work, dtype)->UseManualTime()->MinTime(0.1);
    }
  }
  return true;
}();

}  // namespace
