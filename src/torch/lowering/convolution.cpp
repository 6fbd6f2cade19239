// Convolutions and their backward, in one to three dimensions.
#include "torch/lowering/families.hpp"
#include "torch/lowering/table.hpp"

namespace dlport::pytorch {
namespace {

Window window(const Value& weight, const Dims& stride, const Dims& padding, const Dims& dilation) {
  const size_t count = weight.shape.size() - 2;
  return {{weight.shape.begin() + 2, weight.shape.end()},
          spread(stride, count),
          spread(padding, count),
          spread(dilation, count)};
}

void check(const Value& x, const Value& weight, int64_t groups) {
  if (x.rank() != weight.rank() || x.rank() < 3 || x.rank() > 5) decline("a convolution without a batch");
  if (is_integral(x.dtype) || x.dtype != weight.dtype) decline("a convolution of integers or mixed dtypes");
  if (groups <= 0) decline("no groups");
}

Value convolution(Emit& e, Value x, Value weight, Optional bias, Dims stride, Dims padding, Dims dilation,
                  bool transposed, Dims output_padding, int64_t groups) {
  check(x, weight, groups);
  const Window at = window(weight, stride, padding, dilation);
  if (transposed) {
    if (x.shape[1] != weight.shape[0]) decline("channels that do not fit");
    return e.conv_transpose(x, weight, bias, at, spread(output_padding, at.kernel.size()), groups);
  }
  if (x.shape[1] != weight.shape[1] * groups || weight.shape[0] % groups != 0) decline("channels that do not fit");
  return e.conv(x, weight, bias, at, groups);
}

/// `x` without what a stride left beyond the wanted spatial size.
Value cropped(Emit& e, Value x, const Dims& size) {
  for (size_t i = 0; i < size.size(); ++i) {
    if (x.shape[i + 2] > size[i]) x = e.slice(x, static_cast<int64_t>(i) + 2, 0, size[i]);
  }
  return x;
}

/// The gradient by the input: every output element is spread over its window again.
Value by_input(Emit& e, const Value& grad, const Value& x, const Value& weight, const Window& at, int64_t groups) {
  Dims rest;  // of the input, which no window of the forward pass touched
  for (size_t i = 0; i < at.kernel.size(); ++i) {
    const int64_t covered =
        (grad.shape[i + 2] - 1) * at.stride[i] - 2 * at.padding[i] + at.dilation[i] * (at.kernel[i] - 1) + 1;
    rest.push_back(x.shape[i + 2] - covered);
  }
  return e.conv_transpose(grad, weight, std::nullopt, at, rest, groups);
}

/// The gradient by the weight: the input convolved with the output's gradient, where batches are summed over as
/// channels are otherwise, and where stride and dilation change places.
Value by_weight(Emit& e, const Value& grad, const Value& x, const Window& at, int64_t groups) {
  const int64_t batch = x.shape[0], channels = x.shape[1] / groups;
  Dims split = {batch, groups, channels}, order = {2, 1, 0}, merged = {channels, groups * batch};
  for (size_t i = 2; i < x.shape.size(); ++i) {
    split.push_back(x.shape[i]);
    merged.push_back(x.shape[i]);
    order.push_back(static_cast<int64_t>(i) + 1);
  }
  const Value input = e.reshape(e.transpose(e.reshape(x, split), order), merged);
  const Value result =
      e.conv(input, e.swap(grad, 0, 1), std::nullopt, {{}, at.dilation, at.padding, at.stride}, groups);
  return e.swap(cropped(e, result, at.kernel), 0, 1);
}

OptionalValues convolution_backward(Emit& e, Value grad, Value x, Value weight, Ignored, Dims stride, Dims padding,
                                    Dims dilation, bool transposed, Ignored, int64_t groups, Dims wanted) {
  check(x, weight, groups);
  const Window at = window(weight, stride, padding, dilation);
  OptionalValues results(3);
  if (transposed) {  // the same with the input and the gradient in each other's place
    if (wanted[0]) {
      results[0] = cropped(e, e.conv(grad, weight, std::nullopt, at, groups), {x.shape.begin() + 2, x.shape.end()});
    }
    if (wanted[1]) results[1] = by_weight(e, x, grad, at, groups);
  } else {
    if (wanted[0]) results[0] = by_input(e, grad, x, weight, at, groups);
    if (wanted[1]) results[1] = by_weight(e, grad, x, at, groups);
  }
  if (wanted[2]) {
    Dims axes = {0};
    for (int64_t axis = 2; axis < grad.rank(); ++axis) axes.push_back(axis);
    results[2] = e.sum(grad, axes);
  }
  return results;
}

}  // namespace

void lower_convolution() {
  lower("aten::convolution", convolution);
  lower("aten::convolution_backward", convolution_backward);
}

}  // namespace dlport::pytorch
