// The OpenCL driver's table.
#include <algorithm>
#include <cstring>
#include <string>

#include "drivers/builtin.hpp"
#include "drivers/opencl/devices.hpp"
#include "drivers/opencl/functions.hpp"
#include "drivers/status.hpp"

namespace dlport::drivers {
namespace opencl {
namespace {

/// Without a library or a platform there are simply no devices; why is in last_error.
dlport_status device_count(int32_t* count) {
  if (!count) return guarded([&] { require(count, "count"); });
  *count = 0;
  const dlport_status status = guarded([&] { *count = static_cast<int32_t>(devices().size()); });
  return status == DLPORT_NOT_FOUND ? DLPORT_OK : status;
}

dlport_status device_properties(int32_t index, dlport_device_properties* out) {
  return guarded([&] {
    require(out, "properties");
    const ClDevice& device = device_of({kDLOpenCL, index});
    dlport_device_properties properties{};
    properties.size = std::min(out->size, sizeof(properties));
    properties.device = {kDLOpenCL, index};
    std::strncpy(properties.name, device.name.c_str(), sizeof(properties.name) - 1);
    properties.memory = device.memory;
    properties.max_allocation = device.max_allocation;
    properties.alignment = device.alignment;
    properties.capabilities = DLPORT_DEVICE_HANDLES | DLPORT_DEVICE_ASYNC | DLPORT_DEVICE_OPERATORS;
    std::strcpy(properties.operator_format, "opencl-c");
    std::memcpy(out, &properties, properties.size);
  });
}

constexpr dlport_driver kTable{
    sizeof(dlport_driver),
    DLPORT_DRIVER_ABI,
    0,
    "opencl",
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
}  // namespace opencl

const dlport_driver* opencl_driver() noexcept {
  return &opencl::kTable;
}

}  // namespace dlport::drivers
