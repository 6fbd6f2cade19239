// From the arguments on PyTorch's stack to those of a lowering.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include "torch/lowering/table.hpp"

namespace dlport::pytorch {

DType dtype_of(at::ScalarType type);      // Declined where DLPack has none
at::ScalarType scalar_type(DType dtype);  // Declined where PyTorch has none

/// The order in which memory holds the axes of a tensor without gaps or overlaps (outermost first), or nothing where
/// it has some. Row-major order comes out as 0, 1, ...
std::optional<Dims> memory_order(c10::IntArrayRef sizes, c10::IntArrayRef strides);

/// Takes `value`, argument number `position`, as `kind` says. With `as_lying`, tensors are taken with their axes in the
/// order in which memory holds them; without, they know their order.
Argument make_argument(const c10::IValue& value, Kind kind, int position, bool as_lying);

}  // namespace dlport::pytorch
