#include "drivers/allocations.hpp"

#include <mutex>
#include <string>

#include "dlport/error.hpp"

namespace dlport::drivers {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

std::string hex(uintptr_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value % 16]);
  } while (value /= 16);
  return "0x" + text;
}

uintptr_t address(const void* data) noexcept {
  return reinterpret_cast<uintptr_t>(data);
}

}  // namespace

Allocations::Map::const_iterator Allocations::find(uintptr_t data) const {
  if (!by_address_) return entries_.find(data);
  auto next = entries_.upper_bound(data);
  if (next == entries_.begin()) return entries_.end();
  --next;
  return data - next->first < next->second.size ? next : entries_.end();
}

void Allocations::add(void* data, uint64_t size, Device device) {
  const std::unique_lock lock(mutex_);
  entries_.insert_or_assign(address(data), Entry{size, device});
}

void Allocations::remove(void* data, Device device) {
  const std::unique_lock lock(mutex_);
  auto found = entries_.find(address(data));
  if (found == entries_.end()) {
    refuse(hex(address(data)) + " is not an allocation of " + to_string(device) +
           "'s driver: it is another one's, or was freed before");
  }
  if (!(found->second.device == device)) {
    refuse(hex(address(data)) + " was allocated on " + to_string(found->second.device) + " and cannot be freed on " +
           to_string(device));
  }
  entries_.erase(found);
}

bool Allocations::contains(void* data) const {
  const std::shared_lock lock(mutex_);
  return entries_.contains(address(data));
}

void Allocations::check(const dlport_region& region, uint64_t size, const char* what) const {
  if (size == 0) return;
  if (!region.data)
    refuse(std::string(what) + ".data is a null pointer, but " + std::to_string(size) + " bytes are asked for");
  uint64_t end = 0;
  if (__builtin_add_overflow(region.offset, size, &end)) {
    refuse(std::string(what) + ".offset = " + std::to_string(region.offset) + " with " + std::to_string(size) +
           " bytes passes the end of the address space");
  }
  const std::shared_lock lock(mutex_);
  const auto found = find(address(region.data));
  if (found == entries_.end()) return;
  const Entry& entry = found->second;
  if (!(entry.device == Device(region.device))) {
    refuse(std::string(what) + " lies on " + to_string(entry.device) + ", not on " + to_string(Device(region.device)));
  }
  const uint64_t within = address(region.data) - found->first;
  if (end > entry.size - within) {
    refuse(std::string(what) + ": bytes " + std::to_string(within + region.offset) + " to " +
           std::to_string(within + end) + " are out of range of an allocation of " + std::to_string(entry.size) +
           " bytes");
  }
}

void check_overlap(const dlport_region& dst, const dlport_region& src, uint64_t size, bool by_address) {
  const uint64_t to = dst.offset + (by_address ? address(dst.data) : 0);
  const uint64_t from = src.offset + (by_address ? address(src.data) : 0);
  if (size == 0 || (!by_address && dst.data != src.data)) return;
  if ((to > from ? to - from : from - to) < size) {
    refuse("the " + std::to_string(size) + " bytes of source and destination overlap: they start " +
           std::to_string(to > from ? to - from : from - to) + " bytes apart");
  }
}

void check_pattern(const void* pattern, size_t pattern_size, uint64_t size) {
  if (pattern_size == 0 || pattern_size > 16 || (pattern_size & (pattern_size - 1)) != 0) {
    refuse("a pattern of " + std::to_string(pattern_size) + " bytes cannot be filled with: use 1, 2, 4, 8 or 16");
  }
  if (!pattern) refuse("pattern is a null pointer");
  if (size % pattern_size != 0) {
    refuse(std::to_string(size) + " bytes are not a multiple of the pattern's " + std::to_string(pattern_size));
  }
}

void check_alignment(uint64_t alignment) {
  if ((alignment & (alignment - 1)) != 0) {
    refuse("alignment = " + std::to_string(alignment) + " is not a power of two");
  }
}

uint64_t rows_span(uint64_t pitch, uint64_t row_size, uint64_t rows, const char* what) {
  if (rows == 0 || row_size == 0) return 0;
  uint64_t span = 0;
  if (pitch < row_size) {
    refuse(std::string(what) + "_pitch = " + std::to_string(pitch) + " is less than a row of " +
           std::to_string(row_size) + " bytes");
  }
  if (__builtin_mul_overflow(pitch, rows - 1, &span) || __builtin_add_overflow(span, row_size, &span)) {
    refuse(std::to_string(rows) + " rows " + std::to_string(pitch) + " bytes apart are more than 64 bits can count");
  }
  return span;
}

}  // namespace dlport::drivers
