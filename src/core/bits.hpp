// Copying elements that are narrower than a byte, or whose padding differs.
#pragma once

#include "dlport/tensor.hpp"

namespace dlport::detail {

/// True where moving whole bytes would not do: elements share bytes, or one side pads them and the other does not.
bool needs_bits(const TensorView& dst, const TensorView& src) noexcept;

/// Copies element by element. The first element of a byte is in its low bits; padding is written as zeros. Bits of
/// `dst` that belong to no element stay as they are.
void copy_bits(const TensorView& dst, const TensorView& src);

}  // namespace dlport::detail
