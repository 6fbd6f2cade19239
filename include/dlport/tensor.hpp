/// Tensors: `TensorView` borrows, `Tensor` owns. Both are DLPack's `DLTensor` underneath.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "dlport/device.hpp"
#include "dlport/dlpack.h"
#include "dlport/dtype.hpp"
#include "dlport/export.h"
#include "dlport/layout.hpp"

namespace dlport {

/// A borrowed tensor: a `DLTensor` by value, whose shape and strides arrays belong to somebody else, and its flags.
/// Copying one copies 56 bytes. The lender keeps memory and arrays alive while the view is used.
class TensorView {
 public:
  TensorView() noexcept = default;
  /// Borrows `tensor`; nothing is validated (see validate() in exchange.hpp for foreign ones).
  TensorView(const DLTensor& tensor, uint64_t flags = 0) noexcept : tensor_(tensor), flags_(flags) {}  // NOLINT

  /// The first element: DLPack's `data` plus `byte_offset`. Meaningless for devices whose `data` is a handle.
  void* data() const noexcept {  // by integers: without elements the pointer and its offset may be anything
    return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(tensor_.data) + tensor_.byte_offset);
  }
  Device device() const noexcept { return tensor_.device; }
  DType dtype() const noexcept { return tensor_.dtype; }
  int32_t ndim() const noexcept { return tensor_.ndim; }
  Shape shape() const noexcept { return {tensor_.shape, static_cast<size_t>(tensor_.ndim)}; }
  /// In elements; empty where the producer left them NULL, which means row-major.
  Strides strides() const noexcept {
    return tensor_.strides ? Strides{tensor_.strides, static_cast<size_t>(tensor_.ndim)} : Strides{};
  }
  /// DLPack's DLPACK_FLAG_BITMASK_* bits.
  uint64_t flags() const noexcept { return flags_; }
  bool read_only() const noexcept { return flags_ & DLPACK_FLAG_BITMASK_READ_ONLY; }
  /// True where each element narrower than a byte has a byte of its own (its value in the low bits).
  bool is_padded() const noexcept { return flags_ & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED; }
  /// Bits from one element to the next of a row: all lanes together, or whole bytes where padded.
  int64_t pitch_bits() const noexcept { return is_padded() ? 8 * dtype().itemsize() : dtype().element_bits(); }
  int64_t numel() const noexcept { return dlport::numel(shape()); }
  /// Bytes of the elements laid row-major: those of sub-byte dtypes share bytes unless they are padded.
  int64_t nbytes() const noexcept { return (numel() * pitch_bits() + 7) / 8; }
  bool is_contiguous() const noexcept { return dlport::is_contiguous(shape(), strides()); }
  /// True where the first element lies at a multiple of its own alignment.
  DLPORT_API bool is_aligned() const noexcept;

  const DLTensor& dltensor() const noexcept { return tensor_; }

 private:
  DLTensor tensor_{nullptr, {kDLCPU, 0}, 0, {kDLFloat, 32, 1}, nullptr, nullptr, 0};
  uint64_t flags_ = 0;
};

/// A line such as "float32 (3, 4) on cpu:0, strides (1, 3), read-only": strides where they are not row-major.
DLPORT_API std::string to_string(const TensorView& view);

/// Called once when the last reference to foreign memory goes; may run on any thread.
using Deleter = void (*)(void* context);

namespace detail {
struct TensorObject;  // one allocation: reference count, managed tensor, shape and strides
}

