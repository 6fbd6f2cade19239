// Host memory for an ort device: kept for the next tensor of the same size, counted, and limited.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace dlport::pytorch {

/// Hands out ordinary "cpu" memory, aligned to 64 bytes. What is given back is kept for the next request of its size,
/// but never so much that more is held than was once in use at the same time: a pool does not grow a program's peak.
///
/// Memory counts as allocated until its last user, whatever the framework, has let go of it. Results of native kernels
/// come from PyTorch's own allocator; they are counted by a Claim, as long as an ort tensor holds them.
///
/// Thread-safe. Throws c10::OutOfMemoryError, after which everything is as it was.
class Pool final : public c10::Allocator {
 public:
  using Stats = c10::CachingDeviceAllocator::DeviceStats;

  explicit Pool(c10::DeviceIndex device) : device_(device) {}

  c10::DataPtr allocate(size_t bytes) override;
  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }

  /// Counts memory that came from elsewhere. Throws where that exceeds the limit.
  void claim(size_t bytes);
  void release_claim(size_t bytes);

  /// Gives what is kept back to the system.
  void empty_cache();

  /// No more than this many bytes at a time. The default is no limit.
  void set_limit(size_t bytes);
  size_t limit() const;

  Stats stats() const;
  void reset_accumulated_stats();
  void reset_peak_stats();

 private:
  struct Block;

  using FreeBlocks = std::map<size_t, std::vector<void*>>;  // by size

  void* take(size_t bytes);
  void* from_system(size_t bytes);
  void give_back(void* data, size_t bytes);
  void check_limit(size_t bytes);
  void make_room(size_t bytes);
  void count(size_t bytes);
  void uncount(size_t bytes);
  void trim(size_t kept);
  void drop_last(FreeBlocks::iterator size);
  size_t in_use() const;

  const c10::DeviceIndex device_;
  mutable std::mutex mutex_;
  FreeBlocks free_;
  size_t cached_ = 0;  // bytes in it
  size_t most_ = 0;    // bytes in use at the same time, at most so far
  size_t limit_ = std::numeric_limits<size_t>::max();
  Stats stats_;
};

/// The pool of ort:`device`; it lives as long as the process.
Pool& pool(c10::DeviceIndex device);

/// `bytes` of somebody else's memory that count as the pool's while this lives.
class Claim {
 public:
  Claim() = default;
  Claim(Pool& owner, size_t bytes) : owner_(&owner), bytes_(bytes) { owner.claim(bytes); }
  Claim(Claim&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)), bytes_(other.bytes_) {}
  Claim& operator=(Claim&&) = delete;
  Claim resized(size_t bytes) const { return owner_ ? Claim(*owner_, bytes) : Claim(); }
  ~Claim() {
    if (owner_) owner_->release_claim(bytes_);
  }

 private:
  Pool* owner_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace dlport::pytorch
