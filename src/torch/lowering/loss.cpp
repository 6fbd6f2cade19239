// Losses and their backward.
#include "torch/lowering/families.hpp"
#include "torch/lowering/table.hpp"

namespace dlport::pytorch {
namespace {

enum Reduction : int64_t { kNone, kMean, kSum };

Value reduced(Emit& e, const Value& loss, int64_t reduction) {
  if (reduction == kNone) return loss;
  return reduction == kMean ? e.mean(loss, e.axes(loss, {})) : e.sum(loss, e.axes(loss, {}));
}

/// The share of the gradient that each element gets.
Value spread(Emit& e, const Value& grad, const Value& like, int64_t reduction) {
  return reduction == kMean ? e.mul(grad, 1.0 / static_cast<double>(like.numel())) : grad;
}

void check_same(const Value& a, const Value& b) {
  if (a.dtype != b.dtype || is_integral(a.dtype)) decline("a loss between different dtypes or of integers");
}

// --- Negative log likelihood: classes lie along axis 1, or 0 of a single sample.

struct Classes {
  int64_t axis;
  Value ignored;  // where the target is the index to ignore
  Value target;   // in range: 0 where ignored
  Value weight;   // of each target, 0 where ignored
};

Classes classes(Emit& e, const Value& x, const Value& target, const Optional& weight, int64_t ignore_index) {
  if (is_integral(x.dtype)) decline("a loss of integers");
  const int64_t axis = x.rank() == 1 ? 0 : 1;
  if (target.rank() + 1 != x.rank()) decline("targets of another rank");
  const Value checked = e.checked(target, 0, x.shape[static_cast<size_t>(axis)], ignore_index);
  const Value ignored = e.eq(checked, e.constant(static_cast<double>(ignore_index), target.dtype));
  const Value safe = e.where(ignored, e.cast(0, target.dtype), checked);
  const Value one = weight ? e.gather(*weight, safe, 0) : e.cast(1, x.dtype);
  return {axis, ignored, safe, e.where(ignored, e.cast(0, x.dtype), one)};
}

std::pair<Value, Value> nll_loss(Emit& e, Value x, Value target, Optional weight, int64_t reduction,
                                 int64_t ignore_index) {
  const Classes of = classes(e, x, target, weight, ignore_index);
  const Value picked = e.squeeze(e.gather_elements(x, e.unsqueeze(of.target, {of.axis}), of.axis), {of.axis});
  const Value loss = e.where(of.ignored, e.cast(0, x.dtype), e.neg(e.mul(picked, of.weight)));
  if (reduction == kNone && x.rank() > 1) return {loss, e.constant(0, x.dtype)};
  const Dims all = e.axes(loss, {});
  const Value total = e.sum(of.weight, all), sum = e.sum(loss, all);
  if (reduction == kNone) return {loss, e.constant(0, x.dtype)};
  return {reduction == kMean ? e.div(sum, total) : sum, total};
}

Value nll_loss_backward(Emit& e, Value grad, Value x, Value target, Optional weight, int64_t reduction,
                        int64_t ignore_index, Value total) {
  const Classes of = classes(e, x, target, weight, ignore_index);
  Value share = e.neg(e.mul(of.weight, grad));
  if (reduction == kMean) share = e.div(share, total);
  Value labels = e.range(x.shape[static_cast<size_t>(of.axis)]);
  Dims others;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (i != of.axis) others.push_back(i);
  }
  labels = e.unsqueeze(labels, others);
  const Value hit = e.eq(labels, e.cast(e.unsqueeze(of.target, {of.axis}), int64));
  return e.where(hit, e.unsqueeze(share, {of.axis}), e.cast(0, x.dtype));
}

// --- Differences

Value smooth_l1(Emit& e, Value x, Value target, int64_t reduction, double beta) {
  check_same(x, target);
  if (beta < 0) decline("a negative beta, which PyTorch refuses");
  const Value gap = e.abs(e.sub(x, target));
  if (beta == 0) return reduced(e, gap, reduction);
  return reduced(e, e.where(e.lt(gap, beta), e.mul(e.square(gap), 0.5 / beta), e.sub(gap, 0.5 * beta)), reduction);
}

Value huber(Emit& e, Value x, Value target, int64_t reduction, double delta) {
  check_same(x, target);
  if (delta <= 0) decline("a delta that is not positive, which PyTorch refuses");
  const Value gap = e.abs(e.sub(x, target));
  const Value outer = e.mul(e.sub(gap, 0.5 * delta), delta);
  return reduced(e, e.where(e.le(gap, delta), e.mul(e.square(gap), 0.5), outer), reduction);
}

constexpr double kEpsilon = 1e-12;

Value binary_cross_entropy_backward(Emit& e, Value grad, Value x, Value target, Optional weight, int64_t reduction) {
  check_same(x, target);
  const Value slope = e.div(e.sub(x, target), e.max(e.mul(e.sub(1, x), x), kEpsilon));
  Value result = e.mul(grad, slope);
  if (weight) result = e.mul(result, *weight);
  return spread(e, result, x, reduction);
}

}  // namespace

void lower_loss() {
  lower("aten::nll_loss_forward", nll_loss);
  lower("aten::nll_loss_backward", nll_loss_backward);
  lower("aten::nll_loss2d_forward", nll_loss);
  lower("aten::nll_loss2d_backward", nll_loss_backward);
  lower("aten::mse_loss", [](Emit& e, Value x, Value target, int64_t reduction) {
    check_same(x, target);
    return reduced(e, e.square(e.sub(x, target)), reduction);
  });
  lower("aten::mse_loss_backward", [](Emit& e, Value grad, Value x, Value target, int64_t reduction) {
    return spread(e, e.mul(e.mul(e.sub(x, target), 2), grad), x, reduction);
  });
  lower("aten::smooth_l1_loss", smooth_l1);
  lower("aten::smooth_l1_loss_backward",
        [](Emit& e, Value grad, Value x, Value target, int64_t reduction, double beta) {
          const Value gap = e.sub(x, target);
          const Value sign = e.sub(e.cast(e.gt(gap, 0), x.dtype), e.cast(e.lt(gap, 0), x.dtype));
          if (beta == 0) return spread(e, e.mul(sign, grad), x, reduction);
          const Value slope = e.where(e.lt(e.abs(gap), beta), e.mul(gap, 1 / beta), sign);
          return spread(e, e.mul(slope, grad), x, reduction);
        });
  lower("aten::huber_loss", huber);
  lower("aten::huber_loss_backward", [](Emit& e, Value grad, Value x, Value target, int64_t reduction, double delta) {
    const Value bounded = e.min(e.max(e.sub(x, target), -delta), delta);
    return spread(e, e.mul(bounded, grad), x, reduction);
  });
  lower("aten::binary_cross_entropy_backward", binary_cross_entropy_backward);
  lower("aten::soft_margin_loss", [](Emit& e, Value x, Value target, int64_t reduction) {
    check_same(x, target);
    return reduced(e, e.log(e.add(1, e.exp(e.neg(e.mul(x, target))))), reduction);
  });
  lower("aten::soft_margin_loss_backward", [](Emit& e, Value grad, Value x, Value target, int64_t reduction) {
    const Value slope = e.mul(e.neg(target), e.sigmoid(e.neg(e.mul(target, x))));
    return spread(e, e.mul(slope, grad), x, reduction);
  });
}

}  // namespace dlport::pytorch
