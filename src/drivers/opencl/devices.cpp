#include "drivers/opencl/devices.hpp"

#include <algorithm>

#include "dlport/error.hpp"

namespace dlport::drivers::opencl {
namespace {

template <class Value>
Value info(cl_device_id device, cl_uint key) {
  Value value{};
  check(api().GetDeviceInfo(device, key, sizeof(value), &value, nullptr), "clGetDeviceInfo");
  return value;
}

std::string name_of(cl_device_id device) {
  size_t size = 0;
  check(api().GetDeviceInfo(device, CL_DEVICE_NAME, 0, nullptr, &size), "clGetDeviceInfo");
  std::string name(size, '\0');
  check(api().GetDeviceInfo(device, CL_DEVICE_NAME, size, name.data(), nullptr), "clGetDeviceInfo");
  name.resize(std::min(name.find('\0'), name.size()));
  return name;
}

void add_platform(cl_platform_id platform, std::vector<ClDevice>& found) {
  cl_uint count = 0;
  if (api().GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS)
    return;  // one without devices
  std::vector<cl_device_id> ids(count);
  check(api().GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr), "clGetDeviceIDs");
  std::erase_if(ids, [](cl_device_id id) {
    return !info<cl_uint>(id, CL_DEVICE_AVAILABLE) || !info<cl_uint>(id, CL_DEVICE_COMPILER_AVAILABLE);
  });
  if (ids.empty()) return;
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform),
                                              0};
  cl_int code = CL_SUCCESS;
  cl_context context =
      api().CreateContext(properties, static_cast<cl_uint>(ids.size()), ids.data(), nullptr, nullptr, &code);
  check(code, "clCreateContext");
  for (cl_device_id id : ids) {
    ClDevice device{id,
                    context,
                    nullptr,
                    name_of(id),
                    info<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE),
                    info<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE),
                    std::max(1u, info<cl_uint>(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8)};
    device.queue = create_queue(device);
    found.push_back(std::move(device));
  }
}

std::vector<ClDevice> find_devices() {
  cl_uint count = 0;
  if (api().GetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) {
    throw Error(ErrorCode::not_found,
                "OpenCL's loader knows no platform: install one, as in apt-get install pocl-opencl-icd");
  }
  std::vector<cl_platform_id> platforms(count);
  check(api().GetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  std::vector<ClDevice> found;
  for (cl_platform_id platform : platforms) add_platform(platform, found);
  return found;
}

}  // namespace

cl_command_queue create_queue(const ClDevice& device) {
  cl_int code = CL_SUCCESS;
  cl_command_queue queue = api().CreateCommandQueue(device.context, device.id, CL_QUEUE_PROFILING_ENABLE, &code);
  check(code, "clCreateCommandQueue");
  return queue;
}

const std::vector<ClDevice>& devices() {
  static const auto* found = new std::vector<ClDevice>(find_devices());  // for ever: buffers are freed during shutdown
  return *found;
}

const ClDevice& device_of(DLDevice device) {
  const std::vector<ClDevice>& all = devices();
  if (device.device_type != kDLOpenCL || device.device_id < 0 || device.device_id >= static_cast<int32_t>(all.size())) {
    throw Error(ErrorCode::not_found, to_string(Device(device)) + " is not one of the opencl driver's " +
                                          std::to_string(all.size()) + " devices");
  }
  return all[static_cast<size_t>(device.device_id)];
}

Allocations& allocations() {
  static auto* instance = new Allocations(/*by_address=*/false);
  return *instance;
}

}  // namespace dlport::drivers::opencl
