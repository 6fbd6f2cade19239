#include "dlport/device.hpp"

#include <charconv>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "dlport/error.hpp"

namespace dlport {
namespace {

struct DeviceName {
  DLDeviceType type;
  std::string_view name;
};

constexpr DeviceName kDeviceNames[] = {
    {kDLCPU, "cpu"},
    {kDLCUDA, "cuda"},
    {kDLCUDAHost, "cuda_host"},
    {kDLOpenCL, "opencl"},
    {kDLVulkan, "vulkan"},
    {kDLMetal, "metal"},
    {kDLVPI, "vpi"},
    {kDLROCM, "rocm"},
    {kDLROCMHost, "rocm_host"},
    {kDLExtDev, "ext_dev"},
    {kDLCUDAManaged, "cuda_managed"},
    {kDLOneAPI, "oneapi"},
    {kDLWebGPU, "webgpu"},
    {kDLHexagon, "hexagon"},
    {kDLMAIA, "maia"},
    {kDLTrn, "trn"},
};

struct VirtualDevice {
  std::string name;
  VirtualDeviceResolver resolver;
};

/// The virtual device types, with the name that each prints by.
struct VirtualDevices {
  std::shared_mutex mutex;
  std::map<int32_t, VirtualDevice> by_type;
};

VirtualDevices& virtual_devices() {
  static auto* table = new VirtualDevices;  // lives for ever: tensors may be resolved during shutdown
  return *table;
}

}  // namespace

bool is_known(DLDeviceType type) noexcept {
  for (const DeviceName& entry : kDeviceNames) {
    if (entry.type == type) return true;
  }
  return false;
}

std::string to_string(Device device) {
  const std::string index = ":" + std::to_string(device.device_id);
  {
    VirtualDevices& table = virtual_devices();
    std::shared_lock lock(table.mutex);
    if (auto found = table.by_type.find(device.device_type); found != table.by_type.end()) {
      return found->second.name + index;
    }
  }
  for (const DeviceName& entry : kDeviceNames) {
    if (entry.type == device.device_type) return std::string(entry.name) + index;
  }
  return "device_type_" + std::to_string(device.device_type) + index;
}

Device parse_device(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  int32_t index = 0;
  bool valid = true;
  if (colon != std::string_view::npos) {
    const char* end = text.data() + text.size();
    auto [rest, error] = std::from_chars(text.data() + colon + 1, end, index);
    valid = error == std::errc() && rest == end && index >= 0;
  }
  if (valid) {
    {
      VirtualDevices& table = virtual_devices();
      std::shared_lock lock(table.mutex);
      for (const auto& [type, entry] : table.by_type) {
        if (entry.name == name) return {static_cast<DLDeviceType>(type), index};
      }
    }
    for (const DeviceName& entry : kDeviceNames) {
      if (entry.name == name) return {entry.type, index};
    }
    if (name == "ort") return {kORT, index};
  }
  throw Error(
      ErrorCode::invalid_argument,
      "'" + std::string(text) + "' names no device: write a name and an index, as in 'cpu', 'cuda:1' or 'ort:0'");
}

void register_virtual_device(DLDeviceType type, std::string name, VirtualDeviceResolver resolver) {
  if (type == kDLCPU) {
    throw Error(ErrorCode::invalid_argument, to_string(cpu) + " is a physical device and cannot stand for another");
  }
  VirtualDevices& table = virtual_devices();
  std::unique_lock lock(table.mutex);
  if (resolver) {
    table.by_type.insert_or_assign(type, VirtualDevice{std::move(name), std::move(resolver)});
  } else {
    table.by_type.erase(type);
  }
}

bool is_virtual(Device device) {
  VirtualDevices& table = virtual_devices();
  std::shared_lock lock(table.mutex);
  return table.by_type.contains(device.device_type);
}

Device physical(Device device) {
  if (device.device_type == kDLCPU) return device;  // by far the most common, and never virtual
  VirtualDeviceResolver resolver;
  {
    VirtualDevices& table = virtual_devices();
    std::shared_lock lock(table.mutex);
    if (auto found = table.by_type.find(device.device_type); found != table.by_type.end()) {
      resolver = found->second.resolver;
    }
  }
  if (resolver) {
    const Device behind = resolver(device.device_id);  // outside the lock: it may open a runtime
    if (is_virtual(behind)) {
      throw Error(ErrorCode::device,
                  to_string(device) + " resolves to " + to_string(behind) + ", which is virtual too");
    }
    return behind;
  }
  if (device.device_type == kDLExtDev) {
    throw Error(ErrorCode::not_found, "device " + to_string(device) +
                                          " is an extension device that nothing in this process has registered; "
                                          "ask the producer for its physical device, or import dlport.ort first");
  }
  return device;
}

}  // namespace dlport
