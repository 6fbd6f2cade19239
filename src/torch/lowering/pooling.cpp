// Poolings and their backward, in one to three dimensions.
#include "torch/lowering/families.hpp"
#include "torch/lowering/table.hpp"

namespace dlport::pytorch {
namespace {

/// How a pooling lies over `x`'s last axes. An empty stride means that of the kernel.
Window window(size_t axes, const Dims& kernel, const Dims& stride, const Dims& padding, const Dims& dilation) {
  const Dims size = spread(kernel, axes);
  const Window at{size, stride.empty() ? size : spread(stride, axes), spread(padding, axes), spread(dilation, axes)};
  for (size_t i = 0; i < axes; ++i) {
    if (at.padding[i] > at.kernel[i] / 2) decline("more padding than half of the kernel, which PyTorch refuses");
  }
  return at;
}

/// The result's size; a window that would start beyond the input and its left padding is dropped.
Dims pooled(const Value& x, const Window& at, bool ceil_mode) {
  const size_t axes = at.kernel.size();
  Dims shape(x.shape.begin(), x.shape.end() - static_cast<std::ptrdiff_t>(axes));
  for (size_t i = 0; i < axes; ++i) {
    const int64_t size = x.shape[shape.size()];
    const int64_t room = size + 2 * at.padding[i] - at.dilation[i] * (at.kernel[i] - 1) - 1;
    if (room < 0) decline("a window larger than the input");
    int64_t count = (room + (ceil_mode ? at.stride[i] - 1 : 0)) / at.stride[i] + 1;
    if (ceil_mode && (count - 1) * at.stride[i] >= size + at.padding[i]) --count;
    shape.push_back(count);
  }
  return shape;
}

/// ONNX's `pads` for a result of `shape`: the last window may reach beyond the padding. ONNX has `ceil_mode` for that
/// too, with which some providers keep a window that is to be dropped.
Dims pads(const Value& x, const Window& at, const Dims& shape) {
  const size_t axes = at.kernel.size(), leading = shape.size() - axes;
  Dims result = both_sides(at.padding);
  for (size_t i = 0; i < axes; ++i) {
    const int64_t end = (shape[leading + i] - 1) * at.stride[i] + at.dilation[i] * (at.kernel[i] - 1) + 1;
    const int64_t beyond = end - x.shape[leading + i] - at.padding[i];
    if (beyond <= at.padding[i]) continue;
    if (beyond >= at.kernel[i]) decline("a window that reaches further beyond the input than the kernel is long");
    result[axes + i] = beyond;
  }
  return result;
}

Value batched(Emit& e, const Value& x, size_t axes) {
  if (x.shape.size() == axes + 2) return x;
  if (x.shape.size() != axes + 1) decline("a pooling over a tensor of another rank");
  return e.unsqueeze(x, {0});
}

Value unbatched(Emit& e, const Value& result, const Value& x) {
  return result.rank() == x.rank() ? result : e.squeeze(result, {0});
}

int64_t plane(const Value& x, size_t axes) {
  return numel(Shape(x.shape).last(axes));
}

template <size_t axes>
std::pair<Value, Value> max_pool(Emit& e, Value x, Dims kernel, Dims stride, Dims padding, Dims dilation,
                                 bool ceil_mode) {
  if (is_integral(x.dtype)) decline("a pooling of integers");
  if (is_floating(x.dtype) && !e.refuse_nan(x)) decline("elements that may be nan");
  const Window at = window(axes, kernel, stride, padding, dilation);
  const Value operand = e.arithmetic(batched(e, x, axes));
  const Dims shape = pooled(operand, at, ceil_mode);
  Values results = e.nodes("MaxPool", {operand}, {{operand.stored, shape}, {int64, shape}},
                           {{"kernel_shape", at.kernel},
                            {"strides", at.stride},
                            {"pads", pads(operand, at, shape)},
                            {"dilations", at.dilation}});
  results[0].dtype = x.dtype;
  // ONNX counts positions in the whole tensor, PyTorch in each plane.
  const Value position = e.binary("Mod", results[1], e.constant(static_cast<double>(plane(x, axes)), int64));
  return {unbatched(e, results[0], x), unbatched(e, position, x)};
}

template <size_t axes>
Value max_pool_backward(Emit& e, Value grad, Value x, Ignored, Ignored, Ignored, Ignored, Ignored, Value position) {
  const auto flat = [&](const Value& value) {
    Dims shape(value.shape.begin(), value.shape.end() - static_cast<std::ptrdiff_t>(axes));
    shape.push_back(plane(value, axes));
    return e.reshape(value, shape);
  };
  Dims planes(x.shape.begin(), x.shape.end() - static_cast<std::ptrdiff_t>(axes));
  planes.push_back(plane(x, axes));
  const int64_t axis = static_cast<int64_t>(planes.size()) - 1;
  const Value zeros = e.full(planes, 0, x.dtype);
  const Value position_checked = e.checked(position, 0, plane(x, axes));
  return e.reshape(e.scatter_elements(zeros, flat(position_checked), flat(grad), axis, "add"), x.shape);
}

template <size_t axes>
Value average_pool(Emit& e, Value x, Dims kernel, Dims stride, Dims padding, bool ceil_mode, bool count_padding,
                   std::optional<int64_t> divisor) {
  if (is_integral(x.dtype) || divisor) decline("an average of integers or with a divisor of its own");
  if (ceil_mode && count_padding) decline("an average over windows that reach beyond the padding");
  const Window at = window(axes, kernel, stride, padding, {1});
  const Value operand = e.arithmetic(batched(e, x, axes));
  const Dims shape = pooled(operand, at, ceil_mode);
  Value result = e.node("AveragePool", {operand}, operand.stored, shape,
                        {{"kernel_shape", at.kernel},
                         {"strides", at.stride},
                         {"pads", pads(operand, at, shape)},
                         {"count_include_pad", int64_t{count_padding}}});
  result.dtype = x.dtype;
  return unbatched(e, result, x);
}

/// Each element of the gradient goes in equal shares to its window: a transposed convolution of every channel.
template <size_t axes>
Value average_pool_backward(Emit& e, Value grad, Value x, Dims kernel, Dims stride, Dims padding, bool ceil_mode,
                            bool count_padding, std::optional<int64_t> divisor) {
  const Window at = window(axes, kernel, stride, padding, {1});
  const bool padded = at.padding != Dims(axes, 0);
  if (ceil_mode || divisor || (padded && !count_padding)) decline("an average over windows of different sizes");
  const Value each = batched(e, grad, axes), input = batched(e, x, axes);
  Dims ones = {each.shape[1], 1}, rest;
  ones.insert(ones.end(), at.kernel.begin(), at.kernel.end());
  for (size_t i = 0; i < axes; ++i) {
    rest.push_back(input.shape[i + 2] - ((each.shape[i + 2] - 1) * at.stride[i] - 2 * at.padding[i] + at.kernel[i]));
    if (rest.back() < 0) decline("a gradient larger than its input");
  }
  const Value weight = e.full(ones, 1.0 / static_cast<double>(numel(at.kernel)), x.dtype);
  return unbatched(e, e.conv_transpose(each, weight, std::nullopt, at, rest, each.shape[1]), x);
}

/// Windows of one size that tile the input, or none.
Dims tiles(const Value& x, const Dims& output) {
  Dims kernel;
  for (size_t i = 0; i < output.size(); ++i) {
    const int64_t size = x.shape[x.shape.size() - output.size() + i];
    if (output[i] <= 0 || size % output[i] != 0) decline("windows of different sizes");
    kernel.push_back(size / output[i]);
  }
  return kernel;
}

template <size_t axes>
Value adaptive_average_pool(Emit& e, Value x, Dims output) {
  return average_pool<axes>(e, x, tiles(x, spread(output, axes)), {}, Dims(axes, 0), false, true, std::nullopt);
}

template <size_t axes>
Value adaptive_average_pool_backward(Emit& e, Value grad, Value x) {
  const Dims output(grad.shape.end() - static_cast<std::ptrdiff_t>(axes), grad.shape.end());
  const Dims kernel = tiles(x, output);
  Dims split(grad.shape.begin(), grad.shape.end() - static_cast<std::ptrdiff_t>(axes)), full = split;
  for (size_t i = 0; i < axes; ++i) {
    split.insert(split.end(), {output[i], 1});
    full.insert(full.end(), {output[i], kernel[i]});
  }
  const Value share = e.mul(grad, 1.0 / static_cast<double>(numel(kernel)));
  return e.reshape(e.expand(e.reshape(share, split), full), x.shape);
}

}  // namespace

void lower_pooling() {
  lower("aten::max_pool2d_with_indices", max_pool<2>);
  lower("aten::max_pool3d_with_indices", max_pool<3>);
  lower("aten::max_pool2d_with_indices_backward", max_pool_backward<2>);
  lower("aten::max_pool3d_with_indices_backward", max_pool_backward<3>);
  lower("aten::avg_pool2d", average_pool<2>);
  lower("aten::avg_pool3d", average_pool<3>);
  lower("aten::avg_pool2d_backward", average_pool_backward<2>);
  lower("aten::avg_pool3d_backward", average_pool_backward<3>);
  lower("aten::_adaptive_avg_pool2d", adaptive_average_pool<2>);
  lower("aten::_adaptive_avg_pool3d", adaptive_average_pool<3>);
  lower("aten::_adaptive_avg_pool2d_backward", adaptive_average_pool_backward<2>);
  lower("aten::_adaptive_avg_pool3d_backward", adaptive_average_pool_backward<3>);
}

}  // namespace dlport::pytorch
