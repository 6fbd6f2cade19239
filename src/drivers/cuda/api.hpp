// What dlport uses of CUDA's driver API, declared here and looked up in libcuda at run time. The names, values and
// signatures are NVIDIA's; the oldest driver that has them all is that of CUDA 11.2.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dlport::drivers::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uintptr_t;
using CUcontext = struct CUctx_s*;
using CUstream = struct CUstream_s*;
using CUevent = struct CUevent_s*;
using CUmodule = struct CUmod_s*;
using CUfunction = struct CUfunc_s*;

/// cuMemcpy2D's description of a copy of rows.
struct CUDA_MEMCPY2D {
  size_t srcXInBytes, srcY;
  unsigned srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  void* srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  unsigned dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  void* dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
};

inline constexpr CUresult CUDA_SUCCESS = 0;
inline constexpr CUresult CUDA_ERROR_INVALID_VALUE = 1;
inline constexpr CUresult CUDA_ERROR_OUT_OF_MEMORY = 2;
inline constexpr CUresult CUDA_ERROR_NO_DEVICE = 100;
inline constexpr CUresult CUDA_ERROR_INVALID_IMAGE = 200;
inline constexpr CUresult CUDA_ERROR_INVALID_PTX = 218;
inline constexpr CUresult CUDA_ERROR_INVALID_SOURCE = 300;
inline constexpr CUresult CUDA_ERROR_NO_BINARY_FOR_GPU = 209;
inline constexpr CUresult CUDA_ERROR_INVALID_HANDLE = 400;
inline constexpr CUresult CUDA_ERROR_NOT_FOUND = 500;
inline constexpr CUresult CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704;
inline constexpr CUresult CUDA_ERROR_NOT_SUPPORTED = 801;

inline constexpr unsigned CU_STREAM_NON_BLOCKING = 1;
inline constexpr unsigned CU_MEMHOSTALLOC_PORTABLE = 1;
inline constexpr unsigned CU_MEM_ATTACH_GLOBAL = 1;
inline constexpr unsigned CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_UNIFIED = 4;
inline constexpr int CU_JIT_ERROR_LOG_BUFFER = 5;
inline constexpr int CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6;
inline constexpr int CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115;

// Member name, symbol, parameters: one line a function. The symbols carry the suffix of the 64-bit interface.
#define DLPORT_CUDA_FUNCTIONS(X)                                                                            \
  X(Init, cuInit, (unsigned))                                                                               \
  X(GetErrorName, cuGetErrorName, (CUresult, const char**))                                                 \
  X(GetErrorString, cuGetErrorString, (CUresult, const char**))                                             \
  X(DeviceGetCount, cuDeviceGetCount, (int*))                                                               \
  X(DeviceGet, cuDeviceGet, (CUdevice*, int))                                                               \
  X(DeviceGetName, cuDeviceGetName, (char*, int, CUdevice))                                                 \
  X(DeviceTotalMem, cuDeviceTotalMem_v2, (size_t*, CUdevice))                                               \
  X(DeviceGetAttribute, cuDeviceGetAttribute, (int*, int, CUdevice))                                        \
  X(DeviceCanAccessPeer, cuDeviceCanAccessPeer, (int*, CUdevice, CUdevice))                                 \
  X(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext*, CUdevice))                               \
  X(CtxPushCurrent, cuCtxPushCurrent_v2, (CUcontext))                                                       \
  X(CtxPopCurrent, cuCtxPopCurrent_v2, (CUcontext*))                                                        \
  X(CtxEnablePeerAccess, cuCtxEnablePeerAccess, (CUcontext, unsigned))                                      \
  X(MemAlloc, cuMemAlloc_v2, (CUdeviceptr*, size_t))                                                        \
  X(MemFree, cuMemFree_v2, (CUdeviceptr))                                                                   \
  X(MemAllocAsync, cuMemAllocAsync, (CUdeviceptr*, size_t, CUstream))                                       \
  X(MemFreeAsync, cuMemFreeAsync, (CUdeviceptr, CUstream))                                                  \
  X(MemHostAlloc, cuMemHostAlloc, (void**, size_t, unsigned))                                               \
  X(MemFreeHost, cuMemFreeHost, (void*))                                                                    \
  X(MemAllocManaged, cuMemAllocManaged, (CUdeviceptr*, size_t, unsigned))                                   \
  X(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (CUdeviceptr, const void*, size_t, CUstream))                    \
  X(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void*, CUdeviceptr, size_t, CUstream))                          \
  X(MemcpyAsync, cuMemcpyAsync, (CUdeviceptr, CUdeviceptr, size_t, CUstream))                               \
  X(MemcpyPeerAsync, cuMemcpyPeerAsync, (CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream)) \
  X(Memcpy2DAsync, cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D*, CUstream))                                    \
  X(MemsetD8Async, cuMemsetD8Async, (CUdeviceptr, unsigned char, size_t, CUstream))                         \
  X(MemsetD16Async, cuMemsetD16Async, (CUdeviceptr, unsigned short, size_t, CUstream))                      \
  X(MemsetD32Async, cuMemsetD32Async, (CUdeviceptr, unsigned, size_t, CUstream))                            \
  X(MemsetD2D32Async, cuMemsetD2D32Async_v2, (CUdeviceptr, size_t, unsigned, size_t, size_t, CUstream))     \
  X(StreamCreate, cuStreamCreate, (CUstream*, unsigned))                                                    \
  X(StreamDestroy, cuStreamDestroy_v2, (CUstream))                                                          \
  X(StreamSynchronize, cuStreamSynchronize, (CUstream))                                                     \
  X(StreamWaitEvent, cuStreamWaitEvent, (CUstream, CUevent, unsigned))                                      \
  X(EventCreate, cuEventCreate, (CUevent*, unsigned))                                                       \
  X(EventDestroy, cuEventDestroy_v2, (CUevent))                                                             \
  X(EventRecord, cuEventRecord, (CUevent, CUstream))                                                        \
  X(EventSynchronize, cuEventSynchronize, (CUevent))                                                        \
  X(EventElapsedTime, cuEventElapsedTime, (float*, CUevent, CUevent))                                       \
  X(ModuleLoadDataEx, cuModuleLoadDataEx, (CUmodule*, const void*, unsigned, int*, void**))                 \
  X(ModuleUnload, cuModuleUnload, (CUmodule))                                                               \
  X(ModuleGetFunction, cuModuleGetFunction, (CUfunction*, CUmodule, const char*))                           \
  X(LaunchKernel, cuLaunchKernel,                                                                           \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**, void**))

/// The functions, looked up.
struct Api {
#define DLPORT_MEMBER(name, symbol, parameters) CUresult(*name) parameters;
  DLPORT_CUDA_FUNCTIONS(DLPORT_MEMBER)
#undef DLPORT_MEMBER
};

/// Opens libcuda.so.1, or what DLPORT_CUDA_LIBRARY names, once, and initialises it.
/// Throws Error{not_found} where there is none or it has no device.
const Api& api();

/// Throws what a result of CUDA says: Error{device} with its name and sentence, or its own kind for memory, arguments.
void check(CUresult result, const char* call);

}  // namespace dlport::drivers::cuda
