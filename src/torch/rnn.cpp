// Recurrent layers. PyTorch picks fused cells for every private device, but has kernels for them on cuda only; here
// each is composed of operators that run on ort. A whole LSTM layer is oneDNN's where that is the physical device's.
#include <ATen/ATen.h>
#include <ATen/native/RNN.h>
#include <ATen/ops/lstm_native.h>
#include <torch/library.h>

#include <tuple>

#include "torch/dispatch.hpp"

namespace dlport::pytorch {
namespace {

using OptionalTensor = std::optional<at::Tensor>;

at::Tensor with_bias(const at::Tensor& gates, const OptionalTensor& bias) {
  return bias && bias->defined() ? gates + *bias : gates;
}

OptionalTensor sum_over_batch(const at::Tensor& gradient, bool wanted) {
  return wanted ? OptionalTensor(gradient.sum(0)) : std::nullopt;
}

at::Tensor defined_or(const OptionalTensor& tensor, const at::Tensor& otherwise) {
  return tensor && tensor->defined() ? *tensor : otherwise;
}

/// Gates in PyTorch's order: input, forget, cell, output. The workspace holds them activated, for the backward.
std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates,
                                                         const at::Tensor& cx, const OptionalTensor& input_bias,
                                                         const OptionalTensor& hidden_bias) {
  const auto gates = (with_bias(input_gates, input_bias) + with_bias(hidden_gates, hidden_bias)).chunk(4, 1);
  const at::Tensor in = gates[0].sigmoid(), forget = gates[1].sigmoid(), cell = gates[2].tanh(),
                   out = gates[3].sigmoid();
  const at::Tensor cy = forget * cx + in * cell;
  return {out * cy.tanh(), cy, at::cat({in, forget, cell, out}, 1)};
}

/// Returns the gradients of the gates, of `cx`, and of the bias where there is one.
std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell_backward(const OptionalTensor& grad_hy,
                                                                  const OptionalTensor& grad_cy, const at::Tensor& cx,
                                                                  const at::Tensor& cy, const at::Tensor& workspace,
                                                                  bool has_bias) {
  const auto gates = workspace.chunk(4, 1);
  const at::Tensor &in = gates[0], &forget = gates[1], &cell = gates[2], &out = gates[3];
  const at::Tensor zero = at::zeros_like(cx);
  const at::Tensor gh = defined_or(grad_hy, zero), tanh_cy = cy.tanh();
  const at::Tensor gc = gh * out * (1 - tanh_cy * tanh_cy) + defined_or(grad_cy, zero);
  const at::Tensor grad_gates = at::cat({gc * cell * in * (1 - in), gc * cx * forget * (1 - forget),
                                         gc * in * (1 - cell * cell), gh * tanh_cy * out * (1 - out)},
                                        1);
  return {grad_gates, gc * forget, sum_over_batch(grad_gates, has_bias).value_or(at::Tensor())};
}

/// Gates in PyTorch's order: reset, update, new. The workspace holds reset, update, new, hx and the hidden part of new.
std::tuple<at::Tensor, at::Tensor> gru_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates,
                                            const at::Tensor& hx, const OptionalTensor& input_bias,
                                            const OptionalTensor& hidden_bias) {
  const auto in = with_bias(input_gates, input_bias).chunk(3, 1);
  const auto hidden = with_bias(hidden_gates, hidden_bias).chunk(3, 1);
  const at::Tensor reset = (in[0] + hidden[0]).sigmoid(), update = (in[1] + hidden[1]).sigmoid();
  const at::Tensor fresh = (in[2] + reset * hidden[2]).tanh();
  return {fresh + update * (hx - fresh), at::cat({reset, update, fresh, hx, hidden[2]}, 1)};
}

/// Returns the gradients of the input gates, the hidden gates, `hx`, and of the two biases where there are any.
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor> gru_cell_backward(const at::Tensor& grad_hy,
                                                                                         const at::Tensor& workspace,
                                                                                         bool has_bias) {
  const auto saved = workspace.chunk(5, 1);
  const at::Tensor &reset = saved[0], &update = saved[1], &fresh = saved[2], &hx = saved[3], &hidden = saved[4];
  const at::Tensor g_new = grad_hy * (1 - update) * (1 - fresh * fresh);
  const at::Tensor g_update = grad_hy * (hx - fresh) * update * (1 - update);
  const at::Tensor g_reset = g_new * hidden * reset * (1 - reset);
  const at::Tensor grad_input = at::cat({g_reset, g_update, g_new}, 1);
  const at::Tensor grad_hidden = at::cat({g_reset, g_update, g_new * reset}, 1);
  return {grad_input, grad_hidden, grad_hy * update, sum_over_batch(grad_input, has_bias).value_or(at::Tensor()),
          sum_over_batch(grad_hidden, has_bias).value_or(at::Tensor())};
}

/// True where PyTorch would take oneDNN's kernel for a whole layer on the physical device. Lowered, a layer is a dozen
/// operators for each step of time.
bool in_one_piece(const at::Tensor& input, at::TensorList state) {
  return may_take_one_piece(static_cast<int>(input.get_device())) && at::globalContext().userEnabledMkldnn() &&
         input.scalar_type() == at::kFloat && input.numel() > 0 && state[0].size(2) == state[1].size(2);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm(const at::Tensor& input, at::TensorList state,
                                                    at::TensorList parameters, bool has_biases, int64_t layers,
                                                    double dropout, bool train, bool bidirectional, bool batch_first) {
  if (state.size() != 2 || !in_one_piece(input, state)) {
    return at::native::lstm(input, state, parameters, has_biases, layers, dropout, train, bidirectional, batch_first);
  }
  at::native::check_attributes(input, parameters, state, /*check_dtype=*/true);
  at::Tensor output, hidden, cell;
  // oneDNN's layers strung together, of which there is one version for every cpu. The layers themselves are operators.
  at::native::lstm_mkldnn_stub.DEFAULT(output, hidden, cell, input, state, parameters, has_biases, layers, dropout,
                                       train, bidirectional, batch_first);
  return {output, hidden, cell};
}

TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, library) {
  library.impl("lstm.input", TORCH_FN(lstm));
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("lstm.input", TORCH_FN(lstm));
  library.impl("_thnn_fused_lstm_cell", TORCH_FN(lstm_cell));
  library.impl("_thnn_fused_lstm_cell_backward_impl", TORCH_FN(lstm_cell_backward));
  library.impl("_thnn_fused_gru_cell", TORCH_FN(gru_cell));
  library.impl("_thnn_fused_gru_cell_backward", TORCH_FN(gru_cell_backward));
}

}  // namespace
}  // namespace dlport::pytorch
