// A bounded map that forgets what was used longest ago. Not thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace dlport::ort {

template <class Value>
class LruCache {
 public:
  explicit LruCache(size_t capacity) : capacity_(capacity) {}

  /// The value of `key`, which is now the one used last; null where there is none.
  const Value* find(std::string_view key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return &found->second->second;
  }

  /// Keeps `value` under a `key` that is not there yet.
  void insert(std::string_view key, Value value) {
    order_.emplace_front(key, std::move(value));
    index_.emplace(order_.front().first, order_.begin());
    trim();
  }

  void set_capacity(size_t capacity) {
    capacity_ = capacity;
    trim();
  }

  size_t size() const noexcept { return index_.size(); }
  size_t capacity() const noexcept { return capacity_; }

 private:
  using Order = std::list<std::pair<std::string, Value>>;

  void trim() {
    while (index_.size() > capacity_) {
      index_.erase(order_.back().first);
      order_.pop_back();
    }
  }

  size_t capacity_;
  Order order_;  // used last first; its strings are the keys of the index
  std::unordered_map<std::string_view, typename Order::iterator> index_;
};

}  // namespace dlport::ort
