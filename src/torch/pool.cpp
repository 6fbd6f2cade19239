#include "torch/pool.hpp"

#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

namespace dlport::pytorch {
namespace {

/// Below this the C library's own cache is as good, and sizes are too many to keep apart.
constexpr size_t kKept = 1 << 16;

/// Sizes are rounded to an eighth of the power of two below, so that tensors of about one size share blocks.
size_t rounded(size_t bytes) {
  if (bytes < kKept) return bytes;
  const size_t step = (size_t{1} << (63 - __builtin_clzll(bytes))) / 8;
  return bytes > std::numeric_limits<size_t>::max() - step ? bytes : (bytes + step - 1) / step * step;
}

constexpr size_t kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);

// Nothing is split or waits for a stream, so that several of PyTorch's figures say the same.
using Counter = c10::CachingAllocator::StatArray Pool::Stats::*;
constexpr Counter kCounts[] = {&Pool::Stats::allocation, &Pool::Stats::active};
constexpr Counter kBytes[] = {&Pool::Stats::allocated_bytes, &Pool::Stats::active_bytes, &Pool::Stats::requested_bytes};

}  // namespace

/// What the DataPtr of a block holds.
struct Pool::Block {
  Pool* owner;
  void* data;
  size_t bytes;
  ~Block() { owner->give_back(data, bytes); }
};

c10::DataPtr Pool::allocate(size_t bytes) {
  if (bytes == 0) return {nullptr, c10::DeviceType::CPU};
  const size_t size = rounded(bytes);
  void* data = take(size);
  auto release = [](void* context) { delete static_cast<Block*>(context); };
  return {data, new Block{this, data, size}, release, c10::DeviceType::CPU};
}

void* Pool::take(size_t bytes) {
  std::lock_guard lock(mutex_);
  check_limit(bytes);
  void* data = nullptr;
  if (const auto kept = free_.find(bytes); kept != free_.end()) {
    data = kept->second.back();
    drop_last(kept);
  } else {
    make_room(bytes);
    data = from_system(bytes);
  }
  count(bytes);
  return data;
}

void* Pool::from_system(size_t bytes) {
  try {
    return c10::alloc_cpu(bytes);
  } catch (const c10::Error&) {
    ++stats_.num_ooms;
    TORCH_CHECK_WITH(OutOfMemoryError, false, "ort:", static_cast<int>(device_),
                     " is out of memory: the system has no ", bytes, " bytes left, with ", in_use(), " in use");
  }
}

void Pool::give_back(void* data, size_t bytes) {
  std::lock_guard lock(mutex_);
  uncount(bytes);
  if (bytes < kKept) {
    c10::free_cpu(data);
    return;
  }
  free_[bytes].push_back(data);
  cached_ += bytes;
}

void Pool::claim(size_t bytes) {
  std::lock_guard lock(mutex_);
  check_limit(bytes);
  make_room(bytes);
  count(bytes);
}

void Pool::release_claim(size_t bytes) {
  std::lock_guard lock(mutex_);
  uncount(bytes);
}

void Pool::check_limit(size_t bytes) {
  if (bytes <= limit_ && in_use() <= limit_ - bytes) return;
  ++stats_.num_ooms;
  TORCH_CHECK_WITH(OutOfMemoryError, false, "ort:", static_cast<int>(device_), " is out of memory: ", bytes,
                   " bytes beside the ", in_use(), " in use exceed the limit of ", limit_,
                   " (torch.ort.set_memory_limit)");
}

/// Gives back so much of what is kept that with `bytes` more no more is held than the peak.
void Pool::make_room(size_t bytes) {
  const size_t needed = in_use() + bytes;
  trim(std::max(most_, needed) - needed);
}

void Pool::count(size_t bytes) {
  for (auto counter : kCounts) (stats_.*counter)[kAll].increase(1);
  for (auto counter : kBytes) (stats_.*counter)[kAll].increase(bytes);
  most_ = std::max(most_, in_use());
}

void Pool::uncount(size_t bytes) {
  for (auto counter : kCounts) (stats_.*counter)[kAll].decrease(1);
  for (auto counter : kBytes) (stats_.*counter)[kAll].decrease(bytes);
}

size_t Pool::in_use() const {
  return static_cast<size_t>(stats_.allocated_bytes[kAll].current);
}

/// Gives back to the system what is kept beyond `kept` bytes, the largest blocks first.
void Pool::trim(size_t kept) {
  while (cached_ > kept) {
    const auto largest = std::prev(free_.end());
    c10::free_cpu(largest->second.back());
    drop_last(largest);
  }
}

/// Forgets a block that was kept.
void Pool::drop_last(FreeBlocks::iterator size) {
  cached_ -= size->first;
  size->second.pop_back();
  if (size->second.empty()) free_.erase(size);
}

void Pool::empty_cache() {
  std::lock_guard lock(mutex_);
  trim(0);
  most_ = in_use();
}

void Pool::set_limit(size_t bytes) {
  std::lock_guard lock(mutex_);
  limit_ = bytes;
  most_ = std::max(in_use(), std::min(most_, bytes));
  trim(most_ - in_use());
}

size_t Pool::limit() const {
  std::lock_guard lock(mutex_);
  return limit_;
}

Pool::Stats Pool::stats() const {
  std::lock_guard lock(mutex_);
  Stats result = stats_;
  auto& reserved = result.reserved_bytes[kAll];
  reserved.current = stats_.allocated_bytes[kAll].current + static_cast<int64_t>(cached_);
  reserved.peak = std::max(reserved.current, stats_.allocated_bytes[kAll].peak);  // never more: see trim()
  return result;
}

void Pool::reset_accumulated_stats() {
  std::lock_guard lock(mutex_);
  for (auto counter : kCounts) (stats_.*counter)[kAll].reset_accumulated();
  for (auto counter : kBytes) (stats_.*counter)[kAll].reset_accumulated();
  stats_.num_ooms = 0;
}

void Pool::reset_peak_stats() {
  std::lock_guard lock(mutex_);
  for (auto counter : kCounts) (stats_.*counter)[kAll].reset_peak();
  for (auto counter : kBytes) (stats_.*counter)[kAll].reset_peak();
}

Pool& pool(c10::DeviceIndex device) {
  // As many as a DeviceIndex can name; made when first used, and never unmade: memory may outlive static objects.
  static std::array<std::atomic<Pool*>, 128> pools;
  auto& slot = pools[static_cast<size_t>(std::max<c10::DeviceIndex>(device, 0))];
  if (Pool* made = slot.load(std::memory_order_acquire)) return *made;
  auto* fresh = new Pool(device);
  Pool* none = nullptr;
  if (slot.compare_exchange_strong(none, fresh)) return *fresh;
  delete fresh;
  return *none;
}

}  // namespace dlport::pytorch
