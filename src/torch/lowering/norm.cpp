// Normalisations and their backward.
#include "torch/lowering/families.hpp"
#include "torch/lowering/table.hpp"

namespace dlport::pytorch {
namespace {

Dims between(int64_t first, int64_t last) {
  Dims axes;
  for (int64_t axis = first; axis < last; ++axis) axes.push_back(axis);
  return axes;
}

/// A value a channel, along axis 1 of a tensor of `rank` dimensions.
Value by_channel(Emit& e, const Value& x, int rank) {
  return e.unsqueeze(x, between(1, rank - 1));
}

void check(const Value& x, const Optional& weight) {
  if (is_integral(x.dtype)) decline("a normalisation of integers");
  if (weight && weight->dtype != x.dtype) decline("a weight of another dtype");
}

/// The gradient through (x - mean) * rstd, whose mean and deviation depend on x too. `slope` is the gradient by the
/// normalised values, `axes` what mean and deviation were taken over.
Value through(Emit& e, const Value& slope, const Value& normal, const Value& rstd, const Dims& axes) {
  const Value shift = e.mean(slope, axes, true), tilt = e.mean(e.mul(slope, normal), axes, true);
  return e.mul(e.sub(e.sub(slope, shift), e.mul(normal, tilt)), rstd);
}

// --- Layer norm: over the last axes

std::tuple<Value, Value, Value> layer_norm(Emit& e, Value x, Dims normalised, Optional weight, Optional bias,
                                           double eps) {
  check(x, weight);
  check(x, bias);
  const int64_t first = x.rank() - static_cast<int64_t>(normalised.size());
  if (first < 0 || !std::equal(normalised.begin(), normalised.end(), x.shape.begin() + first)) decline("another shape");
  Dims shape = x.shape;
  for (int64_t axis = first; axis < x.rank(); ++axis) shape[static_cast<size_t>(axis)] = 1;
  const Value operand = e.arithmetic(x);
  const Value scale = e.arithmetic(weight ? *weight : e.full(normalised, 1, x.dtype));
  const DType statistics = operand.stored == float64 ? float64 : float32;
  Values results = e.nodes("LayerNormalization", {operand, scale, bias ? Optional(e.arithmetic(*bias)) : std::nullopt},
                           {{operand.stored, x.shape}, {statistics, shape}, {statistics, shape}},
                           {{"axis", first}, {"epsilon", static_cast<float>(eps)}});
  for (Value& result : results) result.dtype = x.dtype;
  return {results[0], results[1], results[2]};
}

OptionalValues layer_norm_backward(Emit& e, Value grad, Value x, Dims normalised, Value mean, Value rstd,
                                   Optional weight, Optional, Dims wanted) {
  check(x, weight);
  const int64_t first = x.rank() - static_cast<int64_t>(normalised.size());
  const Dims inner = between(first, x.rank()), outer = between(0, first);
  const Value normal = e.mul(e.sub(x, mean), rstd);
  const Value slope = weight ? e.mul(grad, *weight) : grad;
  OptionalValues results(3);
  if (wanted[0]) results[0] = through(e, slope, normal, rstd, inner);
  if (wanted[1] && weight) results[1] = e.sum(e.mul(grad, normal), outer);
  if (wanted[2]) results[2] = e.sum(grad, outer);
  return results;
}

// --- Batch norm: over all axes but the channels

std::tuple<Value, Value, Value> batch_norm(Emit& e, Value x, Optional weight, Optional bias, Optional running_mean,
                                           Optional running_variance, bool training, double momentum, double eps) {
  check(x, weight);
  if (x.rank() < 2) decline("a batch norm without channels");
  const int rank = x.rank();
  Dims axes = between(2, rank);
  axes.insert(axes.begin(), 0);
  Value mean, variance;
  if (training) {
    mean = e.mean(x, axes, true);
    variance = e.mean(e.square(e.sub(x, mean)), axes, true);
  } else {
    if (!running_mean || !running_variance) decline("an evaluation without running statistics");
    mean = by_channel(e, *running_mean, rank);
    variance = by_channel(e, *running_variance, rank);
  }
  if (mean.dtype != x.dtype || variance.dtype != x.dtype) decline("statistics of another dtype");
  const Value rstd = e.reciprocal(e.sqrt(e.add(variance, eps)));
  Value scale = rstd, result;
  if (weight) scale = e.mul(scale, by_channel(e, *weight, rank));
  result = e.mul(e.sub(x, mean), scale);
  if (bias) result = e.add(result, by_channel(e, *bias, rank));
  if (!training) return {result, e.full({0}, 0, x.dtype), e.full({0}, 0, x.dtype)};

  const Value flat_mean = e.squeeze(mean, axes), flat_variance = e.squeeze(variance, axes);
  const double count = static_cast<double>(x.numel()) / static_cast<double>(x.shape[1]);
  if (count < 2) decline("a batch norm over single values, which PyTorch refuses");
  const auto update = [&](const Optional& running, const Value& now) {
    if (running) e.update(*running, e.add(e.mul(*running, 1 - momentum), e.mul(now, momentum)));
  };
  update(running_mean, flat_mean);
  update(running_variance, e.mul(flat_variance, count / (count - 1)));
  return {result, flat_mean, e.squeeze(rstd, axes)};
}

OptionalValues batch_norm_backward(Emit& e, Value grad, Value x, Optional weight, Optional running_mean,
                                   Optional running_variance, Optional saved_mean, Optional saved_rstd, bool training,
                                   double eps, Dims wanted) {
  check(x, weight);
  const int rank = x.rank();
  Dims axes = between(2, rank);
  axes.insert(axes.begin(), 0);
  const Optional& mean = training ? saved_mean : running_mean;
  if (!mean || (training ? !saved_rstd : !running_variance)) decline("a backward without statistics");
  const Value rstd = by_channel(e, training ? *saved_rstd : e.reciprocal(e.sqrt(e.add(*running_variance, eps))), rank);
  const Value normal = e.mul(e.sub(x, by_channel(e, *mean, rank)), rstd);
  const Value slope = weight ? e.mul(grad, by_channel(e, *weight, rank)) : grad;
  OptionalValues results(3);
  if (wanted[0]) results[0] = training ? through(e, slope, normal, rstd, axes) : e.mul(slope, rstd);
  if (wanted[1]) results[1] = e.sum(e.mul(grad, normal), axes);
  if (wanted[2]) results[2] = e.sum(grad, axes);
  return results;
}

// --- Group norm: over the channels of a group and all that follows

struct Grouped {
  Dims split;     // batch, groups, channels of a group, rest
  Dims channels;  // 1, groups, channels of a group, 1
};

Grouped grouped(int64_t batch, int64_t channels, int64_t rest, int64_t groups) {
  if (groups <= 0 || channels % groups != 0) decline("groups of different sizes");
  return {{batch, groups, channels / groups, rest}, {1, groups, channels / groups, 1}};
}

std::tuple<Value, Value, Value> group_norm(Emit& e, Value x, Optional weight, Optional bias, int64_t batch,
                                           int64_t channels, int64_t rest, int64_t groups, double eps) {
  check(x, weight);
  const Grouped as = grouped(batch, channels, rest, groups);
  const Value split = e.reshape(x, as.split);
  const Value mean = e.mean(split, {2, 3}, true);
  const Value centred = e.sub(split, mean);
  const Value rstd = e.reciprocal(e.sqrt(e.add(e.mean(e.square(centred), {2, 3}, true), eps)));
  Value result = e.mul(centred, rstd);
  if (weight) result = e.mul(result, e.reshape(*weight, as.channels));
  if (bias) result = e.add(result, e.reshape(*bias, as.channels));
  return {e.reshape(result, x.shape), e.squeeze(mean, {2, 3}), e.squeeze(rstd, {2, 3})};
}

OptionalValues group_norm_backward(Emit& e, Value grad, Value x, Value mean, Value rstd, Optional weight, int64_t batch,
                                   int64_t channels, int64_t rest, int64_t groups, Dims wanted) {
  check(x, weight);
  const Grouped as = grouped(batch, channels, rest, groups);
  const Value scale = e.unsqueeze(rstd, {2, 3}), split_grad = e.reshape(grad, as.split);
  const Value normal = e.mul(e.sub(e.reshape(x, as.split), e.unsqueeze(mean, {2, 3})), scale);
  const Value slope = weight ? e.mul(split_grad, e.reshape(*weight, as.channels)) : split_grad;
  OptionalValues results(3);
  if (wanted[0]) results[0] = e.reshape(through(e, slope, normal, scale, {2, 3}), x.shape);
  if (wanted[1]) results[1] = e.reshape(e.sum(e.mul(split_grad, normal), {0, 3}), {channels});
  if (wanted[2]) results[2] = e.reshape(e.sum(split_grad, {0, 3}), {channels});
  return results;
}

}  // namespace

void lower_norm() {
  lower("aten::native_layer_norm", layer_norm);
  lower("aten::native_layer_norm_backward", layer_norm_backward);
  lower("aten::native_batch_norm", batch_norm);
  lower("aten::native_batch_norm_backward", batch_norm_backward);
  lower("aten::native_group_norm", group_norm);
  lower("aten::native_group_norm_backward", group_norm_backward);
}

}  // namespace dlport::pytorch
