// Operators are functions of modules loaded from PTX or cubin.
#include <array>
#include <climits>
#include <memory>
#include <string>
#include <vector>

#include "drivers/cuda/devices.hpp"
#include "drivers/cuda/functions.hpp"
#include "drivers/handles.hpp"
#include "drivers/launch_checks.hpp"
#include "drivers/status.hpp"

namespace dlport::drivers::cuda {
namespace {

struct CuOperator {
  explicit CuOperator(const CuDevice& on) : device(on) {}
  CuOperator(const CuOperator&) = delete;
  CuOperator& operator=(const CuOperator&) = delete;
  ~CuOperator() {
    if (module) api().ModuleUnload(module);
  }

  const CuDevice& device;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
};

/// Loads PTX or cubin; what ptxas has to say goes into the error.
void load_module(CuOperator& made, const dlport_operator_source& source) {
  const std::string image(static_cast<const char*>(source.code), source.code_size);  // PTX has to end in a zero
  std::array<char, 8192> log{};
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  const CUresult result = api().ModuleLoadDataEx(&made.module, image.c_str(), 2, options, values);
  if (result != CUDA_SUCCESS && log[0] != '\0') {
    throw Error(ErrorCode::invalid_argument,
                std::string("the code of '") + source.name + "' does not compile: " + log.data());
  }
  check(result, "cuModuleLoadDataEx");
}

/// Blocks and threads of one direction; without a wish 128 threads side by side.
struct Extent1D {
  unsigned blocks, threads;
};

Extent1D extent_of(const dlport_launch& launch, int axis) {
  const uint64_t global = launch.global[axis];
  uint64_t threads = launch.local[axis];
  if (threads == 0) {
    threads = 1;
    while (axis == 0 && threads < 128 && global % (threads * 2) == 0) threads *= 2;
  }
  if (threads > UINT_MAX || global / threads > INT_MAX) {
    throw Error(ErrorCode::invalid_argument, "launch.global[" + std::to_string(axis) + "] = " + std::to_string(global) +
                                                 " is more than CUDA counts");
  }
  return {static_cast<unsigned>(global / threads), static_cast<unsigned>(threads)};
}

}  // namespace

dlport_status operator_create(DLDevice device, const dlport_operator_source* source, dlport_operator* op) {
  return guarded([&] {
    const CuDevice& on = device_of(device);
    check_source(source);
    require(op, "op");
    if (!source->code) {
      throw Error(ErrorCode::not_found, std::string("the cuda driver has no operator '") + source->name +
                                            "' of its own: give it PTX or cubin");
    }
    const Current current(on);
    auto made = std::make_unique<CuOperator>(on);
    load_module(*made, *source);
    const CUresult result = api().ModuleGetFunction(&made->function, made->module, source->name);
    if (result == CUDA_ERROR_NOT_FOUND) {
      throw Error(ErrorCode::not_found, std::string("the module has no function '") + source->name + "'");
    }
    check(result, "cuModuleGetFunction");
    *op = give<dlport_operator>(std::move(made));
  });
}

dlport_status operator_destroy(DLDevice device, dlport_operator op) {
  return guarded([&] {
    const Current current(device_of(device));
    take<CuOperator>(op).reset();
  });
}

dlport_status operator_launch(DLDevice device, dlport_operator op, const dlport_launch* launch, dlport_stream stream) {
  return guarded([&] {
    const CuDevice& on = device_of(device);
    const CuOperator& made = object_of<CuOperator>(op, "op");
    const auto arguments = check_launch(device, launch);
    std::vector<CUdeviceptr> places(arguments.size());
    std::vector<void*> values(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      const dlport_argument& argument = arguments[i];
      if (argument.tensor) {
        places[i] = reinterpret_cast<CUdeviceptr>(argument.tensor->data) + argument.tensor->byte_offset;
        values[i] = &places[i];
      } else {
        values[i] = const_cast<void*>(argument.value);
      }
    }
    const Extent1D x = extent_of(*launch, 0), y = extent_of(*launch, 1), z = extent_of(*launch, 2);
    const Current current(on);
    check(api().LaunchKernel(made.function, x.blocks, y.blocks, z.blocks, x.threads, y.threads, z.threads,
                             launch->shared_memory, stream_of(stream), values.data(), nullptr),
          "cuLaunchKernel");
    settle(stream);
  });
}

}  // namespace dlport::drivers::cuda
