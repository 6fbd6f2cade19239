// Nodes of linear algebra and neural networks.
#include "torch/emit.hpp"

namespace dlport::pytorch {

Value Emit::matmul(const Value& a, const Value& b) {
  if (a.dtype != b.dtype) decline("matrices of different dtypes");
  if (a.rank() < 2 || b.rank() < 2 || a.shape.back() != b.shape[b.shape.size() - 2])
    decline("matrices that do not fit");
  const Value left = arithmetic(a), right = arithmetic(b);
  auto shape = broadcast(Shape(a.shape).first(a.shape.size() - 2), Shape(b.shape).first(b.shape.size() - 2));
  if (!shape) decline("batches that do not broadcast");
  shape->push_back(a.shape[a.shape.size() - 2]);
  shape->push_back(b.shape.back());
  Value result = node("MatMul", {left, right}, left.stored, *shape);
  result.dtype = a.dtype;
  return result;
}

Value Emit::gemm(const Value& a, const Value& b, const Value& c, double alpha, double beta) {
  if (a.dtype != b.dtype || a.dtype != c.dtype) decline("matrices of different dtypes");
  if (a.rank() != 2 || b.rank() != 2 || c.rank() > 2 || a.shape[1] != b.shape[0]) decline("matrices that do not fit");
  const Dims shape = {a.shape[0], b.shape[1]};
  if (broadcast(c.shape, shape) != shape) decline("a bias that does not fit");
  const Value left = arithmetic(a), right = arithmetic(b);
  Value result = node("Gemm", {left, right, arithmetic(c)}, left.stored, shape,
                      {{"alpha", static_cast<float>(alpha)}, {"beta", static_cast<float>(beta)}});
  result.dtype = a.dtype;
  return result;
}

Value Emit::softmax(std::string_view op, const Value& x, int64_t axis) {
  const Value operand = arithmetic(x);
  Value result = node(op, {operand}, operand.stored, x.shape, {{"axis", axis}});
  result.dtype = x.dtype;
  return result;
}

Value Emit::conv(const Value& x, const Value& weight, const Optional& bias, const Window& window, int64_t groups) {
  Dims shape = {x.shape[0], weight.shape[0]};
  for (size_t i = 0; i < window.stride.size(); ++i) {
    const int64_t kernel = window.dilation[i] * (weight.shape[i + 2] - 1) + 1;
    const int64_t room = x.shape[i + 2] + 2 * window.padding[i] - kernel;
    if (room < 0) decline("a kernel larger than the input");
    shape.push_back(room / window.stride[i] + 1);
  }
  const Value operand = arithmetic(x);
  Value result = node("Conv", {operand, arithmetic(weight), bias ? Optional(arithmetic(*bias)) : std::nullopt},
                      operand.stored, shape,
                      {{"strides", window.stride},
                       {"pads", both_sides(window.padding)},
                       {"dilations", window.dilation},
                       {"group", groups}});
  result.dtype = x.dtype;
  return result;
}

Value Emit::conv_transpose(const Value& x, const Value& weight, const Optional& bias, const Window& window,
                           const Dims& output_padding, int64_t groups) {
  Dims shape = {x.shape[0], weight.shape[1] * groups};
  for (size_t i = 0; i < window.stride.size(); ++i) {
    if (output_padding[i] >= window.stride[i]) decline("more padding of the output than a stride");
    shape.push_back((x.shape[i + 2] - 1) * window.stride[i] - 2 * window.padding[i] +
                    window.dilation[i] * (weight.shape[i + 2] - 1) + output_padding[i] + 1);
  }
  const Value operand = arithmetic(x);
  Value result = node("ConvTranspose", {operand, arithmetic(weight), bias ? Optional(arithmetic(*bias)) : std::nullopt},
                      operand.stored, shape,
                      {{"strides", window.stride},
                       {"pads", both_sides(window.padding)},
                       {"dilations", window.dilation},
                       {"output_padding", output_padding},
                       {"group", groups}});
  result.dtype = x.dtype;
  return result;
}

}  // namespace dlport::pytorch
