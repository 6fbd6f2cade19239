// The CUDA driver's table. Its devices are the GPUs, then pinned host memory, then managed memory.
#include <algorithm>
#include <cstring>
#include <string>

#include "drivers/builtin.hpp"
#include "drivers/cuda/devices.hpp"
#include "drivers/cuda/functions.hpp"
#include "drivers/status.hpp"

namespace dlport::drivers {
namespace cuda {
namespace {

/// Without NVIDIA's driver or a GPU there are simply no devices; why is in last_error.
dlport_status device_count(int32_t* count) {
  if (!count) return guarded([&] { require(count, "count"); });
  *count = 0;
  const dlport_status status = guarded([&] { *count = static_cast<int32_t>(devices().size()) + 2; });
  return status == DLPORT_NOT_FOUND ? DLPORT_OK : status;
}

DLDevice device_at(int32_t index) {
  const int32_t gpus = static_cast<int32_t>(devices().size());
  if (index == gpus) return {kDLCUDAHost, 0};
  if (index == gpus + 1) return {kDLCUDAManaged, 0};
  return {kDLCUDA, index};
}

dlport_status device_properties(int32_t index, dlport_device_properties* out) {
  return guarded([&] {
    require(out, "properties");
    dlport_device_properties properties{};
    properties.size = std::min(out->size, sizeof(properties));
    properties.device = device_at(index);
    const CuDevice& device = device_of(properties.device);
    const bool pinned = properties.device.device_type == kDLCUDAHost, gpu = properties.device.device_type == kDLCUDA;
    const std::string name = gpu ? device.name : pinned ? "pinned host memory" : "managed memory of " + device.name;
    std::strncpy(properties.name, name.c_str(), sizeof(properties.name) - 1);
    properties.memory = pinned ? 0 : device.memory;
    properties.alignment = 256;
    properties.capabilities =
        DLPORT_DEVICE_ASYNC | DLPORT_DEVICE_OPERATORS | (gpu ? 0u : unsigned{DLPORT_DEVICE_HOST_ACCESS});
    std::strcpy(properties.operator_format, "ptx");
    std::memcpy(out, &properties, properties.size);
  });
}

constexpr dlport_driver kTable{
    sizeof(dlport_driver),
    DLPORT_DRIVER_ABI,
    0,
    "cuda",
    "1.0",
    last_error,
    device_count,
    device_properties,
    allocate,
    release,
    read,
    write,
    copy,
    fill,
    stream_create,
    stream_destroy,
    stream_synchronise,
    stream_wait,
    event_create,
    event_destroy,
    event_record,
    event_synchronise,
    event_elapsed,
    operator_create,
    operator_destroy,
    operator_launch,
    copy_rows,
};

}  // namespace
}  // namespace cuda

const dlport_driver* cuda_driver() noexcept {
  return &cuda::kTable;
}

}  // namespace dlport::drivers
