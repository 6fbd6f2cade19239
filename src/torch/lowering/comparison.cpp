// Comparisons, logic and choices between elements.
#include "torch/lowering/families.hpp"
#include "torch/lowering/table.hpp"

namespace dlport::pytorch {

void lower_comparison() {
  for (const char* overload : {".Tensor", ".Scalar"}) {
    const std::string kind = overload;
    lower("aten::eq" + kind, &Emit::eq);
    lower("aten::ne" + kind, &Emit::ne);
    lower("aten::lt" + kind, &Emit::lt);
    lower("aten::le" + kind, &Emit::le);
    lower("aten::gt" + kind, &Emit::gt);
    lower("aten::ge" + kind, &Emit::ge);
    lower("aten::masked_fill" + (kind == ".Tensor" ? ".Tensor" : kind), [](Emit& e, Value x, Value mask, Value value) {
      if (!is_bool(mask.dtype)) decline("a mask of " + to_string(mask.dtype));
      if (value.rank() > 0) decline("a value of several elements");
      return e.where(mask, e.cast(value, x.dtype), x);
    });
  }
  lower("aten::logical_and", [](Emit& e, Value a, Value b) { return e.logical("And", a, b); });
  lower("aten::logical_or", [](Emit& e, Value a, Value b) { return e.logical("Or", a, b); });
  lower("aten::logical_xor", [](Emit& e, Value a, Value b) { return e.logical("Xor", a, b); });
  lower("aten::isposinf", [](Emit& e, Value x) {
    if (is_integral(x.dtype)) return e.full(x.shape, 0, boolean);
    return e.is_inf(x, /*negative=*/false);
  });
  lower("aten::isneginf", [](Emit& e, Value x) {
    if (is_integral(x.dtype)) return e.full(x.shape, 0, boolean);
    return e.is_inf(x, true, /*positive=*/false);
  });
  lower("aten::where.self", [](Emit& e, Value condition, Value a, Value b) {
    if (!is_bool(condition.dtype)) decline("a condition of " + to_string(condition.dtype));
    return e.where(condition, a, b);
  });
}

}  // namespace dlport::pytorch
