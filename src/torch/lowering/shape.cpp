// Joining, repeating and rearranging: data that moves and stays as it is.
#include <algorithm>

#include "torch/lowering/families.hpp"
#include "torch/lowering/table.hpp"

namespace dlport::pytorch {
namespace {

Value joined(Emit& e, Values xs, int64_t axis) {
  if (xs.empty()) decline("nothing to join");
  DType dtype = xs.front().dtype;
  for (const Value& x : xs) dtype = promote_types(dtype, x.dtype);
  for (Value& x : xs) {
    x = e.cast(x, dtype);
    Dims rest = x.shape, first = xs.front().shape;
    if (rest.size() != first.size()) decline("tensors of different ranks");
    rest[static_cast<size_t>(axis)] = first[static_cast<size_t>(axis)];
    if (rest != first) decline("tensors of different sizes");
  }
  return e.concat(xs, axis);
}

Value cat(Emit& e, Values xs, int64_t axis) {
  if (xs.empty()) decline("nothing to join");
  return joined(e, xs, e.axis(xs.front(), axis));
}

Value stack(Emit& e, Values xs, int64_t axis) {
  if (xs.empty()) decline("nothing to join");
  const int64_t rank = xs.front().rank() + 1;
  if (axis < -rank || axis >= rank) decline("an axis out of range");
  if (axis < 0) axis += rank;
  for (Value& x : xs) x = e.unsqueeze(x, {axis});
  return joined(e, xs, axis);
}

Value repeat(Emit& e, Value x, Dims repeats) {
  if (repeats.size() < x.shape.size()) decline("fewer repeats than dimensions");
  Dims added;
  for (size_t i = 0; i < repeats.size() - x.shape.size(); ++i) added.push_back(static_cast<int64_t>(i));
  if (std::ranges::any_of(repeats, [](int64_t times) { return times <= 0; })) decline("no repeats");
  return e.tile(e.unsqueeze(x, added), repeats);
}

Value flip(Emit& e, Value x, Dims axes) {
  if (axes.empty()) decline("no axes");
  for (int64_t axis : e.axes(x, axes)) x = e.slice(x, axis, x.shape[static_cast<size_t>(axis)] - 1, -1, -1);
  return x;
}

Value roll(Emit& e, Value x, Dims shifts, Dims axes) {
  if (shifts.empty() || shifts.size() != axes.size()) decline("a roll over all axes");
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = e.axis(x, axes[i]), size = x.shape[static_cast<size_t>(axis)];
    const int64_t start = ((size - shifts[i]) % size + size) % size;
    if (start == 0) continue;
    x = e.concat({e.slice(x, axis, start, size), e.slice(x, axis, 0, start)}, axis);
  }
  return x;
}

/// PyTorch's paddings start from the last axis, two numbers each.
struct Padding {
  Dims before, after;
};

Padding padding(const Value& x, const Dims& pads) {
  const size_t rank = x.shape.size();
  if (pads.size() % 2 != 0 || pads.size() / 2 > rank) decline("a padding that does not fit");
  Padding result{Dims(rank, 0), Dims(rank, 0)};
  for (size_t i = 0; i < pads.size() / 2; ++i) {
    result.before[rank - 1 - i] = pads[2 * i];
    result.after[rank - 1 - i] = pads[2 * i + 1];
  }
  return result;
}

Value constant_pad(Emit& e, Value x, Dims pads, Value value) {
  const Padding at = padding(x, pads);
  for (size_t i = 0; i < x.shape.size(); ++i) {
    if (at.before[i] < 0 || at.after[i] < 0) decline("a padding that crops");
  }
  return e.pad(x, at.before, at.after, value);
}

template <size_t axes, bool reflect>
Value edge_pad(Emit& e, Value x, Dims pads) {
  if (pads.size() != 2 * axes || (x.shape.size() != axes + 1 && x.shape.size() != axes + 2)) decline("another rank");
  const Padding at = padding(x, pads);
  for (size_t i = 0; i < x.shape.size(); ++i) {
    const bool too_far = reflect && std::max(at.before[i], at.after[i]) >= x.shape[i];
    if (at.before[i] < 0 || at.after[i] < 0 || (too_far && at.before[i] + at.after[i] > 0)) decline("such a padding");
  }
  return e.pad_from_edges(e.arithmetic(x), at.before, at.after, reflect ? "reflect" : "edge");
}

template <bool upper>
Value triangle(Emit& e, Value x, int64_t diagonal) {
  if (x.rank() < 2) decline("a tensor that is no matrix");
  return e.triangle(x, diagonal, upper);
}

Value pixel_shuffle(Emit& e, Value x, int64_t factor) {
  const size_t rank = x.shape.size();
  if (rank != 4 || factor <= 0 || x.shape[1] % (factor * factor) != 0) decline("channels that do not fit");
  const int64_t n = x.shape[0], c = x.shape[1] / (factor * factor), h = x.shape[2], w = x.shape[3];
  const Value split = e.reshape(x, {n, c, factor, factor, h, w});
  return e.reshape(e.transpose(split, {0, 1, 4, 2, 5, 3}), {n, c, h * factor, w * factor});
}

Value pixel_unshuffle(Emit& e, Value x, int64_t factor) {
  if (x.shape.size() != 4 || factor <= 0 || x.shape[2] % factor != 0 || x.shape[3] % factor != 0)
    decline("another size");
  const int64_t n = x.shape[0], c = x.shape[1], h = x.shape[2] / factor, w = x.shape[3] / factor;
  const Value split = e.reshape(x, {n, c, h, factor, w, factor});
  return e.reshape(e.transpose(split, {0, 1, 3, 5, 2, 4}), {n, c * factor * factor, h, w});
}

Value channel_shuffle(Emit& e, Value x, int64_t groups) {
  if (x.rank() < 3 || groups <= 0 || x.shape[1] % groups != 0) decline("channels that do not fit");
  const int64_t rest = x.numel() / x.shape[0] / x.shape[1];
  const Value split = e.reshape(x, {x.shape[0], groups, x.shape[1] / groups, rest});
  return e.reshape(e.transpose(split, {0, 2, 1, 3}), x.shape);
}

// --- The backward of views: a gradient placed among zeros

Value slice_backward(Emit& e, Value grad, Dims sizes, int64_t axis, int64_t start, int64_t end, int64_t step) {
  axis = axis < 0 ? axis + static_cast<int64_t>(sizes.size()) : axis;
  const int64_t size = sizes[static_cast<size_t>(axis)];
  const auto clamp = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size); };
  start = clamp(start);
  end = std::max(clamp(end), start);
  if (step != 1 || grad.shape[static_cast<size_t>(axis)] != end - start) decline("a slice with a step");
  Dims before(sizes.size(), 0), after(sizes.size(), 0);
  before[static_cast<size_t>(axis)] = start;
  after[static_cast<size_t>(axis)] = size - end;
  return e.pad(grad, before, after, 0);
}

