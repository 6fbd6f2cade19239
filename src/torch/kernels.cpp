// The operators that PyTorch wants from every device itself: making tensors, viewing them, copying them, and looking
// in.
#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_copy_from_and_resize_native.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include "torch/buffer.hpp"
#include "torch/fork.hpp"

namespace dlport::pytorch {
namespace {

const c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

void check_layout(std::optional<at::Layout> layout, std::optional<bool> pin_memory) {
  TORCH_CHECK_NOT_IMPLEMENTED(layout.value_or(at::kStrided) == at::kStrided,
                              "the ort device has strided tensors only, not ", *layout);
  TORCH_CHECK(!pin_memory.value_or(false), "only dense CPU tensors can be pinned");
}

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                 std::optional<at::Device> device, std::optional<bool> pin_memory,
                 std::optional<at::MemoryFormat> memory_format) {
  check_layout(layout, pin_memory);
  const c10::OptionalDeviceGuard guard(device);
  return at::detail::empty_generic(size, c10::GetAllocator(kORTDevice), kKeys, c10::dtype_or_default(dtype),
                                   memory_format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout> layout, std::optional<at::Device> device,
                         std::optional<bool> pin_memory) {
  check_layout(layout, pin_memory);
  const c10::OptionalDeviceGuard guard(device);
  return at::detail::empty_strided_generic(size, stride, c10::GetAllocator(kORTDevice), kKeys,
                                           c10::dtype_or_default(dtype));
}

at::Tensor physical_or_self(const at::Tensor& tensor) {
  return is_ort(tensor) ? physical_tensor(tensor) : tensor;
}

/// Between ort and anything else: a copy between the physical tensors.
at::Tensor& copy_(at::Tensor& self, const at::Tensor& source, bool non_blocking) {
  check_not_forked();
  const at::AutoDispatchBelowADInplaceOrView below;
  physical_or_self(self).copy_(physical_or_self(source), non_blocking);
  return self;
}

at::Tensor copy_from(const at::Tensor& self, const at::Tensor& destination, bool non_blocking) {
  at::Tensor target = destination;
  return copy_(target, self, non_blocking);
}

at::Tensor copy_from_and_resize(const at::Tensor& self, const at::Tensor& destination) {
  at::native::resize_output(destination, self.sizes());
  return copy_from(self, destination, false);
}

at::Tensor& set_source_storage(at::Tensor& self, at::Storage source) {
  return at::native::set_(self, std::move(source));
}

at::Tensor& set_to_nothing(at::Tensor& self) {
  c10::Storage nothing(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), 0,
                                                             c10::GetAllocator(kORTDevice), /*resizable=*/true));
  return at::native::set_storage_cpu_(self, std::move(nothing), 0, {0}, {});
}

/// Autograd asks whether `.data` of one may become that of the other, as when a module moves: any dense tensor's may.
bool has_compatible_shallow_copy_type(const at::Tensor& self, const at::Tensor& from) {
  return self.layout() == at::kStrided && from.layout() == at::kStrided;
}

void record_stream(at::Tensor&, at::Stream) {}  // memory is never in use once an operator has returned

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("empty.memory_format", TORCH_FN(empty));
  library.impl("empty_strided", TORCH_FN(empty_strided));
  library.impl("as_strided", TORCH_FN(at::native::as_strided_tensorimpl));
  library.impl("view", TORCH_FN(at::native::view));
  library.impl("_reshape_alias", TORCH_FN(at::native::_reshape_alias));
  library.impl("unfold", TORCH_FN(at::native::unfold));
  library.impl("copy_", TORCH_FN(copy_));
  library.impl("_copy_from", TORCH_FN(copy_from));
  library.impl("_copy_from_and_resize", TORCH_FN(copy_from_and_resize));
  library.impl("set_.source_Storage", TORCH_FN(set_source_storage));
  library.impl("set_.source_Storage_storage_offset", TORCH_FN(at::native::set_storage_cpu_));
  library.impl("set_.source_Tensor", TORCH_FN(at::native::set_tensor_));
  library.impl("set_", TORCH_FN(set_to_nothing));
  library.impl("_has_compatible_shallow_copy_type", TORCH_FN(has_compatible_shallow_copy_type));
  library.impl("record_stream", TORCH_FN(record_stream));
}

}  // namespace
}  // namespace dlport::pytorch
