#include "torch/buffer.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/TensorImpl.h>

#include <memory>
#include <utility>

namespace dlport::pytorch {
namespace {

void delete_buffer(void* context) {
  delete static_cast<Buffer*>(context);
}

/// Null where the storage's memory did not come from us.
Buffer* buffer_of(const c10::Storage& ort) {
  const c10::DataPtr& data = ort.data_ptr();
  return data.get_deleter() == &delete_buffer ? static_cast<Buffer*>(data.get_context()) : nullptr;
}

/// A physical storage over memory that `ort` owns, and that it keeps alive.
c10::Storage borrow(const c10::Storage& ort) {
  auto* owner = new c10::Storage(ort);
  auto release = [](void* context) { delete static_cast<c10::Storage*>(context); };
  c10::DataPtr data(const_cast<void*>(ort.data()), owner, release, c10::DeviceType::CPU);
  return c10::Storage(c10::Storage::use_byte_size_t(), ort.nbytes(), std::move(data));
}

at::Tensor tensor_over(c10::Storage storage, c10::DispatchKey key, const at::Tensor& like) {
  auto tensor = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(key), like.dtype());
  c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
  if (like.is_conj()) impl->_set_conj(true);
  if (like.is_neg()) impl->_set_neg(true);
  return tensor;
}

}  // namespace

c10::DataPtr wrap_data(c10::Storage physical, c10::Device device, Claim claim) {
  void* data = const_cast<void*>(physical.data());
  auto buffer = std::make_unique<Buffer>(Buffer{std::move(physical), std::move(claim)});
  return {data, buffer.release(), &delete_buffer, device};
}

c10::Storage wrap_storage(c10::Storage physical, c10::Device device, Claim claim) {
  const size_t bytes = physical.nbytes();
  c10::DataPtr data = wrap_data(std::move(physical), device, std::move(claim));
  return c10::Storage(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes, std::move(data),
                                                            c10::GetAllocator(kORTDevice), /*resizable=*/true));
}

void sync_storage(const c10::Storage& ort) {
  Buffer* buffer = buffer_of(ort);
  if (!buffer || (buffer->physical.data() == ort.data() && buffer->physical.nbytes() == ort.nbytes())) return;
  c10::Storage physical = buffer->physical;
  c10::StorageImpl* impl = ort.unsafeGetStorageImpl();
  impl->set_nbytes(physical.nbytes());
  Claim claim = buffer->claim.resized(physical.nbytes());
  impl->set_data_ptr_noswap(wrap_data(std::move(physical), ort.device(), std::move(claim)));
}

c10::Storage physical_storage(const c10::Storage& ort) {
  sync_storage(ort);
  const Buffer* buffer = buffer_of(ort);
  return buffer ? buffer->physical : borrow(ort);
}

at::Tensor physical_tensor(const at::Tensor& ort) {
  c10::Storage physical = physical_storage(ort.storage());
  const c10::DispatchKey key = c10::computeDispatchKey(std::nullopt, std::nullopt, physical.device());
  return tensor_over(std::move(physical), key, ort);
}

at::Tensor ort_tensor(c10::Storage storage, const at::Tensor& like) {
  return tensor_over(std::move(storage), c10::DispatchKey::PrivateUse1, like);
}

at::Tensor share_on_ort(const at::Tensor& physical, c10::Device device) {
  return ort_tensor(wrap_storage(physical.storage(), device), physical);
}

at::Tensor adopt_on_ort(const at::Tensor& physical, c10::Device device) {
  Claim claim(pool(device.index()), physical.storage().nbytes());
  return ort_tensor(wrap_storage(physical.storage(), device, std::move(claim)), physical);
}

}  // namespace dlport::pytorch
