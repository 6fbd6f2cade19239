// Runs an operator on PyTorch's own kernel for the physical device, on the memory of the ort tensors, without a copy.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <vector>

namespace dlport::pytorch {

/// What of an operator's schema matters for every call, read once.
struct Signature {
  explicit Signature(const c10::FunctionSchema& schema);

  size_t arguments, returns;
  std::vector<uint32_t> written;     // positions of arguments that the operator writes or resizes
  std::vector<uint32_t> generators;  // positions of random generators
};

/// Replaces the arguments on `stack` by `op`'s results. Throws PyTorch's own errors, and its error about tensors on
/// different devices where an argument that is not a scalar or an index lies elsewhere.
void call_native(const c10::OperatorHandle& op, const Signature& signature, ::torch::jit::Stack* stack);

}  // namespace dlport::pytorch
