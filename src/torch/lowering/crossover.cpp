// Where ONNX Runtime's CPU provider is slower than PyTorch's own kernel for the same memory, as bench/crossover.py
// measures it.
#include <algorithm>
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
    "_softmax", "_safe_softmax", "native_layer_norm", "topk",
    "avg_pool2d", "avg_pool2d_backward", "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d",
    "upsample_bilinear2d", "embedding_dense_backward", "gather", "index", "repeat", "slice_backward", "triu", "tril",
};
// clang-format on

}  // namespace

void set_crossovers(std::map<std::string, Entry, std::less<>>& entries) {
  for (auto& [name, entry] : entries) {
    const std::string_view base = std::string_view(name).substr(6);  // behind "aten::"
    const bool faster = std::ranges::find(kFaster, base.substr(0, base.find('.'))) != std::end(kFaster);
    if (!faster) entry.native_from = kCrossover;
  }
}

}  // namespace dlport::pytorch
