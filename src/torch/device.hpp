// "ort" as a device of PyTorch.
#pragma once

#include <string>

namespace dlport::pytorch {

/// Registers the allocator, the device guard and the hooks. Once a process.
void register_device();

/// How many ort devices are configured; 0 where ONNX Runtime is missing.
int device_count();

/// The index on which this thread makes tensors, and how to change it. Throws for one that is not configured.
int current_device();
void set_device(int index);

/// The name of the execution provider behind ort:`index`.
std::string device_name(int index);

}  // namespace dlport::pytorch
