// The one allocation behind a Tensor: reference count, managed tensor, shape and strides.
#pragma once

#include <atomic>
#include <cstdint>

#include "dlport/tensor.hpp"

namespace dlport::detail {

/// Counted by Tensors and by the managed tensors that to_managed() handed out. The base is itself what an export
/// hands out: its deleter drops a reference, so an export costs an atomic increment and no allocation.
struct TensorObject : DLManagedTensorVersioned {
  std::atomic<int64_t> references{1};
  Device device;      // as the user sees it; dl_tensor.device is the physical one
  void* context;      // what keeps the memory alive
  Deleter deleter;    // may be null
  int64_t extents[];  // ndim dimensions, then ndim strides

  /// Makes an object with room for `ndim` dimensions; the caller fills in everything but the count.
  /// Throws Error{out_of_memory}; `deleter` is then still the caller's to run.
  static TensorObject* create(int32_t ndim, void* context, Deleter deleter);

  /// A tensor over `base`'s memory with its own layout, `byte_offset` further. Throws Error{invalid_argument} for more
  /// dimensions than kMaxNdim.
  static Tensor view(const Tensor& base, Shape shape, Strides strides, int64_t byte_offset);

  void retain() noexcept { references.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }

  static TensorObject* of(const Tensor& tensor) noexcept { return static_cast<TensorObject*>(tensor.managed_); }
  /// Takes over one reference.
  static Tensor wrap(TensorObject* object) noexcept { return Tensor(object); }

 private:
  void destroy() noexcept;
};

}  // namespace dlport::detail
