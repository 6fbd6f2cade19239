/// Exchange: validating what comes in and copying where sharing is not possible.
#pragma once

#include <cstdint>

#include "dlport/dlpack.h"
#include "dlport/dtype.hpp"
#include "dlport/export.h"
#include "dlport/tensor.hpp"

namespace dlport {

/// Checks a foreign tensor without reading a byte of its memory: ndim, null pointers, negative or overflowing
/// dimensions, strides that leave the address space (or begin before a device's buffer), dtype, device type, flags.
/// A tensor without elements may have any data pointer and any strides. That `shape` and `strides` are as long as ndim
/// says, and that the memory is there, is what only the producer can know.
/// Throws Error{invalid_tensor} naming the field and its value.
DLPORT_API void validate(const DLTensor& tensor, uint64_t flags = 0);

/// Copies every element of `src` to `dst`: same shape, same dtype, any strides, any alignment, both in host memory.
/// Contiguous runs go through memcpy, transposes through blocks of cache lines, large copies over several threads.
/// Elements narrower than a byte are packed or padded as each side's flags say; the first is in the low bits.
/// Throws Error{invalid_argument} where shape or dtype differ, a side is not host memory, `dst` is read-only or its own
/// elements overlap, or where the two overlap without being the same layout of the same memory.
DLPORT_API void copy_strided(const TensorView& dst, const TensorView& src);

/// As copy_strided, converting each element as C++ does: float to integer truncates (what does not fit gives any
/// integer), complex to real keeps the real part, to bool asks for non-zero. Floats of 16 bits and less round to the
/// nearest, once, whatever they come from, ties to even; what is too large for them becomes infinity, or NaN, or the
/// largest, whichever they have first. Throws Error{unsupported} for handles and between different numbers of lanes.
DLPORT_API void copy_cast(const TensorView& dst, const TensorView& src);

/// A row-major copy of `src` in fresh host memory.
DLPORT_API Tensor contiguous_copy(const TensorView& src);

/// True where the two may share a byte: false where their memory is apart or their steps keep them apart, as with every
/// other row each. Both are valid tensors in the same address space.
DLPORT_API bool may_share_memory(const TensorView& a, const TensorView& b) noexcept;

}  // namespace dlport
