// An operator of PyTorch seen as a variant of a lowering: functional, in-place or out=.
#pragma once

#include <ATen/core/function_schema.h>

#include <cstdint>
#include <vector>

#include "torch/lowering/table.hpp"

namespace dlport::pytorch {

struct Variant {
  const Entry* entry = nullptr;
  size_t arguments = 0;           // on the stack; the entry takes the first of them
  std::vector<uint32_t> targets;  // positions of arguments that get the results; none: the results are new tensors
  bool is_out = false;            // the targets are out= tensors
  size_t returns = 0;
  bool returns_list = false;
};

/// The lowering of `schema`'s operator, or one with no entry. An in-place or out= variant is told by its schema: it
/// writes to arguments, and without these it takes what the functional operator takes.
Variant find_variant(const c10::FunctionSchema& schema);

}  // namespace dlport::pytorch
