// A lowered operator: a plan for each kind of call, kept in a cache, and run on the tensors' memory.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dlport::pytorch {

class Lowering;

/// The lowering of an operator, or null where the table has none. It lives as long as the process. An in-place or out=
/// variant has that of the functional operator whose arguments it takes.
Lowering* find_lowering(const c10::OperatorHandle& op);

/// Whether the table has one.
bool has_lowering(const c10::OperatorHandle& op);

/// Replaces the arguments on `stack` by the results and returns true; or leaves the stack alone and returns false
/// where this call has no lowering (a dtype that ONNX Runtime has no kernel for, semantics that ONNX cannot express).
/// A graph that fails to run makes it false too: the native kernel then raises PyTorch's own error, or succeeds.
/// Where PyTorch's own kernel is known to be faster, or another graph would be compiled for an operator that had many,
/// it is left the call too, unless `always`.
bool run_lowered(Lowering& lowering, ::torch::jit::Stack* stack, bool always);

/// Names in the lowering table, sorted.
std::vector<std::string> lowered_operators();

/// By operator, why calls were left to the native kernel, and the number of kinds of call with that reason.
std::map<std::string, std::map<std::string, uint64_t>> declined_calls();

/// What the caches hold and have done since the process started.
struct PlanStats {
  uint64_t planned = 0;   ///< kinds of call worked out
  uint64_t compiled = 0;  ///< graphs compiled for them
  uint64_t copied = 0;    ///< arguments made row-major first
  uint64_t failed = 0;    ///< runs that ONNX Runtime gave up
};
PlanStats plan_stats();

}  // namespace dlport::pytorch
