// The drivers that are part of the library.
#pragma once

#include <span>

#include "dlport/driver.h"

namespace dlport::drivers {

/// Each lives as long as the process. Opens no runtime until its devices are counted.
const dlport_driver* cpu_driver() noexcept;
const dlport_driver* opencl_driver() noexcept;
const dlport_driver* cuda_driver() noexcept;

struct Builtin {
  const char* name;
  const dlport_driver* (*table)() noexcept;
  std::span<const DLDeviceType> types;  // that it serves, and no other driver may
};

inline constexpr DLDeviceType kCpuTypes[] = {kDLCPU};
inline constexpr DLDeviceType kOpenclTypes[] = {kDLOpenCL};
inline constexpr DLDeviceType kCudaTypes[] = {kDLCUDA, kDLCUDAHost, kDLCUDAManaged};

inline constexpr Builtin kBuiltins[] = {
    {"cpu", cpu_driver, kCpuTypes},
    {"opencl", opencl_driver, kOpenclTypes},
    {"cuda", cuda_driver, kCudaTypes},
};

}  // namespace dlport::drivers
