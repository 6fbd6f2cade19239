// The one allocation behind a Tensor: reference count, managed tensor, shape and strides.
#pragma once

#include <atomic>
#include <cstdint>

#include "dlport/tensor.hpp"

namespace dlport::detail {

/// Counted by Tensors and by the managed tensors that to_managed() handed out. `managed` is itself what an export
/// hands out: its deleter drops a reference, so an export costs an atomic increment and no allocation.
struct TensorObject {
  DLManagedTensorVersioned managed;
  std::atomic<int64_t> references{1};
  Device device;      // as the user sees it; managed.dl_tensor.device is the physical one
  void* context;      // what keeps the memory alive
  Deleter deleter;    // may be null
  int64_t extents[];  // ndim dimensions, then ndim strides

  /// Makes an object with room for `ndim` dimensions; the caller fills in everything but the count.
  static TensorObject* create(int32_t ndim, void* context, Deleter deleter);

  void retain() noexcept { references.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }

  static TensorObject* of(const Tensor& tensor) noexcept { return tensor.object_; }
  /// Takes over one reference.
  static Tensor wrap(TensorObject* object) noexcept { return Tensor(object); }

 private:
  void destroy() noexcept;
};

}  // namespace dlport::detail
