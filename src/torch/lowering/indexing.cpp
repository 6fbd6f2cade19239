// Reading and writing at positions that tensors hold.
#include "torch/lowering/families.hpp"
#include "torch/lowering/table.hpp"

namespace dlport::pytorch {
namespace {

int64_t size_of(const Value& x, int64_t axis) {
  return x.shape[static_cast<size_t>(axis)];
}

void check_same_dtype(const Value& a, const Value& b) {
  if (a.dtype != b.dtype) decline("two dtypes, which PyTorch refuses here");
}

Value embedding(Emit& e, Value weight, Value index, Ignored, Ignored, Ignored) {
  if (weight.rank() != 2) decline("a weight that is no matrix");
  return e.gather(weight, e.checked(index, 0, size_of(weight, 0)), 0);
}

Value embedding_backward(Emit& e, Value grad, Value index, int64_t count, int64_t padding, bool by_frequency) {
  if (by_frequency) decline("gradients scaled by frequency");
  const int64_t width = grad.shape.back();
  const Value position = e.reshape(e.checked(index, 0, count), {index.numel(), 1});
  Value rows = e.reshape(grad, {index.numel(), width});
  if (padding >= 0) rows = e.where(e.eq(position, static_cast<int>(padding)), e.cast(0, grad.dtype), rows);
  return e.scatter_nd(e.full({count, width}, 0, grad.dtype), e.cast(position, int64), rows, "add");
}

Value index_select(Emit& e, Value x, int64_t axis, Value index) {
  axis = e.axis(x, axis);
  if (index.rank() > 1) decline("positions of several dimensions");
  const Value position = e.checked(index, 0, size_of(x, axis));
  return e.gather(x, position.rank() == 0 ? e.unsqueeze(position, {0}) : position, axis);
}

void check_fits(const Value& x, const Value& index, int64_t axis) {
  if (index.dtype != int64) decline("positions of " + to_string(index.dtype));
  if (index.rank() != x.rank()) decline("positions of another rank");
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (i != axis && size_of(index, i) > size_of(x, i)) decline("more positions than there is");
  }
}

Value gather(Emit& e, Value x, int64_t axis, Value index, bool sparse) {
  axis = e.axis(x, axis);
  check_fits(x, index, axis);
  if (sparse) decline("a sparse gradient");
  return e.gather_elements(x, e.checked(index, 0, size_of(x, axis)), axis);
}

/// The part of `source` that positions are given for.
Value part(Emit& e, Value source, const Value& index) {
  if (source.rank() != index.rank()) decline("a source of another rank than its positions");
  for (int64_t i = 0; i < index.rank(); ++i) {
    if (size_of(source, i) < size_of(index, i)) decline("more positions than values");
    if (size_of(source, i) > size_of(index, i)) source = e.slice(source, i, 0, size_of(index, i));
  }
  return source;
}

Value scatter(Emit& e, const Value& x, int64_t axis, const Value& index, const Value& source, std::string reduction) {
  axis = e.axis(x, axis);
  check_fits(x, index, axis);
  check_same_dtype(x, source);
  return e.scatter_elements(x, e.checked(index, 0, size_of(x, axis)), part(e, source, index), axis,
                            std::move(reduction));
}

Value scatter_value(Emit& e, Value x, int64_t axis, Value index, Value value) {
  return scatter(e, x, axis, index, e.full(index.shape, value, x.dtype), "none");
}

Value scatter_reduce(Emit& e, Value x, int64_t axis, Value index, Value source, std::string reduction,
                     bool include_self) {
  if (!include_self || reduction == "mean") decline("a reduction that leaves out what was there");
  if (reduction != "sum") decline("a reduction whose handling of nan differs");
  return scatter(e, x, axis, index, source, "add");
}

/// Positions along one axis, repeated over all others of `like`.
Value along(Emit& e, const Value& index, const Value& like, int64_t axis) {
  if (index.rank() != 1) decline("positions of several dimensions");
  Dims others;
  for (int64_t i = 0; i < like.rank(); ++i) {
    if (i != axis) others.push_back(i);
  }
  Dims shape = like.shape;
  shape[static_cast<size_t>(axis)] = index.shape[0];
  return e.expand(e.unsqueeze(index, others), shape);
}

Value index_add(Emit& e, Value x, int64_t axis, Value index, Value source, Value alpha) {
  axis = e.axis(x, axis);
  check_same_dtype(x, source);
  const Value position = along(e, e.checked(index, 0, size_of(x, axis)), source, axis);
  if (position.shape != source.shape) decline("values that do not fit their positions");
  if (!alpha.is_known(1)) source = e.mul(source, e.cast(alpha, x.dtype));
  return e.scatter_elements(x, position, source, axis, "add");
}

Value index_copy(Emit& e, Value x, int64_t axis, Value index, Value source) {
  axis = e.axis(x, axis);
  check_same_dtype(x, source);
  const Value position = along(e, e.checked(index, 0, size_of(x, axis)), source, axis);
  if (position.shape != source.shape) decline("values that do not fit their positions");
  return e.scatter_elements(x, position, source, axis);
}

Value index_fill(Emit& e, Value x, int64_t axis, Value index, Value value) {
  axis = e.axis(x, axis);
  if (value.rank() > 0) decline("a value of several elements");
  const Value position = along(e, e.checked(index, -size_of(x, axis), size_of(x, axis)), x, axis);
  return e.scatter_elements(x, position, e.full(position.shape, value, x.dtype), axis);
}

// --- Several tensors of positions: x[i, j]. They broadcast, and stand for the first axes.

Value positions(Emit& e, const Value& x, const OptionalValues& indices) {
  Dims shape;
  Values given;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i]) decline("positions that leave out an axis");
    if (is_bool(indices[i]->dtype) || indices[i]->dtype == uint8) decline("a mask, whose result has a size of its own");
    const int64_t size = size_of(x, static_cast<int64_t>(i));
    given.push_back(e.cast(e.checked(*indices[i], -size, size), int64));
    auto joined = broadcast(shape, given.back().shape);
    if (!joined) decline("positions that do not broadcast");
    shape = std::move(*joined);
  }
  for (Value& index : given) index = e.unsqueeze(e.expand(index, shape), {static_cast<int64_t>(shape.size())});
  return given.size() == 1 ? given[0] : e.concat(given, static_cast<int64_t>(shape.size()));
}

