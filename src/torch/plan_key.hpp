// What makes two calls of an operator alike: the same plan serves both.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <c10/util/SmallVector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "torch/variant.hpp"

namespace dlport::pytorch {

/// dtypes, sizes, layouts and constants of a call, but neither the tensors' data nor the numbers that graphs take as
/// inputs.
using PlanKey = std::vector<uint64_t>;
using KeyWords = c10::SmallVector<uint64_t, 64>;

struct KeyHash {
  using is_transparent = void;
  size_t operator()(std::span<const uint64_t> words) const noexcept {
    uint64_t hash = words.size();
    for (uint64_t word : words) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return hash;
  }
};
struct KeyEqual {
  using is_transparent = void;
  bool operator()(std::span<const uint64_t> a, std::span<const uint64_t> b) const noexcept {
    return std::ranges::equal(a, b);
  }
};

/// Writes the key of a call and returns the ort device that its tensors are on; or nothing where no lowering takes
/// such a call: tensors on several devices, complex, conjugated, empty or without strides, numbers beyond int64.
std::optional<c10::Device> make_key(const Variant& variant, c10::ArrayRef<c10::IValue> arguments, KeyWords& key);

/// A Python number as PyTorch passes it where a tensor is expected: a 0-dim tensor on the cpu, marked as a number.
inline bool is_number(const at::Tensor& tensor) {
  if (!tensor.unsafeGetTensorImpl()->is_wrapped_number() || !tensor.is_cpu()) return false;
  const at::ScalarType type = tensor.scalar_type();
  return type == at::kDouble || type == at::kLong || type == at::kBool;
}

/// Such a number, or a Scalar argument.
struct Number {
  DType dtype;  // int64, float64 or bool
  union {
    int64_t integer;
    double real;
  };
};
Number read_number(const c10::IValue& value);

}  // namespace dlport::pytorch
