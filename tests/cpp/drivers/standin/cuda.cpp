// A STAND-IN for CUDA's driver library, for tests only: no GPU, no kernel ever runs. It keeps "device" memory on the
// host and writes down every call with the arguments that matter, so that the order in which our driver calls CUDA is
// tested where there is no GPU. What real hardware does is tested only where there is some.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "drivers/cuda/api.hpp"

namespace {

using namespace dlport::drivers::cuda;

std::mutex mutex;
std::string journal;
std::vector<CUcontext> current;
std::map<CUevent, bool> recorded;
int made = 0;

/// Adds a line of the journal.
void note(std::string call, std::initializer_list<uintptr_t> values = {}) {
  for (uintptr_t value : values) call += " " + std::to_string(value);
  const std::lock_guard lock(mutex);
  journal += call + "\n";
}

template <class Handle>
Handle handle(uintptr_t value) {
  return reinterpret_cast<Handle>(value);
}

uintptr_t number(const void* handle_) {
  return reinterpret_cast<uintptr_t>(handle_);
}

CUresult allocate(CUdeviceptr* out, size_t size) {
  if (size > size_t{1} << 30) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = reinterpret_cast<CUdeviceptr>(std::aligned_alloc(256, (size + 255) / 256 * 256));
  return CUDA_SUCCESS;
}

}  // namespace

#define STANDIN extern "C" __attribute__((visibility("default")))

/// What was called since the last time, a line a call.
STANDIN const char* standin_journal() {
  static std::string taken;
  const std::lock_guard lock(mutex);
  taken = std::move(journal);
  journal.clear();
  return taken.c_str();
}

