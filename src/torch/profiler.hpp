#pragma once

namespace dlport::pytorch {

/// Lets PyTorch's profiler time the device.
void register_profiler();

}  // namespace dlport::pytorch
