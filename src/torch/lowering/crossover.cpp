// Where ONNX Runtime's CPU provider is slower than PyTorch's own kernel for the same memory, as bench/crossover.py
// measures it.
#include <algorithm>
#include <span>
#include <string_view>

#include "torch/lowering/families.hpp"
#include "torch/lowering/table.hpp"

namespace dlport::pytorch {
namespace {

/// Elements of the largest argument. Below, a call costs little more than its launch on either way. Above, PyTorch's
/// kernels are ahead unless listed here: they are one loop where a lowering has several nodes, and reduce in parallel.
constexpr int64_t kCrossover = 1 << 14;

/// Those that ONNX Runtime does as fast or faster at any size, with all their overloads.
// clang-format off
constexpr const char* kFaster[] = {
    "acos", "asin", "atan", "erf", "exp", "sinc", "sqrt", "tanh", "silu", "sigmoid",
    "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "logical_not",
    "isposinf", "isneginf", "where", "masked_fill",
    "any", "argmax", "argmin", "var", "std", "var_mean", "std_mean",
    "mm", "addmm", "_softmax", "_safe_softmax", "native_layer_norm", "topk",
    "avg_pool2d", "avg_pool2d_backward", "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d",
    "upsample_bilinear2d", "embedding_dense_backward", "gather", "index", "repeat", "slice_backward", "triu", "tril",
};

/// Those that take about twice PyTorch's time, or more, at any size: several nodes where its kernel is one short loop.
constexpr const char* kSlower[] = {
    "lerp", "hardswish", "hardswish_backward", "leaky_relu", "_softmax_backward_data", "zero", "fill",
    "nll_loss_forward", "nll_loss2d_forward", "native_batch_norm", "native_batch_norm_backward",
    "native_group_norm", "native_group_norm_backward",
};
// clang-format on

/// A node for each of many tensors, once a step of training, when none of it is in the cache any more.
bool is_of_lists(std::string_view name) {
  return name.starts_with("_foreach_");
}

bool is_among(std::span<const char* const> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

void set_crossovers(std::map<std::string, Entry, std::less<>>& entries) {
  for (auto& [name, entry] : entries) {
    const std::string_view base = std::string_view(name).substr(6);  // behind "aten::"
    const std::string_view family = base.substr(0, base.find('.'));
    const bool slower = is_among(kSlower, family) || is_of_lists(family);
    if (!is_among(kFaster, family)) entry.native_from = slower ? 0 : kCrossover;
  }
}

}  // namespace dlport::pytorch
