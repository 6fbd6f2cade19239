// What a driver has allocated: how mistakes with memory are found before a runtime sees them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>

#include "dlport/device.hpp"
#include "dlport/driver.h"

namespace dlport::drivers {

/// The live allocations of one driver. Thread-safe.
class Allocations {
 public:
  /// `by_address`: a pointer into the middle of an allocation names it too; otherwise only the handle itself does.
  explicit Allocations(bool by_address) noexcept : by_address_(by_address) {}

  void add(void* data, uint64_t size, Device device);

  /// Forgets `data`. Throws Error{invalid_argument} where it is not the start of a live allocation of `device`.
  void remove(void* data, Device device);

  /// Throws Error{invalid_argument} where `region` and `size` bytes leave the allocation that `region.data` is in, or
  /// where that one is of another device. Memory that the driver did not allocate passes.
  void check(const dlport_region& region, uint64_t size, const char* what) const;

  /// True where `data` is the start of a live allocation.
  bool contains(void* data) const;

 private:
  struct Entry {
    uint64_t size;
    Device device;
  };
  using Map = std::map<uintptr_t, Entry>;
  Map::const_iterator find(uintptr_t data) const;

  const bool by_address_;
  mutable std::shared_mutex mutex_;
  Map entries_;
};

/// Throws Error{invalid_argument} where the two regions are in the same memory and intersect. `by_address`: handles are
/// addresses, so that two of them may name the same memory.
void check_overlap(const dlport_region& dst, const dlport_region& src, uint64_t size, bool by_address);

/// Throws Error{invalid_argument} for a pattern that fill does not know, or that `size` is not a multiple of.
void check_pattern(const void* pattern, size_t pattern_size, uint64_t size);

/// Throws Error{invalid_argument} for an alignment that is no power of two.
void check_alignment(uint64_t alignment);

/// Throws Error{invalid_argument} where rows overlap each other or their bytes leave 64 bits; the bytes spanned.
uint64_t rows_span(uint64_t pitch, uint64_t row_size, uint64_t rows, const char* what);

}  // namespace dlport::drivers
