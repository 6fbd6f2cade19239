// Arithmetic of elements.
#include <limits>

#include "torch/lowering/families.hpp"
#include "torch/lowering/table.hpp"

namespace dlport::pytorch {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846;
constexpr double kLn2 = 0.69314718055994530942, kLn10 = 2.30258509299404568402;

struct Pair {
  const char* aten;
  const char* onnx;
};

/// Functions on floats; integers become floats first.
constexpr Pair kFloat[] = {
    {"acos", "Acos"},   {"acosh", "Acosh"},     {"asin", "Asin"},
    {"asinh", "Asinh"}, {"atan", "Atan"},       {"atanh", "Atanh"},
    {"cos", "Cos"},     {"cosh", "Cosh"},       {"erf", "Erf"},
    {"exp", "Exp"},     {"log", "Log"},         {"sin", "Sin"},
    {"sinh", "Sinh"},   {"sqrt", "Sqrt"},       {"tan", "Tan"},
    {"tanh", "Tanh"},   {"sigmoid", "Sigmoid"}, {"reciprocal", "Reciprocal"},
};

/// Roundings: integers are whole already.
constexpr Pair kRounding[] = {{"ceil", "Ceil"}, {"floor", "Floor"}, {"round", "Round"}};

void refuse_bool(DType dtype) {
  if (is_bool(dtype)) decline("arithmetic that PyTorch refuses for bool");
}

void refuse_integers(DType dtype) {
  if (is_integral(dtype)) decline("integers");
}

Value trunc(Emit& e, const Value& x) {
  if (is_integral(x.dtype)) return x;
  return e.where(e.lt(x, 0), e.unary("Ceil", x), e.unary("Floor", x));
}

/// `x` times alpha, in the dtype that the operation has.
Value scaled(Emit& e, const Value& x, const Value& alpha, DType dtype) {
  if (alpha.is_known(1)) return x;
  if (is_bool(dtype) || (is_integral(dtype) && is_floating(alpha.dtype))) decline("an alpha of another kind");
  return e.mul(e.cast(x, dtype), e.cast(alpha, dtype));
}

Value add(Emit& e, Value self, Value other, Value alpha) {
  return e.add(self, scaled(e, other, alpha, e.result_type({self, other})));
}

Value sub(Emit& e, Value self, Value other, Value alpha) {
  refuse_bool(self.dtype);
  refuse_bool(other.dtype);
  return e.sub(self, scaled(e, other, alpha, e.result_type({self, other})));
}

Value rsub(Emit& e, Value self, Value other, Value alpha) {
  return sub(e, other, self, alpha);
}

/// The sign of Python's % is that of the divisor, C's fmod has that of the dividend. Integers are left to the native
/// kernel, because a zero divisor has to raise.
Value fmod(Emit& e, Value a, Value b) {
  refuse_integers(e.result_type({a, b}));
  return e.binary("Mod", a, b, {{"fmod", int64_t{1}}});
}

Value remainder(Emit& e, Value a, Value b) {
  const Value rest = fmod(e, a, b);
  const Value other_sign = e.logical("Xor", e.lt(rest, 0), e.lt(b, 0));
  return e.where(e.logical("And", e.ne(rest, 0), other_sign), e.add(rest, b), rest);
}

/// Floor of the exact quotient, which the rounded quotient may lie just above.
Value floor_divide(Emit& e, Value a, Value b) {
  const Value rest = fmod(e, a, b);
  const Value whole = e.div(e.sub(a, rest), b);
  const Value other_sign = e.logical("Xor", e.lt(rest, 0), e.lt(b, 0));
  const Value down = e.where(e.logical("And", e.ne(rest, 0), other_sign), e.sub(whole, 1), whole);
  const Value floored = e.unary("Floor", down);
  const Value rounded = e.where(e.gt(e.sub(down, floored), 0.5), e.add(floored, 1), floored);
  const Value zero = e.mul(e.div(a, b), 0);  // a zero of the quotient's sign
  return e.where(e.eq(b, 0), e.div(a, b), e.where(e.eq(down, 0), zero, rounded));
}

Value divide(Emit& e, Value a, Value b, std::optional<std::string> rounding) {
  if (!rounding) return e.div(a, b);
  const DType dtype = e.result_type({a, b});
  refuse_integers(dtype);
  if (dtype == float16 || dtype == bfloat16) decline("a quotient of half types, rounded once before and once after");
  return *rounding == "floor" ? floor_divide(e, a, b) : trunc(e, e.div(a, b));
}

Value pow(Emit& e, Value base, Value exponent) {
  const DType dtype = e.result_type({base, exponent});
  refuse_bool(dtype);
  if (is_integral(dtype)) decline("powers of integers, where a negative exponent raises");
  return e.pow(e.cast(base, dtype), e.cast(exponent, dtype));
}

Value pow_scalar(Emit& e, Value base, double exponent) {
  if (!is_floating(base.dtype)) decline("powers of integers, whose dtype hangs on that of the exponent");
  if (exponent == 1 && is_floating(base.dtype)) return base;
  if (exponent == 2 && is_floating(base.dtype)) return e.square(base);
  if (exponent == 0.5 && is_floating(base.dtype)) return e.sqrt(base);
  return pow(e, base, exponent);
}

Value clamp(Emit& e, Value x, Optional low, Optional high) {
  if (!low && !high) decline("a clamp without bounds");
  refuse_bool(x.dtype);
  if (low) x = e.max(x, *low);
  if (high) x = e.min(x, *high);
  return x;
}

Value clamp_min(Emit& e, Value x, Value low) {
  return clamp(e, x, low, std::nullopt);
}

Value clamp_max(Emit& e, Value x, Value high) {
  return clamp(e, x, std::nullopt, high);
}

Value lerp(Emit& e, Value start, Value end, Value weight) {
  refuse_integers(start.dtype);
  if (weight.number) weight = e.cast(weight, start.dtype);
  const Value step = e.sub(end, start);
  const Value from_start = e.add(start, e.mul(weight, step)), from_end = e.sub(end, e.mul(step, e.sub(1, weight)));
  return e.where(e.lt(e.abs(weight), 0.5), from_start, from_end);
}

Value addcmul(Emit& e, Value self, Value a, Value b, Value value) {
  const DType dtype = e.result_type({self, a, b});
  return e.add(self, scaled(e, e.mul(a, b), value, dtype));
}

Value addcdiv(Emit& e, Value self, Value a, Value b, Value value) {
  if (is_integral(a.dtype) && is_integral(b.dtype)) decline("an integer division, which PyTorch refuses here");
  const DType dtype = e.result_type({self, a, b});
  return e.add(self, e.div(scaled(e, a, value, dtype), b));
}

template <int bit>
Value bitwise(Emit& e, Value a, Value b) {
  constexpr const char* kLogical[] = {"And", "Or", "Xor"};
  constexpr const char* kBitwise[] = {"BitwiseAnd", "BitwiseOr", "BitwiseXor"};
  const DType dtype = e.result_type({a, b});
  if (is_floating(dtype)) decline("bits of floats");
  return is_bool(dtype) ? e.logical(kLogical[bit], a, b) : e.binary(kBitwise[bit], a, b);
}

/// An infinity of the dtype's own kind, or `otherwise` where one is given.
Value nan_to_num(Emit& e, Value x, std::optional<double> nan, std::optional<double> highest,
                 std::optional<double> lowest) {
  if (is_integral(x.dtype)) return x;
  const double limit = x.dtype == float64    ? std::numeric_limits<double>::max()
                       : x.dtype == float16  ? 65504.0
                       : x.dtype == bfloat16 ? 3.38953138925153547590e38
                                             : std::numeric_limits<float>::max();
  const auto filled = [&](const Value& where, double value, const Value& rest) {
    return e.where(where, e.cast(value, x.dtype), rest);
  };
  x = filled(e.is_nan(x), nan.value_or(0), x);
  x = filled(e.is_inf(x, /*negative=*/false), highest.value_or(limit), x);
  return filled(e.is_inf(x, true, /*positive=*/false), lowest.value_or(-limit), x);
}

}  // namespace

