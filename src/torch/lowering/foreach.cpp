// Operators over lists of tensors: one graph does the whole list. And the optimizer steps that are built of them.
#include "torch/lowering/families.hpp"
#include "torch/lowering/table.hpp"

namespace dlport::pytorch {
namespace {

using Unary = Value (*)(Emit&, const Value&);
using Binary = Value (*)(Emit&, const Value&, const Value&);

/// The other operand of element `i`: an element of a list, or one value for all.
const Value& pick(const Values& list, size_t i) {
  return list[i];
}
const Value& pick(const Value& value, size_t) {
  return value;
}

void check_count(const Values& list, size_t count) {
  if (list.size() != count) decline("lists of different lengths");
}
void check_count(const Value&, size_t) {}

template <class F, class... Others>
Values for_each(const Values& list, F f, const Others&... others) {
  (check_count(others, list.size()), ...);
  Values results;
  for (size_t i = 0; i < list.size(); ++i) results.push_back(f(list[i], pick(others, i)...));
  return results;
}

Value scaled(Emit& e, const Value& x, const Value& alpha) {
  return alpha.is_known(1) ? x : e.mul(x, alpha);
}

void only_floats(const Values& list) {
  for (const Value& x : list) {
    if (!is_floating(x.dtype)) decline("lists of integers");
  }
}

template <class Other>
Values add(Emit& e, Values self, Other other, Value alpha) {
  only_floats(self);
  return for_each(self, [&](const Value& a, const Value& b) { return e.add(a, scaled(e, b, alpha)); }, other);
}

template <class Other>
Values sub(Emit& e, Values self, Other other, Value alpha) {
  only_floats(self);
  return for_each(self, [&](const Value& a, const Value& b) { return e.sub(a, scaled(e, b, alpha)); }, other);
}

template <bool divide, class Scale>
Values add_product(Emit& e, Values self, Values a, Values b, Scale scale) {
  only_floats(self);
  return for_each(
      self,
      [&](const Value& x, const Value& left, const Value& right, const Value& by) {
        return e.add(x, divide ? e.div(scaled(e, left, by), right) : scaled(e, e.mul(left, right), by));
      },
      a, b, scale);
}

template <class Weight>
Values lerp(Emit& e, Values self, Values end, Weight weight) {
  only_floats(self);
  return for_each(
      self,
      [&](const Value& start, const Value& stop, const Value& fraction) {
        const Value by = e.cast(fraction, start.dtype);
        const Value step = e.sub(stop, start);
        return e.where(e.lt(e.abs(by), 0.5), e.add(start, e.mul(by, step)), e.sub(stop, e.mul(step, e.sub(1, by))));
      },
      end, weight);
}

/// Each overload of a binary operator: against a list, a number, a list of numbers, and a tensor where there is one.
template <class F>
void lower_binary(const std::string& name, F f, bool with_tensor) {
  const auto apply = [f](Emit& e, const Values& self, const auto& other) {
    only_floats(self);
    return for_each(self, [&](const Value& a, const Value& b) { return f(e, a, b); }, other);
  };
  lower(name + ".List", [apply](Emit& e, Values self, Values other) { return apply(e, self, other); });
  lower(name + ".Scalar", [apply](Emit& e, Values self, Value other) { return apply(e, self, other); });
  lower(name + ".ScalarList", [apply](Emit& e, Values self, Values other) { return apply(e, self, other); });
  if (with_tensor)
    lower(name + ".Tensor", [apply](Emit& e, Values self, Value other) { return apply(e, self, other); });
}

struct NamedUnary {
  const char* name;
  Unary apply;
};
constexpr NamedUnary kUnary[] = {
    {"abs", [](Emit& e, const Value& x) { return e.abs(x); }},
    {"neg", [](Emit& e, const Value& x) { return e.neg(x); }},
    {"exp", [](Emit& e, const Value& x) { return e.exp(x); }},
    {"log", [](Emit& e, const Value& x) { return e.log(x); }},
    {"sqrt", [](Emit& e, const Value& x) { return e.sqrt(x); }},
    {"tanh", [](Emit& e, const Value& x) { return e.tanh(x); }},
    {"sigmoid", [](Emit& e, const Value& x) { return e.sigmoid(x); }},
    {"reciprocal", [](Emit& e, const Value& x) { return e.reciprocal(x); }},
    {"erf", [](Emit& e, const Value& x) { return e.erf(x); }},
    {"rsqrt", [](Emit& e, const Value& x) { return e.reciprocal(e.sqrt(x)); }},
    {"sin", [](Emit& e, const Value& x) { return e.unary("Sin", x); }},
    {"cos", [](Emit& e, const Value& x) { return e.unary("Cos", x); }},
    {"ceil", [](Emit& e, const Value& x) { return e.unary("Ceil", x); }},
    {"floor", [](Emit& e, const Value& x) { return e.unary("Floor", x); }},
    {"round", [](Emit& e, const Value& x) { return e.unary("Round", x); }},
};

// --- Optimizer steps, written over the tensors of the lists. Results are in the order of the arguments written.

struct Step {
  Values self, grads, averages, squares, maxima;
};

/// Adam; with `decoupled` the weight decay is not part of the gradient (AdamW).
template <bool decoupled>
OptionalValues adam(Emit& e, Values self, Values grads, Values averages, Values squares, Values maxima, Values steps,
                    Value lr, Value beta1, Value beta2, Value decay, Value eps, bool amsgrad, bool maximize,
                    Optional grad_scale, Optional found_inf) {
  if (grad_scale || found_inf) decline("scaled gradients");
  only_floats(self);
  Step result;
  for (size_t i = 0; i < self.size(); ++i) {
    const DType dtype = self[i].dtype;
    const auto as = [&](const Value& number) { return e.cast(number, dtype); };
    const Value step = as(steps[i]);
    Value param = self[i], grad = maximize ? e.neg(grads[i]) : grads[i];
    if (!decay.is_known(0)) {
      if (decoupled) {
        param = e.mul(param, e.sub(1, e.mul(as(lr), as(decay))));
      } else {
        grad = e.add(grad, e.mul(param, as(decay)));
      }
    }
    const Value average = e.add(e.mul(averages[i], as(beta1)), e.mul(grad, e.sub(1, as(beta1))));
    const Value square = e.add(e.mul(squares[i], as(beta2)), e.mul(e.square(grad), e.sub(1, as(beta2))));
    Value scale = square;
    if (amsgrad) {
      scale = e.max(maxima[i], square);
      result.maxima.push_back(scale);
    }
    const Value correction1 = e.sub(1, e.pow(as(beta1), step)), correction2 = e.sub(1, e.pow(as(beta2), step));
    const Value denominator = e.add(e.div(e.sqrt(scale), e.sqrt(correction2)), as(eps));
    result.self.push_back(e.sub(param, e.div(e.mul(e.div(as(lr), correction1), average), denominator)));
    result.averages.push_back(average);
    result.squares.push_back(square);
  }
  OptionalValues written(result.self.begin(), result.self.end());
  written.insert(written.end(), grads.size(), std::nullopt);  // gradients stay as they are
  written.insert(written.end(), result.averages.begin(), result.averages.end());
  written.insert(written.end(), result.squares.begin(), result.squares.end());
  written.insert(written.end(), result.maxima.begin(), result.maxima.end());
  if (!amsgrad) written.insert(written.end(), maxima.size(), std::nullopt);
  return written;
}

OptionalValues sgd(Emit& e, Values self, Values grads, Values buffers, Value decay, Value momentum, Value lr,
                   Value dampening, bool nesterov, bool maximize, bool is_first_step, Optional grad_scale,
                   Optional found_inf) {
  if (grad_scale || found_inf) decline("scaled gradients");
  only_floats(self);
  OptionalValues params, new_buffers;
  for (size_t i = 0; i < self.size(); ++i) {
    const auto as = [&](const Value& number) { return e.cast(number, self[i].dtype); };
    Value grad = maximize ? e.neg(grads[i]) : grads[i];
    if (!decay.is_known(0)) grad = e.add(grad, e.mul(self[i], as(decay)));
    if (!momentum.is_known(0)) {
      const Value buffer =
          is_first_step ? grad : e.add(e.mul(buffers[i], as(momentum)), e.mul(grad, e.sub(1, as(dampening))));
      new_buffers.emplace_back(buffer);
      grad = nesterov ? e.add(grad, e.mul(buffer, as(momentum))) : buffer;
    }
    params.emplace_back(e.sub(self[i], e.mul(grad, as(lr))));
  }
  if (new_buffers.empty()) new_buffers.resize(buffers.size());
  params.insert(params.end(), grads.size(), std::nullopt);
  params.insert(params.end(), new_buffers.begin(), new_buffers.end());
  return params;
}

}  // namespace

void lower_foreach() {
  lower("aten::_foreach_add.List", add<Values>);
  lower("aten::_foreach_add.Tensor", add<Value>);
  lower("aten::_foreach_sub.List", sub<Values>);
  for (const char* overload : {".Scalar", ".ScalarList"}) {
    const bool list = std::string_view(overload) == ".ScalarList";
    if (list) {
      lower(std::string("aten::_foreach_add") + overload, [](Emit& e, Values a, Values b) { return add(e, a, b, 1); });
      lower(std::string("aten::_foreach_sub") + overload, [](Emit& e, Values a, Values b) { return sub(e, a, b, 1); });
    } else {
      lower(std::string("aten::_foreach_add") + overload, [](Emit& e, Values a, Value b) { return add(e, a, b, 1); });
      lower(std::string("aten::_foreach_sub") + overload, [](Emit& e, Values a, Value b) { return sub(e, a, b, 1); });
    }
  }
  lower_binary("aten::_foreach_mul", [](Emit& e, const Value& a, const Value& b) { return e.mul(a, b); }, true);
  lower_binary("aten::_foreach_div", [](Emit& e, const Value& a, const Value& b) { return e.div(a, b); }, true);
  lower_binary("aten::_foreach_maximum", [](Emit& e, const Value& a, const Value& b) { return e.max(a, b); }, false);
  lower_binary("aten::_foreach_minimum", [](Emit& e, const Value& a, const Value& b) { return e.min(a, b); }, false);
  lower_binary("aten::_foreach_clamp_min", [](Emit& e, const Value& a, const Value& b) { return e.max(a, b); }, false);
  lower_binary("aten::_foreach_clamp_max", [](Emit& e, const Value& a, const Value& b) { return e.min(a, b); }, false);
  lower_binary("aten::_foreach_pow", [](Emit& e, const Value& a, const Value& b) { return e.pow(a, b); }, false);
  lower("aten::_foreach_addcmul.Scalar", add_product<false, Value>);
  lower("aten::_foreach_addcmul.ScalarList", add_product<false, Values>);
  lower("aten::_foreach_addcdiv.Scalar", add_product<true, Value>);
  lower("aten::_foreach_addcdiv.ScalarList", add_product<true, Values>);
  lower("aten::_foreach_lerp.List", lerp<Values>);
  lower("aten::_foreach_lerp.Scalar", lerp<Value>);
  for (const NamedUnary& unary : kUnary) {
    lower(std::string("aten::_foreach_") + unary.name, [apply = unary.apply](Emit& e, Values self) {
      only_floats(self);
      return for_each(self, [&](const Value& x) { return apply(e, x); });
    });
  }
  lower("aten::_foreach_sign", [](Emit& e, Values self) {
    only_floats(self);
    return for_each(self,
                    [&](const Value& x) { return e.sub(e.cast(e.gt(x, 0), x.dtype), e.cast(e.lt(x, 0), x.dtype)); });
  });
  lower("aten::_foreach_zero", [](Emit& e, Values self) {
    return for_each(self, [&](const Value& x) { return e.full(x.shape, 0, x.dtype); });
  });
  lower("aten::_foreach_norm.Scalar", [](Emit& e, Values self, double order, std::optional<DType> type) {
    only_floats(self);
    if (order != 2 && order != 1) decline("a norm of another order");
    return for_each(self, [&](const Value& x) {
      const Value y = e.cast(x, type.value_or(x.dtype));
      const Dims all = e.axes(x, {});
      return order == 2 ? e.sqrt(e.sum(e.square(y), all)) : e.sum(e.abs(y), all);
    });
  });
  for (const char* overload : {"", ".tensor_lr"}) {
    lower(std::string("aten::_fused_adam_") + overload, adam<false>);
    lower(std::string("aten::_fused_adamw_") + overload, adam<true>);
    lower(std::string("aten::_fused_sgd_") + overload, sgd);
  }
}

}  // namespace dlport::pytorch
