/// Exchange: validating what comes in and copying where sharing is not possible.
#pragma once

#include <cstdint>

#include "dlport/dlpack.h"
#include "dlport/dtype.hpp"
#include "dlport/export.h"
#include "dlport/tensor.hpp"

namespace dlport {

/// Checks a foreign tensor without reading a byte of its memory: ndim, null pointers, negative or overflowing
/// dimensions, strides that leave the address space, dtype, device type, flags.
/// Throws Error{invalid_tensor} naming the field and its value.
DLPORT_API void validate(const DLTensor& tensor, uint64_t flags = 0);

/// Copies every element of `src` to `dst`: same shape, same dtype, any strides, both in host memory.
/// Contiguous runs go through memcpy, transposes are blocked, large copies use several threads.
/// Throws Error{invalid_argument} where shape or dtype differ or a side is not host memory, or where the two
/// overlap without being the same layout of the same memory.
DLPORT_API void copy_strided(const TensorView& dst, const TensorView& src);

/// As copy_strided, converting each element as C++ does (float to integer truncates, to bool tests for non-zero).
DLPORT_API void copy_cast(const TensorView& dst, const TensorView& src);

/// A row-major copy of `src` in fresh host memory.
DLPORT_API Tensor contiguous_copy(const TensorView& src);

/// True where the memory that the two layouts span intersects.
DLPORT_API bool may_share_memory(const TensorView& a, const TensorView& b) noexcept;

}  // namespace dlport
