// What dlport uses of OpenCL 1.2, declared here and looked up in the loader's library at run time. The names, values
// and signatures are the standard's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dlport::drivers::opencl {

using cl_int = int32_t;
using cl_uint = uint32_t;
using cl_ulong = uint64_t;
using cl_bitfield = uint64_t;
using cl_platform_id = struct cl_platform_s*;
using cl_device_id = struct cl_device_s*;
using cl_context = struct cl_context_s*;
using cl_command_queue = struct cl_queue_s*;
using cl_mem = struct cl_mem_s*;
using cl_program = struct cl_program_s*;
using cl_kernel = struct cl_kernel_s*;
using cl_event = struct cl_event_s*;
using cl_context_properties = intptr_t;

struct cl_buffer_region {
  size_t origin, size;
};

inline constexpr cl_int CL_SUCCESS = 0;
inline constexpr cl_int CL_DEVICE_NOT_FOUND = -1;
inline constexpr cl_int CL_MEM_OBJECT_ALLOCATION_FAILURE = -4;
inline constexpr cl_int CL_OUT_OF_RESOURCES = -5;
inline constexpr cl_int CL_OUT_OF_HOST_MEMORY = -6;
inline constexpr cl_int CL_BUILD_PROGRAM_FAILURE = -11;
inline constexpr cl_int CL_MISALIGNED_SUB_BUFFER_OFFSET = -13;
inline constexpr cl_int CL_INVALID_VALUE = -30;
inline constexpr cl_int CL_INVALID_MEM_OBJECT = -38;
inline constexpr cl_int CL_INVALID_BUILD_OPTIONS = -43;
inline constexpr cl_int CL_INVALID_KERNEL_NAME = -46;
inline constexpr cl_int CL_INVALID_ARG_INDEX = -49;
inline constexpr cl_int CL_INVALID_ARG_SIZE = -51;
inline constexpr cl_int CL_INVALID_KERNEL_ARGS = -52;
inline constexpr cl_int CL_INVALID_WORK_GROUP_SIZE = -54;
inline constexpr cl_int CL_INVALID_WORK_ITEM_SIZE = -55;
inline constexpr cl_int CL_INVALID_BUFFER_SIZE = -61;
inline constexpr cl_int CL_PLATFORM_NOT_FOUND_KHR = -1001;

inline constexpr cl_uint CL_TRUE = 1, CL_FALSE = 0;
inline constexpr cl_bitfield CL_DEVICE_TYPE_ALL = 0xFFFFFFFF;
inline constexpr cl_bitfield CL_QUEUE_PROFILING_ENABLE = 1 << 1;
inline constexpr cl_bitfield CL_MEM_READ_WRITE = 1 << 0;
inline constexpr cl_context_properties CL_CONTEXT_PLATFORM = 0x1084;
inline constexpr cl_uint CL_PLATFORM_NAME = 0x0902;
inline constexpr cl_uint CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010;
inline constexpr cl_uint CL_DEVICE_MEM_BASE_ADDR_ALIGN = 0x1019;
inline constexpr cl_uint CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F;
inline constexpr cl_uint CL_DEVICE_AVAILABLE = 0x1027;
inline constexpr cl_uint CL_DEVICE_COMPILER_AVAILABLE = 0x1028;
inline constexpr cl_uint CL_DEVICE_NAME = 0x102B;
inline constexpr cl_uint CL_MEM_SIZE = 0x1102;
inline constexpr cl_uint CL_PROGRAM_BUILD_LOG = 0x1183;
inline constexpr cl_uint CL_KERNEL_NUM_ARGS = 0x1191;
inline constexpr cl_uint CL_PROFILING_COMMAND_END = 0x1283;
inline constexpr cl_uint CL_BUFFER_CREATE_TYPE_REGION = 0x1220;

using Notify = void (*)(const char*, const void*, size_t, void*);
using ProgramNotify = void (*)(cl_program, void*);

