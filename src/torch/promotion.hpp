// PyTorch's rules about dtypes: what a mix of operands becomes, and what arithmetic is carried out in.
#pragma once

#include <span>

#include "dlport/dtype.hpp"

namespace dlport::pytorch {

constexpr bool is_bool(DType dtype) {
  return dtype.code == kDLBool;
}
constexpr bool is_floating(DType dtype) {
  return dtype.code == kDLFloat || dtype.code == kDLBfloat;
}
constexpr bool is_complex(DType dtype) {
  return dtype.code == kDLComplex;
}
/// Integers, bool included.
constexpr bool is_integral(DType dtype) {
  return dtype.code == kDLInt || dtype.code == kDLUInt || is_bool(dtype);
}

/// An operand's say in the dtype of a result: a dimensioned tensor has more of it than a 0-dim one, and a Python
/// number has least.
enum class Rank { dimensioned, scalar, number };

struct Operand {
  DType dtype;
  Rank rank;
};

/// The dtype of a result over `operands`. `default_float` is what a Python float counts as.
/// Throws Declined for a pair that does not promote (uint16 and wider unsigned ones).
DType result_type(std::span<const Operand> operands, DType default_float);

/// What both convert to without loss of kind.
DType promote_types(DType a, DType b);

/// What PyTorch's CPU kernels, and ours, compute in before rounding to `dtype`: half types in float32, narrow integers
/// and bool in a wider one, which the final conversion wraps around.
DType compute_type(DType dtype);

}  // namespace dlport::pytorch
