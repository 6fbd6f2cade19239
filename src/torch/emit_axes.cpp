// Nodes along axes: reductions, moving data, indexing.
#include <algorithm>
#include <limits>
#include <numeric>

#include "torch/emit.hpp"

namespace dlport::pytorch {
namespace {

int64_t& at(Dims& dims, int64_t axis) {
  return dims[static_cast<size_t>(axis)];
}

int64_t at(const Dims& dims, int64_t axis) {
  return dims[static_cast<size_t>(axis)];
}

Dims reduced(const Value& x, const Dims& axes, bool keepdim) {
  Dims shape;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (std::ranges::find(axes, i) == axes.end()) {
      shape.push_back(at(x.shape, i));
    } else if (keepdim) {
      shape.push_back(1);
    }
  }
  return shape;
}

/// The same elements with another shape: keeps what `x` is stored as.
Value like(Value result, const Value& x) {
  result.dtype = x.dtype;
  return result;
}

}  // namespace

int64_t Emit::axis(const Value& x, int64_t axis) const {
  const int64_t rank = x.rank();
  if (axis < -rank || axis >= rank) {
    decline("axis " + std::to_string(axis) + " of a tensor of " + std::to_string(rank) + " dimensions");
  }
  return axis < 0 ? axis + rank : axis;
}

Dims Emit::axes(const Value& x, const Dims& axes) const {
  Dims result;
  if (x.shape.empty() && std::ranges::all_of(axes, [](int64_t one) { return one == 0 || one == -1; })) return result;
  for (int64_t one : axes) result.push_back(axis(x, one));
  if (axes.empty()) {
    result.resize(x.shape.size());
    std::iota(result.begin(), result.end(), 0);
  }
  std::ranges::sort(result);
  if (std::ranges::adjacent_find(result) != result.end()) decline("an axis that is named twice");
  return result;
}

// --- Reductions

Value Emit::reduce(std::string_view op, const Value& x, const Dims& axes, bool keepdim) {
  if (axes.empty()) return x;
  const Value operand = arithmetic(x);
  Value result =
      node(op, {operand, indices(axes)}, operand.stored, reduced(x, axes, keepdim), {{"keepdims", int64_t{keepdim}}});
  return like(result, x);
}

Value Emit::extreme(std::string_view op, const Value& x, const Dims& axes, bool keepdim) {
  const Value found = reduce(op, x, axes, keepdim);
  if (!is_floating(x.dtype) || axes.empty() || refuse_nan(x)) return found;
  const Value has_nan = to_bool(reduce("ReduceMax", cast(is_nan(x), int32), axes, keepdim));
  return where(has_nan, cast(std::numeric_limits<double>::quiet_NaN(), x.dtype), found);
}

Value Emit::arg(std::string_view op, const Value& x, int64_t axis, bool keepdim) {
  const Dims shape = reduced(x, {axis}, keepdim);
  const Attributes attributes = {{"axis", axis}, {"keepdims", int64_t{keepdim}}};
  const Value position = node(op, {arithmetic(x)}, int64, shape, attributes);
  if (!is_floating(x.dtype) || refuse_nan(x)) return position;
  const Value nans = cast(is_nan(x), int32);
  const Value has_nan = to_bool(reduce("ReduceMax", nans, {axis}, keepdim));
  return where(has_nan, node("ArgMax", {nans}, int64, shape, attributes), position);
}

Value Emit::cumsum(const Value& x, int64_t axis) {
  const Value operand = arithmetic(x);
  return like(node("CumSum", {operand, constant(static_cast<double>(axis), int64)}, operand.stored, x.shape), x);
}

std::pair<Value, Value> Emit::topk(const Value& x, int64_t k, int64_t axis, bool largest, bool sorted) {
  const Value operand = arithmetic(x);
  Dims shape = x.shape;
  at(shape, axis) = k;
  Values results = nodes("TopK", {operand, indices({k})}, {{operand.stored, shape}, {int64, shape}},
                         {{"axis", axis}, {"largest", int64_t{largest}}, {"sorted", int64_t{sorted}}});
  return {like(results[0], x), results[1]};
}

