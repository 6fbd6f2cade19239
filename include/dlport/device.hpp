/// Devices: where a tensor's memory is, and virtual devices that stand in front of one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "dlport/dlpack.h"
#include "dlport/export.h"

namespace dlport {

/// A device type and an index; layout-compatible with DLPack's `DLDevice`.
struct Device : DLDevice {
  constexpr Device() noexcept : DLDevice{kDLCPU, 0} {}
  constexpr Device(DLDeviceType type, int32_t index) noexcept : DLDevice{type, index} {}
  constexpr Device(DLDevice device) noexcept : DLDevice(device) {}  // NOLINT: it is one

  constexpr DLDeviceType type() const noexcept { return device_type; }
  constexpr int32_t index() const noexcept { return device_id; }

  /// Memory that the CPU reads and writes directly: cpu, cuda_host, cuda_managed, rocm_host.
  constexpr bool is_host() const noexcept {
    return device_type == kDLCPU || device_type == kDLCUDAHost || device_type == kDLCUDAManaged ||
           device_type == kDLROCMHost;
  }

  friend constexpr bool operator==(Device a, Device b) noexcept {
    return a.device_type == b.device_type && a.device_id == b.device_id;
  }
};

inline constexpr Device cpu{kDLCPU, 0};

/// DLPack's slot for the ORT device: an extension device whose id is the index of a configured execution provider.
inline constexpr DLDeviceType kORT = kDLExtDev;

/// "cpu:0", "cuda:1", "ort:0", ...; a type that DLPack does not name gives "device_type_99:0".
DLPORT_API std::string to_string(Device device);

/// Parses "cpu", "cuda:1", "ort:0"; no index means 0. Throws Error{invalid_argument} naming the text.
DLPORT_API Device parse_device(std::string_view text);

/// True for the device types that DLPack 1.3 names.
DLPORT_API bool is_known(DLDeviceType type) noexcept;

/// Maps an index of a virtual device to the physical device whose memory it uses.
/// Throws Error{not_found} for an index that is not configured. Called from any thread.
using VirtualDeviceResolver = std::function<Device(int32_t index)>;

/// Makes `type` a virtual device: imports that carry it resolve through `resolver`, and `name` prints it.
/// Replaces an earlier registration of the same type; an empty resolver removes it. Thread-safe.
/// Throws Error{invalid_argument} for the CPU, which is nobody's virtual device.
DLPORT_API void register_virtual_device(DLDeviceType type, std::string name, VirtualDeviceResolver resolver);

/// True where `device`'s type was registered as virtual.
DLPORT_API bool is_virtual(Device device);

/// The physical device behind `device`: itself for a physical one, the resolver's answer for a virtual one.
/// Throws Error{not_found} where `device` is an extension device (kDLExtDev) that nothing registered, Error{device}
/// where a resolver answers with another virtual one.
DLPORT_API Device physical(Device device);

}  // namespace dlport
