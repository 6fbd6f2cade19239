// A bounded map that forgets what was not used for longest.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace dlport::pytorch {

/// Thread-safe. `Hash` and `Equal` may be transparent, so that a lookup need not build a `Key`.
template <class Key, class Value, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
class LruCache {
 public:
  explicit LruCache(size_t capacity) : capacity_(capacity) {}

  /// A copy of the value, or a default one where there is none.
  template <class K>
  Value find(const K& key) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) return {};
    order_.splice(order_.begin(), order_, found->second);
    return found->second->second;
  }

  /// Keeps `value` unless another thread was faster.
  void insert(Key key, Value value) {
    const std::lock_guard lock(mutex_);
    if (index_.contains(key)) return;
    order_.emplace_front(key, std::move(value));
    index_.emplace(std::move(key), order_.begin());
    if (index_.size() <= capacity_) return;
    index_.erase(order_.back().first);
    order_.pop_back();
  }

  size_t size() const {
    const std::lock_guard lock(mutex_);
    return index_.size();
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    index_.clear();
    order_.clear();
  }

 private:
  using Order = std::list<std::pair<Key, Value>>;

  const size_t capacity_;
  mutable std::mutex mutex_;
  Order order_;  // most recently used first
  std::unordered_map<Key, typename Order::iterator, Hash, Equal> index_;
};

}  // namespace dlport::pytorch