// --- Moving data

Value Emit::reshape(const Value& x, const Dims& shape) {
  if (x.shape == shape) return x;
  const Value operand = materialise(x);
  return like(node("Reshape", {operand, indices(shape)}, operand.stored, shape), x);
}

Value Emit::transpose(const Value& x, const Dims& order) {
  const Value operand = materialise(x);
  Dims shape;
  for (int64_t axis : order) shape.push_back(at(x.shape, axis));
  return like(node("Transpose", {operand}, operand.stored, shape, {{"perm", order}}), x);
}

Value Emit::swap(const Value& x, int64_t a, int64_t b) {
  Dims order(x.shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(at(order, axis(x, a)), at(order, axis(x, b)));
  return transpose(x, order);
}

Value Emit::squeeze(const Value& x, const Dims& axes) {
  if (axes.empty()) return x;
  const Value operand = materialise(x);
  return like(node("Squeeze", {operand, indices(axes)}, operand.stored, reduced(x, axes, false)), x);
}

Value Emit::unsqueeze(const Value& x, const Dims& axes) {
  if (axes.empty()) return x;
  const Value operand = materialise(x);
  Dims shape = x.shape, sorted = axes;
  std::ranges::sort(sorted);
  for (int64_t axis : sorted) shape.insert(shape.begin() + axis, 1);
  return like(node("Unsqueeze", {operand, indices(sorted)}, operand.stored, shape), x);
}

Value Emit::expand(const Value& x, const Dims& shape) {
  if (x.shape == shape) return x;
  const Value operand = materialise(x);
  return like(node("Expand", {operand, indices(shape)}, operand.stored, shape), x);
}

Value Emit::full(const Dims& shape, const Value& value, DType dtype) {
  return expand(exact(cast(value, dtype)), shape);
}

Value Emit::full_like(const Value& x, const Value& value) {
  if (x.shape.empty()) return exact(cast(value, x.dtype));
  const bool elementwise = elementwise_;  // only the shape of x is read
  const Value shape = node("Shape", {x}, int64, {x.rank()});
  Value result = node("Expand", {exact(cast(value, x.dtype)), shape}, x.dtype, x.shape);
  elementwise_ = elementwise;
  return result;
}

Value Emit::concat(const Values& xs, int64_t axis) {
  std::vector<Optional> operands;
  Dims shape = xs.front().shape;
  at(shape, axis) = 0;
  for (const Value& x : xs) {
    operands.emplace_back(exact(x));
    at(shape, axis) += at(x.shape, axis);
  }
  return nodes("Concat", operands, {{xs.front().dtype, shape}}, {{"axis", axis}}).front();
}

Value Emit::slice(const Value& x, int64_t axis, int64_t start, int64_t end, int64_t step) {
  const Value operand = materialise(x);
  Dims shape = x.shape;
  const int64_t length = end - start;
  at(shape, axis) = std::max<int64_t>(0, step > 0 ? (length + step - 1) / step : (length + step + 1) / step);
  if (step < 0 && end < 0)
    end = std::numeric_limits<int64_t>::min();  // past the first element: ONNX counts -1 from the back
  return like(node("Slice", {operand, indices({start}), indices({end}), indices({axis}), indices({step})},
                   operand.stored, shape),
              x);
}

namespace {

Dims padded(const Value& x, const Dims& before, const Dims& after) {
  Dims shape = x.shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    shape[i] += before[i] + after[i];
    if (shape[i] < 0) decline("a padding that crops more than there is");
  }
  return shape;
}

Dims joined(Dims before, const Dims& after) {
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

}  // namespace

Value Emit::pad(const Value& x, const Dims& before, const Dims& after, const Value& value) {
  std::optional<double> fixed = value.literal;
  if (value.known) fixed = *value.known;
  if (!fixed) {  // some providers take only a constant here, and zero for any other
    return where(pad(full(x.shape, 1, boolean), before, after, 0), pad(x, before, after, 0), cast(value, x.dtype));
  }
  const Value operand = exact(x);
  return like(node("Pad", {operand, indices(joined(before, after)), exact(constant(*fixed, x.dtype))}, operand.stored,
                   padded(x, before, after)),
              x);
}

Value Emit::pad_from_edges(const Value& x, const Dims& before, const Dims& after, std::string mode) {
  const Value operand = materialise(x);
  return like(node("Pad", {operand, indices(joined(before, after))}, operand.stored, padded(x, before, after),
                   {{"mode", std::move(mode)}}),
              x);
}

Value Emit::tile(const Value& x, const Dims& repeats) {
  if (x.shape.empty()) return x;  // some providers go wrong over a Tile by no numbers
  const Value operand = materialise(x);
  Dims shape = x.shape;
  for (size_t i = 0; i < shape.size(); ++i) shape[i] *= repeats[i];
  return like(node("Tile", {operand, indices(repeats)}, operand.stored, shape), x);
}

Value Emit::triangle(const Value& x, int64_t diagonal, bool upper) {
  const Value operand = materialise(x);
  return like(node("Trilu", {operand, constant(static_cast<double>(diagonal), int64)}, operand.stored, x.shape,
                   {{"upper", int64_t{upper}}}),
              x);
}

// --- Indexing

Value Emit::checked(const Value& index, int64_t low, int64_t high, std::optional<int64_t> except) {
  if (index.dtype != int64 && index.dtype != int32) decline("positions of " + to_string(index.dtype));
  checks_.push_back({index.source, low, high, except});
  return index;
}

bool Emit::refuse_nan(const Value& x) {
  const bool is_argument = x.id == ort::absent && x.source.argument >= 0;
  if (!is_argument || (x.dtype != float32 && x.dtype != float64)) return false;
  checks_.push_back({x.source, 0, 0, {}});
  return true;
}

Value Emit::gather(const Value& x, const Value& index, int64_t axis) {
  const Value operand = materialise(x);
  Dims shape(x.shape.begin(), x.shape.begin() + axis);
  shape.insert(shape.end(), index.shape.begin(), index.shape.end());
  shape.insert(shape.end(), x.shape.begin() + axis + 1, x.shape.end());
  return like(node("Gather", {operand, index}, operand.stored, shape, {{"axis", axis}}), x);
}

Value Emit::gather_elements(const Value& x, const Value& index, int64_t axis) {
  const Value operand = materialise(x);
  return like(node("GatherElements", {operand, index}, operand.stored, index.shape, {{"axis", axis}}), x);
}

Value Emit::gather_nd(const Value& x, const Value& index) {
  const Value operand = materialise(x);
  Dims shape(index.shape.begin(), index.shape.end() - 1);
  shape.insert(shape.end(), x.shape.begin() + index.shape.back(), x.shape.end());
  return like(node("GatherND", {operand, index}, operand.stored, shape), x);
}

Value Emit::scatter_elements(const Value& x, const Value& index, const Value& source, int64_t axis,
                             std::string reduction) {
  const bool plain = reduction == "none";
  const Value operand = plain ? exact(x) : arithmetic(x), updates = plain ? exact(source) : arithmetic(source);
  return like(node("ScatterElements", {operand, index, updates}, operand.stored, x.shape,
                   {{"axis", axis}, {"reduction", std::move(reduction)}}),
              x);
}

Value Emit::scatter_nd(const Value& x, const Value& index, const Value& source, std::string reduction) {
  const bool plain = reduction == "none";
  const Value operand = plain ? exact(x) : arithmetic(x), updates = plain ? exact(source) : arithmetic(source);
  return like(
      node("ScatterND", {operand, index, updates}, operand.stored, x.shape, {{"reduction", std::move(reduction)}}), x);
}

Value Emit::range(int64_t count) {
  Dims values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return indices(values);
}

}  // namespace dlport::pytorch
