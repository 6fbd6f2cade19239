// Tensors as OrtValues and back, without a copy.
#pragma once

#include <memory>
#include <vector>

#include "dlport/tensor.hpp"
#include "ort/api.hpp"

namespace dlport::ort {

/// The library's allocator of ordinary host memory; never released.
OrtAllocator* host_allocator();

/// An OrtValue over `tensor`'s memory, which has to be row-major; the caller releases it and keeps the memory alive.
OrtValue* make_value(const TensorView& tensor);

/// Whether `tensor` lies in memory as ONNX Runtime reads it: row-major, elements of few bits packed.
inline bool is_row_major(const TensorView& tensor) {
  return tensor.is_contiguous() && !tensor.is_padded();
}

/// A packed row-major copy, counted by strided_copies().
Tensor row_major_copy(const TensorView& tensor);

/// A value over `tensor`'s own memory or, where it is not row-major, over a copy, which goes to `copies`.
OrtValue* lend(const TensorView& tensor, std::vector<Tensor>& copies);

/// The element type and shape of a value that holds a tensor. The shape belongs to it or to the value.
class TensorFacts {
 public:
  explicit TensorFacts(const OrtValue* value);
  ElementType element() const noexcept { return element_; }
  Shape shape() const noexcept { return shape_; }

 private:
  ElementType element_{};
  Shape shape_;
  std::vector<int64_t> copied_;
};

/// A tensor over the memory of `value`, which holds a tensor of numbers. It keeps the value and `owner` alive.
Tensor take_tensor(ValueHandle value, std::shared_ptr<const void> owner);

}  // namespace dlport::ort
