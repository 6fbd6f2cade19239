#include "torch/pinned.hpp"

#include <c10/core/CPUAllocator.h>

#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace dlport::pytorch {
namespace {

class PinnedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    c10::DataPtr data = c10::GetCPUAllocator()->allocate(bytes);
    void* const address = data.get();
    {
      std::lock_guard lock(mutex_);
      blocks_[address] = bytes;
    }
    return {address, new Block{this, std::move(data)}, [](void* context) { delete static_cast<Block*>(context); },
            c10::DeviceType::CPU};
  }
  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }

  bool contains(const void* pointer) const {
    std::lock_guard lock(mutex_);
    auto next = blocks_.upper_bound(pointer);
    if (next == blocks_.begin()) return false;
    const auto& [start, bytes] = *std::prev(next);
    return pointer < static_cast<const char*>(start) + bytes;
  }

 private:
  struct Block {
    PinnedAllocator* allocator;
    c10::DataPtr data;
    ~Block() {
      std::lock_guard lock(allocator->mutex_);
      allocator->blocks_.erase(data.get());
    }
  };
  mutable std::mutex mutex_;
  std::map<const void*, size_t> blocks_;  // start and size
};

PinnedAllocator& instance() {
  static auto* made = new PinnedAllocator;  // blocks may outlive static objects
  return *made;
}

}  // namespace

c10::Allocator& pinned_allocator() {
  return instance();
}
bool is_pinned(const void* pointer) {
  return instance().contains(pointer);
}

}  // namespace dlport::pytorch
