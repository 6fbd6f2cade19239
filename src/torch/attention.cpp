// Which way `scaled_dot_product_attention` takes on ort.
#include <ATen/core/Tensor.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/native/transformers/sdp_utils_cpp.h>
#include <ATen/ops/_fused_sdp_choice_native.h>
#include <torch/library.h>

#include "torch/dispatch.hpp"

namespace dlport::pytorch {
namespace {

/// PyTorch's kernel for the physical device does it in one piece, faster than operators that are lowered one by one and
/// without their intermediate results; so it is taken wherever there is a choice.
int64_t choose_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                         const std::optional<at::Tensor>& mask, double dropout, bool is_causal,
                         std::optional<double> scale, bool enable_gqa) {
  if (!may_take_one_piece(static_cast<int>(query.get_device()))) return static_cast<int64_t>(sdp::SDPBackend::math);
  return at::native::_fused_sdp_choice_cpp(query, key, value, mask, dropout, is_causal, scale, enable_gqa);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("_fused_sdp_choice", TORCH_FN(choose_attention));
}

}  // namespace
}  // namespace dlport::pytorch

namespace at::native {

REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &dlport::pytorch::choose_attention)

}  // namespace at::native