void lower_pointwise() {
  for (const Pair& pair : kFloat) {
    lower(std::string("aten::") + pair.aten, [op = pair.onnx](Emit& e, Value x) { return e.unary(op, e.to_float(x)); });
  }
  for (const Pair& pair : kRounding) {
    lower(std::string("aten::") + pair.aten,
          [op = pair.onnx](Emit& e, Value x) { return is_integral(x.dtype) ? x : e.unary(op, x); });
  }
  lower("aten::abs", [](Emit& e, Value x) { return is_bool(x.dtype) ? x : e.abs(x); });
  lower("aten::neg", [](Emit& e, Value x) {
    refuse_bool(x.dtype);
    return e.neg(x);
  });
  for (const char* name : {"aten::sign", "aten::sgn"}) {
    lower(name, [](Emit& e, Value x) {
      if (is_bool(x.dtype)) return x;
      return e.sub(e.cast(e.gt(x, 0), x.dtype), e.cast(e.lt(x, 0), x.dtype));  // 0 for nan
    });
  }
  lower("aten::trunc", [](Emit& e, Value x) { return trunc(e, x); });
  lower("aten::frac", [](Emit& e, Value x) {
    refuse_integers(x.dtype);
    return e.sub(x, trunc(e, x));
  });
  lower("aten::rsqrt", [](Emit& e, Value x) { return e.reciprocal(e.sqrt(x)); });
  lower("aten::exp2", [](Emit& e, Value x) { return e.pow(2.0, e.to_float(x)); });
  lower("aten::log2", [](Emit& e, Value x) { return e.mul(e.log(x), 1 / kLn2); });
  lower("aten::log10", [](Emit& e, Value x) { return e.mul(e.log(x), 1 / kLn10); });
  lower("aten::deg2rad", [](Emit& e, Value x) { return e.mul(e.to_float(x), kPi / 180); });
  lower("aten::rad2deg", [](Emit& e, Value x) { return e.mul(e.to_float(x), 180 / kPi); });
  lower("aten::logit", [](Emit& e, Value x, std::optional<double> eps) {
    x = e.to_float(x);
    if (eps) x = e.where(e.lt(x, *eps), *eps, e.where(e.gt(x, 1 - *eps), 1 - *eps, x));
    return e.log(e.div(x, e.sub(1, x)));
  });
  lower("aten::sinc", [](Emit& e, Value x) {
    const Value angle = e.mul(e.to_float(x), kPi);
    return e.where(e.eq(angle, 0), 1, e.div(e.unary("Sin", angle), angle));
  });
  lower("aten::nan_to_num", nan_to_num);
  lower("aten::bitwise_not", [](Emit& e, Value x) {
    if (is_floating(x.dtype)) decline("bits of floats");
    return is_bool(x.dtype) ? e.logical_not(x) : e.unary("BitwiseNot", x);
  });
  lower("aten::logical_not", &Emit::logical_not);

  for (const char* overload : {".Tensor", ".Scalar"}) {
    const std::string kind = overload;
    lower("aten::add" + kind, add);
    lower("aten::sub" + kind, sub);
    lower("aten::rsub" + kind, rsub);
    lower("aten::mul" + kind, &Emit::mul);
    lower("aten::div" + kind, &Emit::div);
    lower("aten::div" + kind + "_mode", divide);
    lower("aten::fmod" + kind, fmod);
    lower("aten::remainder" + kind, remainder);
    lower("aten::floor_divide" + (kind == ".Tensor" ? "" : kind), [](Emit& e, Value a, Value b) {
      refuse_integers(e.result_type({a, b}));
      return floor_divide(e, a, b);
    });
    lower("aten::bitwise_and" + kind, bitwise<0>);
    lower("aten::bitwise_or" + kind, bitwise<1>);
    lower("aten::bitwise_xor" + kind, bitwise<2>);
    lower("aten::lerp" + kind, lerp);
    lower("aten::clamp" + (kind == ".Tensor" ? kind : ""), clamp);
    lower("aten::clamp_min" + (kind == ".Tensor" ? kind : ""), clamp_min);
    lower("aten::clamp_max" + (kind == ".Tensor" ? kind : ""), clamp_max);
  }
  lower("aten::pow.Tensor_Tensor", pow);
  lower("aten::pow.Tensor_Scalar", pow_scalar);
  lower("aten::pow.Scalar", pow);
  lower("aten::maximum", &Emit::max);
  lower("aten::minimum", &Emit::min);
  lower("aten::fmax", [](Emit& e, Value a, Value b) {
    if (is_integral(e.result_type({a, b}))) return e.max(a, b);
    return e.where(e.is_nan(a), b, e.where(e.is_nan(b), a, e.max(a, b)));
  });
  lower("aten::fmin", [](Emit& e, Value a, Value b) {
    if (is_integral(e.result_type({a, b}))) return e.min(a, b);
    return e.where(e.is_nan(a), b, e.where(e.is_nan(b), a, e.min(a, b)));
  });
  lower("aten::addcmul", addcmul);
  lower("aten::addcdiv", addcdiv);
  lower("aten::xlogy.Tensor", [](Emit& e, Value x, Value y) {
    x = e.to_float(x);
    y = e.to_float(y);
    const Value product = e.where(e.eq(x, 0), 0, e.mul(x, e.log(y)));
    return e.where(e.is_nan(y), kNaN, product);
  });
  lower("aten::logaddexp", [](Emit& e, Value a, Value b) {
    refuse_integers(e.result_type({a, b}));
    const Value highest = e.max(a, b);
    const Value sum = e.add(e.exp(e.sub(a, highest)), e.exp(e.sub(b, highest)));
    return e.where(e.is_inf(highest), highest, e.add(highest, e.log(sum)));  // infinities cannot be subtracted
  });
  lower("aten::heaviside", [](Emit& e, Value x, Value at_zero) {
    if (x.dtype != at_zero.dtype) decline("two dtypes, which PyTorch refuses here");
    return e.where(e.eq(x, 0), at_zero, e.cast(e.gt(x, 0), x.dtype));
  });
}

}  // namespace dlport::pytorch
