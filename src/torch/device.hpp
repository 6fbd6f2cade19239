// "ort" as a device of PyTorch.
#pragma once

namespace dlport::pytorch {

/// Registers the allocator, the device guard and the hooks. Once a process.
void register_device();

}  // namespace dlport::pytorch
