// The OpenCL devices of this machine, each with its context and the queue that calls without a stream use.
#pragma once

#include <string>
#include <vector>

#include "dlport/device.hpp"
#include "drivers/allocations.hpp"
#include "drivers/opencl/api.hpp"

namespace dlport::drivers::opencl {

struct ClDevice {
  cl_device_id id;
  cl_context context;  // shared by the devices of a platform, so that they copy to each other directly
  cl_command_queue queue;
  std::string name;
  uint64_t memory, max_allocation;
  uint32_t alignment;  // bytes; of sub-buffers
};

/// All of them, in the order of the platforms; never changes. Throws Error{not_found} where there is no library.
const std::vector<ClDevice>& devices();

/// Throws Error{not_found} where `device` is not opencl:N of an existing N.
const ClDevice& device_of(DLDevice device);

/// A new in-order queue that keeps profiling times.
cl_command_queue create_queue(const ClDevice& device);

/// What the driver has allocated: cl_mem handles.
Allocations& allocations();

}  // namespace dlport::drivers::opencl
