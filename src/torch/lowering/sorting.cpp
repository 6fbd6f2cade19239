// Order: sorting and the largest elements.
#include "torch/lowering/families.hpp"
#include "torch/lowering/table.hpp"

namespace dlport::pytorch {
namespace {

std::pair<Value, Value> sort(Emit& e, Value x, Ignored, int64_t axis, bool descending) {
  axis = e.axis(x, axis);
  if (is_floating(x.dtype) && !e.refuse_nan(x)) decline("elements that may be nan");
  return e.topk(x, x.shape[static_cast<size_t>(axis)], axis, descending, true);  // equal elements keep their order
}

std::pair<Value, Value> topk(Emit& e, Value x, int64_t count, int64_t axis, bool largest, bool sorted) {
  axis = e.axis(x, axis);
  if (count < 1 || count > x.shape[static_cast<size_t>(axis)]) decline("more elements than there are");
  if (is_floating(x.dtype) && !e.refuse_nan(x)) decline("elements that may be nan");
  return e.topk(x, count, axis, largest, sorted);
}

}  // namespace

void lower_sorting() {
  lower("aten::sort.stable", sort);
  lower("aten::topk", topk);
}

}  // namespace dlport::pytorch