/// An owned tensor: a counted reference to memory with a layout. Copying shares, destruction of the last
/// reference releases the memory exactly once. Thread-safe as a `shared_ptr` is: the count is atomic, the
/// elements are not guarded.
class Tensor {
 public:
  Tensor() noexcept = default;
  Tensor(const Tensor& other) noexcept : managed_(other.managed_) { retain(); }
  Tensor(Tensor&& other) noexcept : managed_(std::exchange(other.managed_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(managed_, other.managed_);
    return *this;
  }
  ~Tensor() {
    if (managed_) release();
  }

  /// Uninitialised row-major host memory, aligned to 256 bytes as DLPack asks. `flags` may ask for padded elements.
  /// Throws Error{invalid_argument} for a bad shape or dtype, Error{out_of_memory}.
  DLPORT_API static Tensor empty(Shape shape, DType dtype, uint64_t flags = 0);

  /// Wraps memory that `context` keeps alive; `deleter(context)` runs once (also where this throws).
  /// `strides` may be empty (row-major). `flags` are DLPack's (read-only, padded sub-byte).
  DLPORT_API static Tensor from_blob(void* data, Shape shape, Strides strides, DType dtype, Device device,
                                     void* context, Deleter deleter, uint64_t flags = 0);

  /// As from_blob, described by a `DLTensor` (byte_offset included), whose arrays are copied.
  DLPORT_API static Tensor from_dltensor(const DLTensor& tensor, void* context, Deleter deleter, uint64_t flags = 0);

  /// Takes over a managed tensor after validating it. Throws Error{invalid_tensor} naming the field at fault, a virtual
  /// device that resolves to nothing among them; the managed tensor's deleter has then been called. The is-copied flag
  /// is about this import, so the tensor does not keep it.
  DLPORT_API static Tensor from_managed(DLManagedTensorVersioned* managed);
  DLPORT_API static Tensor from_managed_legacy(DLManagedTensor* managed);

  /// Hands out a reference as a managed tensor, whose deleter releases it; strides are never NULL for ndim > 0.
  /// `copied` sets the is-copied flag. The device is the physical one.
  DLPORT_API DLManagedTensorVersioned* to_managed(bool copied = false) const;
  /// As to_managed, without flags: throws Error{unsupported} for a read-only or padded sub-byte tensor.
  DLPORT_API DLManagedTensor* to_managed_legacy() const;

  explicit operator bool() const noexcept { return managed_ != nullptr; }

  // What the tensor is; all of these need a non-null tensor.
  const DLTensor& dltensor() const noexcept { return managed_->dl_tensor; }
  uint64_t flags() const noexcept { return managed_->flags; }
  TensorView view() const noexcept { return {dltensor(), flags()}; }
  operator TensorView() const noexcept { return view(); }  // NOLINT: lending is free
  void* data() const noexcept { return view().data(); }
  /// The device the tensor was made on: possibly a virtual one.
  DLPORT_API Device device() const noexcept;
  /// The device whose memory it is; what every export hands out.
  Device physical_device() const noexcept { return view().device(); }
  DType dtype() const noexcept { return view().dtype(); }
  int32_t ndim() const noexcept { return dltensor().ndim; }
  Shape shape() const noexcept { return view().shape(); }
  Strides strides() const noexcept { return view().strides(); }
  int64_t numel() const noexcept { return view().numel(); }
  int64_t nbytes() const noexcept { return view().nbytes(); }
  bool is_contiguous() const noexcept { return view().is_contiguous(); }
  bool is_aligned() const noexcept { return view().is_aligned(); }
  bool read_only() const noexcept { return view().read_only(); }
  bool is_padded() const noexcept { return view().is_padded(); }

  // Layout operations: pure, they share the memory. Negative axes count from the end.
  // Each throws Error{invalid_argument} naming the argument that does not fit.
  DLPORT_API Tensor as_strided(Shape shape, Strides strides, int64_t offset) const;
  /// One dimension may be -1: what is left. Error{would_copy} where the layout allows the shape only to a copy.
  DLPORT_API Tensor reshape(Shape shape) const;
  DLPORT_API Tensor permute(std::span<const int> axes) const;
  /// Python's slice, with its rules: negative positions count from the end, all are clamped to the axis.
  DLPORT_API Tensor slice(int axis, int64_t start, int64_t stop, int64_t step = 1) const;
  DLPORT_API Tensor select(int axis, int64_t index) const;
  DLPORT_API Tensor broadcast_to(Shape shape) const;
  /// The same memory under another name: a virtual device that resolves to this tensor's physical one, or "cpu" for
  /// host memory of another kind (pinned, managed).
  DLPORT_API Tensor on(Device device) const;
  DLPORT_API Tensor as_read_only() const;

 private:
  explicit Tensor(DLManagedTensorVersioned* managed) noexcept : managed_(managed) {}
  DLPORT_API void retain() const noexcept;
  DLPORT_API void release() noexcept;

  friend struct detail::TensorObject;
  DLManagedTensorVersioned* managed_ = nullptr;  // the front of a detail::TensorObject
};

}  // namespace dlport
