// The CUDA devices, each with its primary context: the one that every other framework in the process uses too.
#pragma once

#include <string>
#include <vector>

#include "dlport/device.hpp"
#include "drivers/allocations.hpp"
#include "drivers/cuda/api.hpp"

namespace dlport::drivers::cuda {

struct CuDevice {
  CUdevice id;
  CUcontext context;  // primary; retained for as long as the process lives
  std::string name;
  uint64_t memory;
  bool has_pools;  // stream-ordered allocation
};

/// All of them; never changes. Throws Error{not_found} where there is no driver library.
const std::vector<CuDevice>& devices();

/// The device that works on `device`'s memory: cuda:N itself, device 0 for pinned and managed memory.
/// Throws Error{not_found} where there is no such device.
const CuDevice& device_of(DLDevice device);

/// Makes a device's context current for a scope and puts back what was.
class Current {
 public:
  explicit Current(const CuDevice& device);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
};

/// Lets `device` reach `peer`'s memory, where the machine allows it.
bool enable_peer(const CuDevice& device, const CuDevice& peer);

/// What the driver has allocated, by address.
Allocations& allocations();

}  // namespace dlport::drivers::cuda
