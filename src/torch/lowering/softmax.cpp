// Softmax and its backward.
#include <limits>

#include "torch/lowering/families.hpp"
#include "torch/lowering/table.hpp"

namespace dlport::pytorch {
namespace {

template <bool log>
Value softmax(Emit& e, Value x, int64_t axis, bool half_to_float) {
  if (half_to_float || is_integral(x.dtype)) decline("a softmax that PyTorch refuses");
  return e.softmax(log ? "LogSoftmax" : "Softmax", x, e.axis(x, axis));
}

}  // namespace

void lower_softmax() {
  lower("aten::_softmax", softmax<false>).takes_any_layout();
  lower("aten::_log_softmax", softmax<true>).takes_any_layout();
  lower("aten::_safe_softmax", [](Emit& e, Value x, int64_t axis, std::optional<DType> type) {
    x = e.cast(x, type.value_or(x.dtype));
    axis = e.axis(x, axis);
    const Value result = softmax<false>(e, x, axis, false);
    // Of nothing but -inf some providers say that the largest is the lowest number; its softmax is nan all the same.
    const Value largest = e.reduce("ReduceMax", x, {axis}, true);
    const Value lowest = e.le(largest, e.cast(std::numeric_limits<float>::lowest(), largest.dtype));
    const Value masked = e.logical("And", lowest, e.is_nan(e.slice(result, axis, 0, 1)));
    return e.where(masked, e.cast(0, x.dtype), result);  // attention to nothing
  });
  lower("aten::_softmax_backward_data", [](Emit& e, Value grad, Value output, int64_t axis, Ignored) {
    // Not grad * output - output * sum: where a probability is near 1 and the rest near 0, that cancels to noise.
    const Value sum = e.sum(e.mul(e.cast(grad, float64), e.cast(output, float64)), {e.axis(output, axis)}, true);
    return e.mul(e.sub(grad, e.cast(sum, grad.dtype)), output);
  }).takes_any_layout();
  lower("aten::_log_softmax_backward_data", [](Emit& e, Value grad, Value output, int64_t axis, Ignored) {
    return e.sub(grad, e.mul(e.exp(output), e.sum(grad, {e.axis(output, axis)}, true)));
  }).takes_any_layout();
}

}  // namespace dlport::pytorch