Value select_backward(Emit& e, Value grad, Dims sizes, int64_t axis, int64_t index) {
  axis = axis < 0 ? axis + static_cast<int64_t>(sizes.size()) : axis;
  const int64_t size = sizes[static_cast<size_t>(axis)];
  if (index < 0) index += size;
  Dims before(sizes.size(), 0), after(sizes.size(), 0);
  before[static_cast<size_t>(axis)] = index;
  after[static_cast<size_t>(axis)] = size - 1 - index;
  return e.pad(e.unsqueeze(grad, {axis}), before, after, 0);
}

}  // namespace

void lower_shape() {
  lower("aten::cat", cat);
  lower("aten::stack", stack);
  lower("aten::repeat", repeat);
  lower("aten::flip", flip);
  lower("aten::roll", roll);
  lower("aten::tril", triangle<false>);
  lower("aten::triu", triangle<true>);
  lower("aten::constant_pad_nd", constant_pad);
  lower("aten::reflection_pad1d", edge_pad<1, true>);
  lower("aten::reflection_pad2d", edge_pad<2, true>);
  lower("aten::reflection_pad3d", edge_pad<3, true>);
  lower("aten::replication_pad1d", edge_pad<1, false>);
  lower("aten::replication_pad2d", edge_pad<2, false>);
  lower("aten::replication_pad3d", edge_pad<3, false>);
  lower("aten::pixel_shuffle", pixel_shuffle);
  lower("aten::pixel_unshuffle", pixel_unshuffle);
  lower("aten::channel_shuffle", channel_shuffle);
  lower("aten::slice_backward", slice_backward);
  lower("aten::select_backward", select_backward);
  for (const char* name : {"aten::fill.Scalar", "aten::fill.Tensor"}) {
    lower(name, [](Emit& e, Value x, Value value) {
      if (value.rank() > 0) decline("a value of several elements");
      return e.full_like(x, value);
    });
  }
  lower("aten::zero", [](Emit& e, Value x) { return e.full_like(x, 0); });
}

}  // namespace dlport::pytorch
