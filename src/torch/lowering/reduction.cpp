// Reductions over axes.
#include <cmath>
#include <limits>

#include "torch/lowering/families.hpp"
#include "torch/lowering/table.hpp"

namespace dlport::pytorch {
namespace {

using Axes = std::optional<Dims>;
using Type = std::optional<DType>;

Dims all(Emit& e, const Value& x, const Axes& axes = {}) {
  return e.axes(x, axes.value_or(Dims{}));
}

/// Sums of integers are int64.
Value summand(Emit& e, const Value& x, const Type& type) {
  return e.cast(x, type.value_or(is_integral(x.dtype) ? int64 : x.dtype));
}

Value sum(Emit& e, Value x, Axes axes, bool keepdim, Type type) {
  return e.sum(summand(e, x, type), all(e, x, axes), keepdim);
}

Value mean(Emit& e, Value x, Axes axes, bool keepdim, Type type) {
  x = e.cast(x, type.value_or(x.dtype));
  if (is_integral(x.dtype)) decline("a mean of integers, which PyTorch refuses");
  return e.mean(x, all(e, x, axes), keepdim);
}

/// uint8 stands for bool here, and stays.
Value truth(Emit& e, const char* op, const Value& x, const Axes& axes, bool keepdim) {
  const Value found = e.to_bool(e.reduce(op, e.cast(e.to_bool(x), int32), all(e, x, axes), keepdim));
  return x.dtype == uint8 ? e.cast(found, uint8) : found;
}

template <bool every>
Value truth_all(Emit& e, Value x) {
  return truth(e, every ? "ReduceMin" : "ReduceMax", x, {}, false);
}
template <bool every>
Value truth_axis(Emit& e, Value x, int64_t axis, bool keepdim) {
  return truth(e, every ? "ReduceMin" : "ReduceMax", x, Dims{axis}, keepdim);
}
template <bool every>
Value truth_axes(Emit& e, Value x, Axes axes, bool keepdim) {
  if (axes && axes->empty()) decline("no axes");
  return truth(e, every ? "ReduceMin" : "ReduceMax", x, axes, keepdim);
}

template <bool largest>
Value extreme(Emit& e, Value x, Dims axes, bool keepdim) {
  return e.extreme(largest ? "ReduceMax" : "ReduceMin", x, all(e, x, axes), keepdim);
}
template <bool largest>
Value extreme_all(Emit& e, Value x) {
  return extreme<largest>(e, x, {}, false);
}
template <bool largest>
std::pair<Value, Value> extreme_axis(Emit& e, Value x, int64_t axis, bool keepdim) {
  axis = e.axis(x, axis);
  return {extreme<largest>(e, x, {axis}, keepdim), e.arg(largest ? "ArgMax" : "ArgMin", x, axis, keepdim)};
}
template <bool largest>
Value arg(Emit& e, Value x, std::optional<int64_t> axis, bool keepdim) {
  if (is_bool(x.dtype)) decline("positions of bool");
  const char* op = largest ? "ArgMax" : "ArgMin";
  if (axis) return e.arg(op, x, e.axis(x, *axis), keepdim);
  const Value position = e.arg(op, e.reshape(x, {x.numel()}), 0, false);
  return keepdim ? e.reshape(position, Dims(x.shape.size(), 1)) : position;
}

struct Moments {
  Value variance, mean;
};

Moments moments(Emit& e, const Value& x, const Axes& axes, std::optional<double> correction, bool keepdim) {
  if (is_integral(x.dtype)) decline("a variance of integers, which PyTorch refuses");
  const Dims over = all(e, x, axes);
  double count = 1;
  for (int64_t axis : over) count *= static_cast<double>(x.shape[static_cast<size_t>(axis)]);
  const double divisor = count - correction.value_or(1);
  if (divisor <= 0 || over.empty()) decline("a variance of too few elements");
  const Value mean = e.mean(x, over, true);
  const Value variance = e.div(e.sum(e.square(e.sub(x, mean)), over, keepdim), divisor);
  return {variance, keepdim ? mean : e.squeeze(mean, over)};
}

Value norm(Emit& e, Value x, double order, const Dims& axes, bool keepdim) {
  if (is_integral(x.dtype)) decline("a norm of integers, which PyTorch refuses");
  if (order == 2) return e.sqrt(e.sum(e.square(x), axes, keepdim));
  const Value size = e.abs(x);
  if (order == 1) return e.sum(size, axes, keepdim);
  if (order == 0) return e.sum(e.cast(e.ne(x, 0), x.dtype), axes, keepdim);
  if (std::isinf(order)) return e.extreme(order > 0 ? "ReduceMax" : "ReduceMin", size, axes, keepdim);
  return e.pow(e.sum(e.pow(size, order), axes, keepdim), 1 / order);
}

}  // namespace

void lower_reduction() {
  lower("aten::sum", [](Emit& e, Value x, Type type) { return sum(e, x, {}, false, type); });
  lower("aten::sum.dim_IntList", sum);
  lower("aten::nansum", [](Emit& e, Value x, Axes axes, bool keepdim, Type type) {
    if (is_floating(x.dtype)) x = e.where(e.is_nan(x), e.cast(0, x.dtype), x);
    return sum(e, x, axes, keepdim, type);
  });
  lower("aten::mean", [](Emit& e, Value x, Type type) { return mean(e, x, {}, false, type); });
  lower("aten::mean.dim", mean);
  lower("aten::prod",
        [](Emit& e, Value x, Type type) { return e.reduce("ReduceProd", summand(e, x, type), all(e, x), false); });
  lower("aten::prod.dim_int", [](Emit& e, Value x, int64_t axis, bool keepdim, Type type) {
    return e.reduce("ReduceProd", summand(e, x, type), {e.axis(x, axis)}, keepdim);
  });
  lower("aten::all", truth_all<true>);
  lower("aten::any", truth_all<false>);
  lower("aten::all.dim", truth_axis<true>);
  lower("aten::any.dim", truth_axis<false>);
  lower("aten::all.dims", truth_axes<true>);
  lower("aten::any.dims", truth_axes<false>);
  lower("aten::amax", extreme<true>);
  lower("aten::amin", extreme<false>);
  lower("aten::max", extreme_all<true>);
  lower("aten::min", extreme_all<false>);
  lower("aten::max.dim", extreme_axis<true>);
  lower("aten::min.dim", extreme_axis<false>);
  lower("aten::argmax", arg<true>);
  lower("aten::argmin", arg<false>);
  lower("aten::aminmax", [](Emit& e, Value x, std::optional<int64_t> axis, bool keepdim) {
    const Dims axes = axis ? Dims{*axis} : Dims{};
    return std::pair(extreme<false>(e, x, axes, keepdim), extreme<true>(e, x, axes, keepdim));
  });
  lower("aten::var.correction", [](Emit& e, Value x, Axes axes, std::optional<double> correction, bool keepdim) {
    return moments(e, x, axes, correction, keepdim).variance;
  });
  lower("aten::std.correction", [](Emit& e, Value x, Axes axes, std::optional<double> correction, bool keepdim) {
    return e.sqrt(moments(e, x, axes, correction, keepdim).variance);
  });
  lower("aten::var_mean.correction", [](Emit& e, Value x, Axes axes, std::optional<double> correction, bool keepdim) {
    const Moments result = moments(e, x, axes, correction, keepdim);
    return std::pair(result.variance, result.mean);
  });
  lower("aten::std_mean.correction", [](Emit& e, Value x, Axes axes, std::optional<double> correction, bool keepdim) {
    const Moments result = moments(e, x, axes, correction, keepdim);
    return std::pair(e.sqrt(result.variance), result.mean);
  });
  lower("aten::logsumexp", [](Emit& e, Value x, Dims axes, bool keepdim) {
    x = e.to_float(x);
    const Dims over = all(e, x, axes);
    const Value highest = e.extreme("ReduceMax", x, over, true);
    const Value shift = e.where(e.is_inf(highest), e.cast(0, x.dtype), highest);  // infinities cannot be subtracted
    const Value sum = e.log(e.sum(e.exp(e.sub(x, shift)), over, true));
    const Value result = e.add(sum, shift);
    return keepdim ? result : e.squeeze(result, over);
  });
  lower("aten::linalg_vector_norm", [](Emit& e, Value x, double order, Axes axes, bool keepdim, Type type) {
    return norm(e, e.cast(x, type.value_or(x.dtype)), order, all(e, x, axes), keepdim);
  });
  lower("aten::norm.ScalarOpt_dim", [](Emit& e, Value x, std::optional<double> order, Dims axes, bool keepdim) {
    return norm(e, x, order.value_or(2), all(e, x, axes), keepdim);
  });
  lower("aten::count_nonzero.dim_IntList",
        [](Emit& e, Value x, Dims axes) { return e.sum(e.cast(e.to_bool(x), int64), all(e, x, axes)); });
  lower("aten::cumsum",
        [](Emit& e, Value x, int64_t axis, Type type) { return e.cumsum(summand(e, x, type), e.axis(x, axis)); });
}

}  // namespace dlport::pytorch
