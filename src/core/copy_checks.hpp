// What every copy between two tensors asks first.
#pragma once

#include "dlport/tensor.hpp"

namespace dlport::detail {

enum class Work { nothing, disjoint };

/// Throws Error{invalid_argument} where `src` cannot be copied to `dst`, whatever their dtypes; says whether there is
/// anything to do (not for tensors without elements, nor onto themselves).
Work check_copy(const TensorView& dst, const TensorView& src);

}  // namespace dlport::detail
