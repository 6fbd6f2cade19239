// A plan run on the tensors of one call.
#pragma once

#include <c10/core/Device.h>
#include <c10/util/SmallVector.h>

#include "torch/plan.hpp"

namespace dlport::pytorch {

using Results = c10::SmallVector<at::Tensor, 4>;

/// Adds the call's results to `results`. False where the native kernel has to take the call: values that the graph
/// would treat differently, targets that overlap their operands, a run that ONNX Runtime gave up. Nothing was written
/// then but by a run that broke off.
bool run_plan(const Plan& plan, c10::ArrayRef<c10::IValue> arguments, c10::Device device, Results& results);

struct RunCounters {
  uint64_t copied = 0;  ///< arguments made row-major first
  uint64_t failed = 0;  ///< runs that ONNX Runtime gave up
};
RunCounters run_counters();

}  // namespace dlport::pytorch
