// How a lowered operator is carried out: its graph, compiled once per kind of call, and run on the tensors' memory.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace dlport::pytorch {

class Lowering;

/// The lowering of an operator, or null where the table has none. It lives as long as the process.
Lowering* find_lowering(const c10::OperatorHandle& op);

/// Replaces the arguments on `stack` by the results and returns true; or leaves the stack alone and returns false
/// where this call has no lowering (a dtype that ONNX Runtime has no kernel for, semantics that ONNX cannot express).
bool run_lowered(Lowering& lowering, const c10::OperatorHandle& op, ::torch::jit::Stack* stack);

}  // namespace dlport::pytorch
