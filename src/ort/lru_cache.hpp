// A bounded map that forgets what was not used for longest.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace dlport::ort {

/// Thread-safe. `Hash` and `Equal` may be transparent, so that a lookup need not build a `Key`.
template <class Key, class Value, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
class LruCache {
 public:
  explicit LruCache(size_t capacity) : capacity_(capacity) {}

  /// A copy of the value, which is now the one used last, or a default one where there is none.
  template <class K>
  Value find(const K& key) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) return {};
    order_.splice(order_.begin(), order_, found->second);
    return found->second->second;
  }

  /// Keeps `value` unless another thread was faster; returns the one that is kept.
  Value insert(Key key, Value value) {
    const std::lock_guard lock(mutex_);
    if (const auto found = index_.find(key); found != index_.end()) return found->second->second;
    order_.emplace_front(key, value);
    index_.emplace(std::move(key), order_.begin());
    trim();
    return value;
  }

  void set_capacity(size_t capacity) {
    const std::lock_guard lock(mutex_);
    capacity_ = capacity;
    trim();
  }

  size_t size() const {
    const std::lock_guard lock(mutex_);
    return index_.size();
  }

  size_t capacity() const {
    const std::lock_guard lock(mutex_);
    return capacity_;
  }

 private:
  using Order = std::list<std::pair<Key, Value>>;

  void trim() {
    while (index_.size() > capacity_) {
      index_.erase(order_.back().first);
      order_.pop_back();
    }
  }

  mutable std::mutex mutex_;
  size_t capacity_;
  Order order_;  // most recently used first
  std::unordered_map<Key, typename Order::iterator, Hash, Equal> index_;
};

}  // namespace dlport::ort
