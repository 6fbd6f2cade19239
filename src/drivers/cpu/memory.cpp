#include "drivers/cpu/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/parallel.hpp"

namespace dlport::drivers::cpu_memory {
namespace {

constexpr uint64_t kHugePage = 2 << 20;
constexpr size_t kCached = 32 << 10;
constexpr int64_t kGrain = 4096;  // bytes at whose multiples the parts of a split transfer begin

}  // namespace

void* allocate(uint64_t size, uint64_t alignment) noexcept {
  const bool large = size >= 2 * kHugePage;
  alignment = std::max(alignment, large ? kHugePage : kAlignment);
  if (size > INT64_MAX - alignment) return nullptr;
  const uint64_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory && large) madvise(memory, rounded, MADV_HUGEPAGE);  // advice: a kernel without them says no
  return memory;
}

void release(void* memory) noexcept {
  std::free(memory);
}

void copy(void* dst, const void* src, uint64_t size) {
  auto part = [=](int64_t begin, int64_t end) {
    std::memcpy(static_cast<char*>(dst) + begin, static_cast<const char*>(src) + begin,
                static_cast<size_t>(end - begin));
  };
  detail::parallel_for(static_cast<int64_t>(size), kGrain, static_cast<int64_t>(size), part);
}

void fill(void* dst, const void* pattern, size_t pattern_size, uint64_t size) {
  auto part = [=](int64_t begin, int64_t end) {
    char* to = static_cast<char*>(dst) + begin;
    const size_t bytes = static_cast<size_t>(end - begin);
    if (pattern_size == 1) {
      std::memset(to, *static_cast<const unsigned char*>(pattern), bytes);
      return;
    }
    std::memcpy(to, pattern, pattern_size);
    // What is filled already is the pattern for more of it, as long as it stays in the cache.
    for (size_t done = pattern_size, count; done < bytes; done += count) {
      count = std::min({done, kCached, bytes - done});
      std::memcpy(to + done, to, count);
    }
  };
  if (size > 0) detail::parallel_for(static_cast<int64_t>(size), kGrain, static_cast<int64_t>(size), part);
}

uint64_t total() noexcept {
  const long pages = sysconf(_SC_PHYS_PAGES);
  return pages > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace dlport::drivers::cpu_memory
