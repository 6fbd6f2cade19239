// Host memory as the cpu driver gives and moves it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dlport::drivers::cpu_memory {

/// What DLPack asks of allocations, and enough for every vector instruction and cache line.
inline constexpr uint64_t kAlignment = 256;

/// Memory aligned to `alignment`; large blocks lie on huge pages where the system has them. Null where there is none.
void* allocate(uint64_t size, uint64_t alignment) noexcept;
void release(void* memory) noexcept;

/// memcpy and a repeated pattern, on several threads where the size is worth it.
void copy(void* dst, const void* src, uint64_t size);
void fill(void* dst, const void* pattern, size_t pattern_size, uint64_t size);

/// All bytes of memory that there are; 0 where the system does not say.
uint64_t total() noexcept;

}  // namespace dlport::drivers::cpu_memory
