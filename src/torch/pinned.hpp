// Pinned memory of the ort device.
#pragma once

#include <c10/core/Allocator.h>

namespace dlport::pytorch {

/// Host memory that answers `is_pinned()` with yes. The device computes on host memory, so that nothing has to be
/// locked for it: being pinned is a matter of bookkeeping, kept because programs ask. Thread-safe; lives as long as the
/// process.
c10::Allocator& pinned_allocator();

/// Whether `pointer` lies in memory from that allocator which is still in use.
bool is_pinned(const void* pointer);

}  // namespace dlport::pytorch
