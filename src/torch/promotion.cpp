#include "torch/promotion.hpp"

#include <optional>

#include "torch/declined.hpp"

namespace dlport::pytorch {
namespace {

/// Of two results by rank, the one with more say wins unless the other is of a higher kind.
std::optional<DType> combine(std::optional<DType> higher, std::optional<DType> lower) {
  if (!higher || !lower) return higher ? higher : lower;
  if (is_floating(*higher)) return higher;
  if (is_bool(*higher) || is_floating(*lower)) return promote_types(*higher, *lower);
  return higher;
}

}  // namespace

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  if (is_complex(a) || is_complex(b)) decline("complex numbers");
  if (is_bool(a)) return b;
  if (is_bool(b)) return a;
  if (is_floating(a) != is_floating(b)) return is_floating(a) ? a : b;
  if (is_floating(a)) {
    if (a.bits == b.bits) return float32;  // float16 and bfloat16
    return a.bits > b.bits ? a : b;
  }
  if (a.code == b.code) {
    if (a.code == kDLUInt) decline("a mix of unsigned integers");
    return a.bits > b.bits ? a : b;
  }
  const DType unsigned_one = a.code == kDLUInt ? a : b, signed_one = a.code == kDLUInt ? b : a;
  if (unsigned_one.bits > 8) decline("a mix of " + to_string(a) + " and " + to_string(b));
  return signed_one.bits > 8 ? signed_one : int16;
}

DType result_type(std::span<const Operand> operands, DType default_float) {
  std::optional<DType> by_rank[3];
  for (const Operand& operand : operands) {
    DType dtype = operand.dtype;
    if (operand.rank == Rank::number && is_floating(dtype)) dtype = default_float;
    std::optional<DType>& slot = by_rank[static_cast<int>(operand.rank)];
    slot = slot ? promote_types(*slot, dtype) : dtype;
  }
  return combine(by_rank[0], combine(by_rank[1], by_rank[2])).value();
}

DType compute_type(DType dtype) {
  if (is_floating(dtype)) return dtype.bits < 32 ? float32 : dtype;
  if (is_integral(dtype)) {
    if (dtype == uint64) decline("arithmetic in uint64");
    return dtype.bits > 32 || dtype == uint32 ? int64 : int32;
  }
  decline("arithmetic in " + to_string(dtype));
}

}  // namespace dlport::pytorch
