// Activation functions and their backward. A backward is the gradient times the derivative.
#include <cmath>

#include "torch/lowering/families.hpp"
#include "torch/lowering/table.hpp"

namespace dlport::pytorch {
namespace {

constexpr double kSqrtHalf = 0.70710678118654752440;       // 1 / sqrt(2)
constexpr double kSqrtTwoOverPi = 0.79788456080286535588;  // sqrt(2 / pi)
constexpr double kDensityAtZero = 0.39894228040143267794;  // 1 / sqrt(2 pi)
constexpr double kCubic = 0.044715;                        // of gelu's tanh approximation

Value only_floats(const Value& x) {
  if (is_integral(x.dtype)) decline("an activation of integers");
  return x;
}

/// `x` where it lies strictly inside the bounds, else what `outside` says.
Value inside(Emit& e, const Value& x, const Value& low, const Value& high) {
  return e.logical("And", e.gt(x, low), e.lt(x, high));
}

Value zero(Emit& e, const Value& like) {
  return e.cast(0, like.dtype);
}

/// log(1 + exp(-|x|)), which never overflows.
Value log1p_exp_neg_abs(Emit& e, const Value& x) {
  return e.log(e.add(1, e.exp(e.neg(e.abs(x)))));
}

Value softplus(Emit& e, const Value& x) {
  return e.add(e.max(x, 0), log1p_exp_neg_abs(e, x));
}

Value gelu_inner(Emit& e, const Value& x) {
  return e.mul(e.mul(x, e.add(1, e.mul(e.square(x), kCubic))), kSqrtTwoOverPi);
}

void check_approximation(const std::string& approximate) {
  if (approximate != "none" && approximate != "tanh") decline("an approximation called " + approximate);
}

Value gelu(Emit& e, Value x, std::string approximate) {
  only_floats(x);
  check_approximation(approximate);
  const Value bell = approximate == "tanh" ? e.tanh(gelu_inner(e, x)) : e.erf(e.mul(x, kSqrtHalf));
  return e.mul(e.mul(x, 0.5), e.add(bell, 1));
}

Value gelu_backward(Emit& e, Value grad, Value x, std::string approximate) {
  only_floats(x);
  check_approximation(approximate);
  if (approximate == "tanh") {
    const Value bell = e.tanh(gelu_inner(e, x));
    const Value slope = e.mul(e.add(1, e.mul(e.square(x), 3 * kCubic)), kSqrtTwoOverPi);
    const Value right = e.mul(e.mul(e.mul(x, 0.5), e.sub(1, e.square(bell))), slope);
    return e.mul(grad, e.add(e.mul(e.add(bell, 1), 0.5), right));
  }
  const Value distribution = e.mul(e.add(e.erf(e.mul(x, kSqrtHalf)), 1), 0.5);
  const Value density = e.mul(e.exp(e.mul(e.square(x), -0.5)), kDensityAtZero);
  return e.mul(grad, e.add(distribution, e.mul(x, density)));
}

Value threshold_backward(Emit& e, Value grad, Value x, Value threshold) {
  return e.where(e.le(x, threshold), zero(e, grad), grad);
}

Value elu(Emit& e, Value x, Value alpha, Value scale, Value input_scale) {
  only_floats(x);
  const Value negative = e.mul(e.mul(e.sub(e.exp(e.mul(x, input_scale)), 1), alpha), scale);
  return e.where(e.le(x, 0), negative, e.mul(x, scale));
}

Value elu_backward(Emit& e, Value grad, Value alpha, Value scale, Value input_scale, bool from_result, Value x) {
  const Value slope = from_result ? e.mul(e.add(x, e.mul(alpha, scale)), input_scale)
                                  : e.mul(e.mul(e.mul(e.exp(e.mul(x, input_scale)), alpha), scale), input_scale);
  return e.where(e.le(x, 0), e.mul(grad, slope), e.mul(grad, scale));
}

std::pair<Value, Value> halves(Emit& e, const Value& x, int64_t& axis) {
  axis = e.axis(x, axis);
  const int64_t size = x.shape[static_cast<size_t>(axis)];
  if (size % 2 != 0) decline("an axis of odd size to halve");
  return {e.slice(x, axis, 0, size / 2), e.slice(x, axis, size / 2, size)};
}

}  // namespace

void lower_activation() {
  lower("aten::relu", [](Emit& e, Value x) {
    if (is_bool(x.dtype)) decline("a relu of bool, which PyTorch refuses");
    return e.max(x, 0);
  });
  lower("aten::threshold", [](Emit& e, Value x, Value threshold, Value value) {
    return e.where(e.le(x, threshold), e.cast(value, x.dtype), x);
  });
  lower("aten::threshold_backward", threshold_backward);
  lower("aten::leaky_relu",
        [](Emit& e, Value x, Value slope) { return e.where(e.gt(only_floats(x), 0), x, e.mul(x, slope)); });
  lower("aten::leaky_relu_backward", [](Emit& e, Value grad, Value x, Value slope, Ignored) {
    return e.where(e.gt(x, 0), grad, e.mul(grad, slope));
  });
  lower("aten::elu", elu);
  lower("aten::elu_backward", elu_backward);
  lower("aten::gelu", gelu);
  lower("aten::gelu_backward", gelu_backward);
  lower("aten::silu", [](Emit& e, Value x) { return e.mul(only_floats(x), e.sigmoid(x)); });
  lower("aten::silu_backward", [](Emit& e, Value grad, Value x) {
    const Value gate = e.sigmoid(x);
    return e.mul(grad, e.mul(gate, e.add(1, e.mul(x, e.sub(1, gate)))));
  });
  lower("aten::mish", [](Emit& e, Value x) { return e.mul(only_floats(x), e.tanh(softplus(e, x))); });
  lower("aten::mish_backward", [](Emit& e, Value grad, Value x) {
    const Value bend = e.tanh(softplus(e, x));
    return e.mul(grad, e.add(bend, e.mul(e.mul(x, e.sigmoid(x)), e.sub(1, e.square(bend)))));
  });
  lower("aten::softplus", [](Emit& e, Value x, Value beta, Value threshold) {
    const Value steep = e.mul(only_floats(x), beta);
    return e.where(e.gt(steep, threshold), x, e.div(softplus(e, steep), beta));
  });
  lower("aten::softplus_backward", [](Emit& e, Value grad, Value x, Value beta, Value threshold) {
    const Value steep = e.mul(x, beta);
    return e.where(e.gt(steep, threshold), grad, e.mul(grad, e.sigmoid(steep)));
  });
  lower("aten::hardtanh",
        [](Emit& e, Value x, Value low, Value high) { return e.min(e.max(only_floats(x), low), high); });
  lower("aten::hardtanh_backward", [](Emit& e, Value grad, Value x, Value low, Value high) {
    return e.where(inside(e, x, low, high), grad, zero(e, grad));
  });
  lower("aten::hardsigmoid", [](Emit& e, Value x) { return e.div(e.min(e.max(e.add(only_floats(x), 3), 0), 6), 6); });
  lower("aten::hardsigmoid_backward",
        [](Emit& e, Value grad, Value x) { return e.where(inside(e, x, -3, 3), e.mul(grad, 1.0 / 6), zero(e, grad)); });
  lower("aten::hardswish",
        [](Emit& e, Value x) { return e.div(e.mul(only_floats(x), e.min(e.max(e.add(x, 3), 0), 6)), 6); });
  lower("aten::hardswish_backward", [](Emit& e, Value grad, Value x) {
    const Value middle = e.mul(grad, e.add(e.div(x, 3), 0.5));
    return e.where(e.le(x, -3), zero(e, grad), e.where(e.lt(x, 3), middle, grad));
  });
  lower("aten::hardshrink", [](Emit& e, Value x, Value lambda) {
    return e.where(e.logical("And", e.ge(x, e.neg(e.cast(lambda, x.dtype))), e.le(x, lambda)), zero(e, x), x);
  });
  lower("aten::hardshrink_backward", [](Emit& e, Value grad, Value x, Value lambda) {
    return e.where(e.logical("And", e.ge(x, e.neg(e.cast(lambda, x.dtype))), e.le(x, lambda)), zero(e, grad), grad);
  });
  lower("aten::softshrink", [](Emit& e, Value x, double lambda) {
    if (lambda < 0) decline("a negative lambda, which PyTorch refuses");
    const Value low = e.add(x, lambda), high = e.sub(x, lambda);
    return e.where(e.gt(x, lambda), high, e.where(e.lt(low, 0), low, e.mul(x, 0)));
  });
  lower("aten::softshrink_backward", [](Emit& e, Value grad, Value x, Value lambda) {
    return e.where(e.logical("And", e.ge(x, e.neg(e.cast(lambda, x.dtype))), e.le(x, lambda)), zero(e, grad), grad);
  });
  lower("aten::sigmoid_backward", [](Emit& e, Value grad, Value y) { return e.mul(grad, e.mul(e.sub(1, y), y)); });
  lower("aten::tanh_backward", [](Emit& e, Value grad, Value y) { return e.mul(grad, e.sub(1, e.square(y))); });
  lower("aten::log_sigmoid_backward",
        [](Emit& e, Value grad, Value x, Ignored) { return e.mul(grad, e.sigmoid(e.neg(x))); });
  lower("aten::_prelu_kernel", [](Emit& e, Value x, Value weight) { return e.where(e.gt(x, 0), x, e.mul(x, weight)); });
  lower("aten::_prelu_kernel_backward", [](Emit& e, Value grad, Value x, Value weight) {
    const Value positive = e.gt(x, 0);
    return std::pair(e.where(positive, grad, e.mul(grad, weight)), e.where(positive, zero(e, grad), e.mul(grad, x)));
  });
  lower("aten::glu", [](Emit& e, Value x, int64_t axis) {
    const auto [value, gate] = halves(e, only_floats(x), axis);
    return e.mul(value, e.sigmoid(gate));
  });
  lower("aten::glu_backward", [](Emit& e, Value grad, Value x, int64_t axis) {
    const auto [value, gate] = halves(e, x, axis);
    const Value open = e.sigmoid(gate);
    const Value to_gate = e.mul(e.mul(grad, value), e.mul(open, e.sub(1, open)));
    return e.concat({e.mul(grad, open), to_gate}, axis);
  });
}

}  // namespace dlport::pytorch