// Member name, result, parameters: one line a function of the standard, with "cl" in front of its name.
#define DLPORT_OPENCL_FUNCTIONS(X)                                                                                   \
  X(GetPlatformIDs, cl_int, (cl_uint, cl_platform_id*, cl_uint*))                                                    \
  X(GetPlatformInfo, cl_int, (cl_platform_id, cl_uint, size_t, void*, size_t*))                                      \
  X(GetDeviceIDs, cl_int, (cl_platform_id, cl_bitfield, cl_uint, cl_device_id*, cl_uint*))                           \
  X(GetDeviceInfo, cl_int, (cl_device_id, cl_uint, size_t, void*, size_t*))                                          \
  X(CreateContext, cl_context, (const cl_context_properties*, cl_uint, const cl_device_id*, Notify, void*, cl_int*)) \
  X(CreateCommandQueue, cl_command_queue, (cl_context, cl_device_id, cl_bitfield, cl_int*))                          \
  X(ReleaseCommandQueue, cl_int, (cl_command_queue))                                                                 \
  X(CreateBuffer, cl_mem, (cl_context, cl_bitfield, size_t, void*, cl_int*))                                         \
  X(CreateSubBuffer, cl_mem, (cl_mem, cl_bitfield, cl_uint, const void*, cl_int*))                                   \
  X(GetMemObjectInfo, cl_int, (cl_mem, cl_uint, size_t, void*, size_t*))                                             \
  X(ReleaseMemObject, cl_int, (cl_mem))                                                                              \
  X(EnqueueReadBuffer, cl_int,                                                                                       \
    (cl_command_queue, cl_mem, cl_uint, size_t, size_t, void*, cl_uint, const cl_event*, cl_event*))                 \
  X(EnqueueWriteBuffer, cl_int,                                                                                      \
    (cl_command_queue, cl_mem, cl_uint, size_t, size_t, const void*, cl_uint, const cl_event*, cl_event*))           \
  X(EnqueueCopyBuffer, cl_int,                                                                                       \
    (cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event*, cl_event*))                 \
  X(EnqueueFillBuffer, cl_int,                                                                                       \
    (cl_command_queue, cl_mem, const void*, size_t, size_t, size_t, cl_uint, const cl_event*, cl_event*))            \
  X(EnqueueReadBufferRect, cl_int,                                                                                   \
    (cl_command_queue, cl_mem, cl_uint, const size_t*, const size_t*, const size_t*, size_t, size_t, size_t, size_t, \
     void*, cl_uint, const cl_event*, cl_event*))                                                                    \
  X(EnqueueWriteBufferRect, cl_int,                                                                                  \
    (cl_command_queue, cl_mem, cl_uint, const size_t*, const size_t*, const size_t*, size_t, size_t, size_t, size_t, \
     const void*, cl_uint, const cl_event*, cl_event*))                                                              \
  X(EnqueueCopyBufferRect, cl_int,                                                                                   \
    (cl_command_queue, cl_mem, cl_mem, const size_t*, const size_t*, const size_t*, size_t, size_t, size_t, size_t,  \
     cl_uint, const cl_event*, cl_event*))                                                                           \
  X(CreateProgramWithSource, cl_program, (cl_context, cl_uint, const char**, const size_t*, cl_int*))                \
  X(BuildProgram, cl_int, (cl_program, cl_uint, const cl_device_id*, const char*, ProgramNotify, void*))             \
  X(GetProgramBuildInfo, cl_int, (cl_program, cl_device_id, cl_uint, size_t, void*, size_t*))                        \
  X(ReleaseProgram, cl_int, (cl_program))                                                                            \
  X(CreateKernel, cl_kernel, (cl_program, const char*, cl_int*))                                                     \
  X(GetKernelInfo, cl_int, (cl_kernel, cl_uint, size_t, void*, size_t*))                                             \
  X(ReleaseKernel, cl_int, (cl_kernel))                                                                              \
  X(SetKernelArg, cl_int, (cl_kernel, cl_uint, size_t, const void*))                                                 \
  X(EnqueueNDRangeKernel, cl_int,                                                                                    \
    (cl_command_queue, cl_kernel, cl_uint, const size_t*, const size_t*, const size_t*, cl_uint, const cl_event*,    \
     cl_event*))                                                                                                     \
  X(EnqueueMarkerWithWaitList, cl_int, (cl_command_queue, cl_uint, const cl_event*, cl_event*))                      \
  X(EnqueueBarrierWithWaitList, cl_int, (cl_command_queue, cl_uint, const cl_event*, cl_event*))                     \
  X(WaitForEvents, cl_int, (cl_uint, const cl_event*))                                                               \
  X(GetEventProfilingInfo, cl_int, (cl_event, cl_uint, size_t, void*, size_t*))                                      \
  X(RetainEvent, cl_int, (cl_event))                                                                                 \
  X(ReleaseEvent, cl_int, (cl_event))                                                                                \
  X(Flush, cl_int, (cl_command_queue))                                                                               \
  X(Finish, cl_int, (cl_command_queue))

/// The functions, looked up.
struct Api {
#define DLPORT_MEMBER(name, result, parameters) result(*name) parameters;
  DLPORT_OPENCL_FUNCTIONS(DLPORT_MEMBER)
#undef DLPORT_MEMBER
};

/// Opens libOpenCL.so.1, or what DLPORT_OPENCL_LIBRARY names, once; it stays open.
/// Throws Error{not_found} where there is none, naming what was looked for.
const Api& api();

/// Throws what an OpenCL code says: Error{device} with its name, or the code's own kind for memory and arguments.
void check(cl_int code, const char* call);

}  // namespace dlport::drivers::opencl