STANDIN CUresult cuInit(unsigned) {
  return CUDA_SUCCESS;
}
STANDIN CUresult cuGetErrorName(CUresult result, const char** name) {
  *name = result == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OF_THE_STANDIN";
  return CUDA_SUCCESS;
}
STANDIN CUresult cuGetErrorString(CUresult, const char** sentence) {
  *sentence = "said by the stand-in";
  return CUDA_SUCCESS;
}
STANDIN CUresult cuDeviceGetCount(int* count) {
  return *count = 2, CUDA_SUCCESS;
}
STANDIN CUresult cuDeviceGet(CUdevice* device, int index) {
  return *device = index + 10, CUDA_SUCCESS;
}
STANDIN CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::strncpy(name, "stand-in GPU", static_cast<size_t>(size));
  return CUDA_SUCCESS;
}
STANDIN CUresult cuDeviceTotalMem_v2(size_t* size, CUdevice) {
  return *size = size_t{1} << 30, CUDA_SUCCESS;
}
STANDIN CUresult cuDeviceGetAttribute(int* value, int, CUdevice) {
  return *value = 1, CUDA_SUCCESS;
}
STANDIN CUresult cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) {
  note("cuDeviceCanAccessPeer");
  return *can = 1, CUDA_SUCCESS;
}
STANDIN CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  note("cuDevicePrimaryCtxRetain", {static_cast<uintptr_t>(device)});
  *context = handle<CUcontext>(static_cast<uintptr_t>(device) * 100);
  return CUDA_SUCCESS;
}
STANDIN CUresult cuCtxPushCurrent_v2(CUcontext context) {
  note("push", {number(context)});
  const std::lock_guard lock(mutex);
  current.push_back(context);
  return CUDA_SUCCESS;
}
STANDIN CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  note("pop");
  const std::lock_guard lock(mutex);
  *context = current.back();
  current.pop_back();
  return CUDA_SUCCESS;
}
STANDIN CUresult cuCtxEnablePeerAccess(CUcontext context, unsigned) {
  note("cuCtxEnablePeerAccess", {number(context)});
  return CUDA_SUCCESS;
}
STANDIN CUresult cuMemAlloc_v2(CUdeviceptr* out, size_t size) {
  note("cuMemAlloc", {size});
  return allocate(out, size);
}
STANDIN CUresult cuMemFree_v2(CUdeviceptr memory) {
  note("cuMemFree");
  std::free(reinterpret_cast<void*>(memory));
  return CUDA_SUCCESS;
}
STANDIN CUresult cuMemAllocAsync(CUdeviceptr* out, size_t size, CUstream stream) {
  note("cuMemAllocAsync", {size, number(stream)});
  return allocate(out, size);
}
STANDIN CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream stream) {
  note("cuMemFreeAsync", {number(stream)});
  std::free(reinterpret_cast<void*>(memory));
  return CUDA_SUCCESS;
}
STANDIN CUresult cuMemHostAlloc(void** out, size_t size, unsigned flags) {
  note("cuMemHostAlloc", {size, flags});
  CUdeviceptr memory = 0;
  const CUresult result = allocate(&memory, size);
  if (result == CUDA_SUCCESS) *out = reinterpret_cast<void*>(memory);
  return result;
}
STANDIN CUresult cuMemFreeHost(void* memory) {
  note("cuMemFreeHost");
  std::free(memory);
  return CUDA_SUCCESS;
}
STANDIN CUresult cuMemAllocManaged(CUdeviceptr* out, size_t size, unsigned flags) {
  note("cuMemAllocManaged", {size, flags});
  return allocate(out, size);
}
STANDIN CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void* src, size_t size, CUstream stream) {
  note("cuMemcpyHtoDAsync", {size, number(stream)});
  std::memcpy(reinterpret_cast<void*>(dst), src, size);
  return CUDA_SUCCESS;
}
STANDIN CUresult cuMemcpyDtoHAsync_v2(void* dst, CUdeviceptr src, size_t size, CUstream stream) {
  note("cuMemcpyDtoHAsync", {size, number(stream)});
  std::memcpy(dst, reinterpret_cast<const void*>(src), size);
  return CUDA_SUCCESS;
}
STANDIN CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream) {
  note("cuMemcpyAsync", {size, number(stream)});
  std::memcpy(reinterpret_cast<void*>(dst), reinterpret_cast<const void*>(src), size);
  return CUDA_SUCCESS;
}
STANDIN CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t size,
                                   CUstream stream) {
  note("cuMemcpyPeerAsync", {number(to), number(from), size, number(stream)});
  std::memcpy(reinterpret_cast<void*>(dst), reinterpret_cast<const void*>(src), size);
  return CUDA_SUCCESS;
}
STANDIN CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* what, CUstream stream) {
  note("cuMemcpy2DAsync", {what->WidthInBytes, what->Height, what->srcPitch, what->dstPitch, number(stream)});
  const char* from = what->srcMemoryType == CU_MEMORYTYPE_HOST ? static_cast<const char*>(what->srcHost)
                                                               : reinterpret_cast<const char*>(what->srcDevice);
  char* to = what->dstMemoryType == CU_MEMORYTYPE_HOST ? static_cast<char*>(what->dstHost)
                                                       : reinterpret_cast<char*>(what->dstDevice);
  for (size_t row = 0; row < what->Height; ++row) {
    std::memcpy(to + row * what->dstPitch, from + row * what->srcPitch, what->WidthInBytes);
  }
  return CUDA_SUCCESS;
}
STANDIN CUresult cuMemsetD8Async(CUdeviceptr memory, unsigned char value, size_t count, CUstream stream) {
  note("cuMemsetD8Async", {count, number(stream)});
  std::memset(reinterpret_cast<void*>(memory), value, count);
  return CUDA_SUCCESS;
}
STANDIN CUresult cuMemsetD16Async(CUdeviceptr memory, unsigned short value, size_t count, CUstream stream) {
  note("cuMemsetD16Async", {count, number(stream)});
  std::fill_n(reinterpret_cast<unsigned short*>(memory), count, value);
  return CUDA_SUCCESS;
}
STANDIN CUresult cuMemsetD32Async(CUdeviceptr memory, unsigned value, size_t count, CUstream stream) {
  note("cuMemsetD32Async", {count, number(stream)});
  std::fill_n(reinterpret_cast<unsigned*>(memory), count, value);
  return CUDA_SUCCESS;
}
STANDIN CUresult cuMemsetD2D32Async_v2(CUdeviceptr memory, size_t pitch, unsigned value, size_t width, size_t height,
                                       CUstream stream) {
  note("cuMemsetD2D32Async", {pitch, width, height, number(stream)});
  for (size_t row = 0; row < height; ++row)
    std::fill_n(reinterpret_cast<unsigned*>(memory + row * pitch), width, value);
  return CUDA_SUCCESS;
}
STANDIN CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  *stream = handle<CUstream>(static_cast<uintptr_t>(5000 + ++made));
  note("cuStreamCreate", {flags});
  return CUDA_SUCCESS;
}
STANDIN CUresult cuStreamDestroy_v2(CUstream stream) {
  return note("cuStreamDestroy", {number(stream)}), CUDA_SUCCESS;
}
STANDIN CUresult cuStreamSynchronize(CUstream stream) {
  note("cuStreamSynchronize", {number(stream)});
  return CUDA_SUCCESS;
}
STANDIN CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  note("cuStreamWaitEvent", {number(stream), number(event)});
  return CUDA_SUCCESS;
}
STANDIN CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = handle<CUevent>(static_cast<uintptr_t>(7000 + ++made));
  note("cuEventCreate");
  return CUDA_SUCCESS;
}
STANDIN CUresult cuEventDestroy_v2(CUevent) {
  return note("cuEventDestroy"), CUDA_SUCCESS;
}
STANDIN CUresult cuEventRecord(CUevent event, CUstream stream) {
  note("cuEventRecord", {number(event), number(stream)});
  const std::lock_guard lock(mutex);
  recorded[event] = true;
  return CUDA_SUCCESS;
}
STANDIN CUresult cuEventSynchronize(CUevent) {
  return CUDA_SUCCESS;
}
STANDIN CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  const std::lock_guard lock(mutex);
  if (!recorded.contains(start) || !recorded.contains(end)) return CUDA_ERROR_INVALID_HANDLE;
  return *milliseconds = 1.5f, CUDA_SUCCESS;
}
STANDIN CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, int*, void** values) {
  note("cuModuleLoadDataEx");
  if (std::strstr(static_cast<const char*>(image), "error")) {
    std::strcpy(static_cast<char*>(values[0]), "ptxas fatal : line 1: what is this?");
    return CUDA_ERROR_INVALID_PTX;
  }
  *module = handle<CUmodule>(9000);
  return CUDA_SUCCESS;
}
STANDIN CUresult cuModuleUnload(CUmodule) {
  return note("cuModuleUnload"), CUDA_SUCCESS;
}
STANDIN CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  if (std::string(name) != "scale") return CUDA_ERROR_NOT_FOUND;
  return *function = handle<CUfunction>(9100), CUDA_SUCCESS;
}
STANDIN CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                unsigned bz, unsigned shared, CUstream stream, void** arguments, void**) {
  const float factor = *static_cast<float*>(arguments[1]);
  note("cuLaunchKernel",
       {number(function), gx, gy, gz, bx, by, bz, shared, number(stream), static_cast<uintptr_t>(factor)});
  return CUDA_SUCCESS;
}
