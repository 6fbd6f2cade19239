#include "drivers/opencl/api.hpp"

#include <string>

#include "dlport/error.hpp"
#include "drivers/opencl/vendors.hpp"
#include "drivers/shared_library.hpp"

namespace dlport::drivers::opencl {
namespace {

Api load() {
  open_vendors();
  const SharedLibrary library("DLPORT_OPENCL_LIBRARY", "libOpenCL.so.1",
                              "install an OpenCL loader and a platform, as in apt-get install ocl-icd-libopencl1 "
                              "pocl-opencl-icd");
  Api functions;
#define DLPORT_LOAD(name, result, parameters) \
  functions.name = reinterpret_cast<decltype(functions.name)>(library.function("cl" #name));
  DLPORT_OPENCL_FUNCTIONS(DLPORT_LOAD)
#undef DLPORT_LOAD
  return functions;
}

struct CodeName {
  cl_int code;
  ErrorCode kind;
  const char* name;
};

constexpr CodeName kCodes[] = {
    {CL_DEVICE_NOT_FOUND, ErrorCode::not_found, "CL_DEVICE_NOT_FOUND"},
    {CL_PLATFORM_NOT_FOUND_KHR, ErrorCode::not_found, "CL_PLATFORM_NOT_FOUND_KHR"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, ErrorCode::out_of_memory, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {CL_OUT_OF_RESOURCES, ErrorCode::out_of_memory, "CL_OUT_OF_RESOURCES"},
    {CL_OUT_OF_HOST_MEMORY, ErrorCode::out_of_memory, "CL_OUT_OF_HOST_MEMORY"},
    {CL_INVALID_BUFFER_SIZE, ErrorCode::out_of_memory, "CL_INVALID_BUFFER_SIZE"},
    {CL_MISALIGNED_SUB_BUFFER_OFFSET, ErrorCode::unsupported, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
    {CL_INVALID_VALUE, ErrorCode::invalid_argument, "CL_INVALID_VALUE"},
    {CL_INVALID_MEM_OBJECT, ErrorCode::invalid_argument, "CL_INVALID_MEM_OBJECT"},
    {CL_INVALID_BUILD_OPTIONS, ErrorCode::invalid_argument, "CL_INVALID_BUILD_OPTIONS"},
    {CL_INVALID_KERNEL_NAME, ErrorCode::not_found, "CL_INVALID_KERNEL_NAME"},
    {CL_INVALID_ARG_INDEX, ErrorCode::invalid_argument, "CL_INVALID_ARG_INDEX"},
    {CL_INVALID_ARG_SIZE, ErrorCode::invalid_argument, "CL_INVALID_ARG_SIZE"},
    {CL_INVALID_KERNEL_ARGS, ErrorCode::invalid_argument, "CL_INVALID_KERNEL_ARGS"},
    {CL_INVALID_WORK_GROUP_SIZE, ErrorCode::invalid_argument, "CL_INVALID_WORK_GROUP_SIZE"},
    {CL_INVALID_WORK_ITEM_SIZE, ErrorCode::invalid_argument, "CL_INVALID_WORK_ITEM_SIZE"},
};

}  // namespace

const Api& api() {
  static const Api functions = load();
  return functions;
}

void check(cl_int code, const char* call) {
  if (code == CL_SUCCESS) return;
  for (const CodeName& entry : kCodes) {
    if (entry.code == code) throw Error(entry.kind, std::string(call) + " failed: " + entry.name);
  }
  throw Error(ErrorCode::device, std::string(call) + " failed with OpenCL's error " + std::to_string(code));
}

}  // namespace dlport::drivers::opencl
