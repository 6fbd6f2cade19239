// What PyTorch lets a device keep with a tensor, and saves with it (`torch._utils.set_tensor_metadata`): named flags.
// Ort keeps whatever it is given and reads none of it.
#include <c10/core/TensorImpl.h>
#include <torch/csrc/jit/serialization/pickler_helper.h>

#include <string>
#include <unordered_map>
#include <utility>

#include "torch/buffer.hpp"

namespace dlport::pytorch {
namespace {

using Flags = std::unordered_map<std::string, bool>;

struct Metadata final : c10::BackendMeta {
  explicit Metadata(Flags given) : flags(std::move(given)) {}
  const Flags flags;
};

void get_metadata(const at::Tensor& tensor, Flags& flags) {
  const c10::BackendMeta* kept = tensor.unsafeGetTensorImpl()->get_backend_meta();
  if (const auto* metadata = dynamic_cast<const Metadata*>(kept)) flags = metadata->flags;
}

void set_metadata(const at::Tensor& tensor, Flags& flags) {
  tensor.unsafeGetTensorImpl()->set_backend_meta(c10::make_intrusive<Metadata>(flags));
}

[[maybe_unused]] const bool registered = [] {
  torch::jit::TensorBackendMetaRegistry(kORTDevice, &get_metadata, &set_metadata);
  return true;
}();

}  // namespace
}  // namespace dlport::pytorch