Value index(Emit& e, Value x, OptionalValues indices) {
  if (indices.empty() || indices.size() > x.shape.size()) decline("no positions, or too many");
  int64_t leading = 0;  // x[:, :, i]: one axis further back
  while (leading < static_cast<int64_t>(indices.size()) - 1 && !indices[static_cast<size_t>(leading)]) ++leading;
  if (leading == static_cast<int64_t>(indices.size()) - 1 && indices.back()) {
    const Value& only = *indices.back();
    if (is_bool(only.dtype) || only.dtype == uint8) decline("a mask, whose result has a size of its own");
    const int64_t size = size_of(x, leading);
    return e.gather(x, e.checked(only, -size, size), leading);
  }
  return e.gather_nd(x, positions(e, x, indices));
}

Value index_put(Emit& e, Value x, OptionalValues indices, Value values, bool accumulate) {
  check_same_dtype(x, values);
  if (indices.empty() || indices.size() > x.shape.size()) decline("no positions, or too many");
  const Value position = positions(e, x, indices);
  Dims shape(position.shape.begin(), position.shape.end() - 1);
  shape.insert(shape.end(), x.shape.begin() + static_cast<std::ptrdiff_t>(indices.size()), x.shape.end());
  if (broadcast(values.shape, shape) != shape) decline("values that do not fit their positions");
  return e.scatter_nd(x, position, e.expand(values, shape), accumulate ? "add" : "none");
}

Value index_put_unsafe(Emit& e, Value x, OptionalValues indices, Value values, bool accumulate, Ignored) {
  return index_put(e, x, std::move(indices), values, accumulate);
}

Value take(Emit& e, Value x, Value index) {
  return e.gather(e.reshape(x, {x.numel()}), e.checked(index, -x.numel(), x.numel()), 0);
}

}  // namespace

void lower_indexing() {
  lower("aten::embedding", embedding);
  lower("aten::embedding_dense_backward", embedding_backward);
  lower("aten::index_select", index_select);
  lower("aten::gather", gather);
  lower("aten::scatter.src", [](Emit& e, Value x, int64_t axis, Value index, Value source) {
    return scatter(e, x, axis, index, source, "none");
  });
  lower("aten::scatter.value", scatter_value);
  lower("aten::scatter_add", [](Emit& e, Value x, int64_t axis, Value index, Value source) {
    return scatter(e, x, axis, index, source, "add");
  });
  lower("aten::scatter_reduce.two", scatter_reduce);
  lower("aten::index_add", index_add);
  lower("aten::index_copy", index_copy);
  lower("aten::index_fill.int_Scalar", index_fill);
  lower("aten::index_fill.int_Tensor", index_fill);
  lower("aten::index.Tensor", index);
  lower("aten::index_put", index_put);
  lower("aten::_index_put_impl", index_put_unsafe);
  lower("aten::take", take);
}

}  // namespace dlport::pytorch
