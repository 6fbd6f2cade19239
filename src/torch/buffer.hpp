// An ort storage is a shell around a physical one. Here is how one is put on and looked under.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/TensorBase.h>
#include <c10/core/Device.h>
#include <c10/core/Storage.h>

#include "torch/pool.hpp"

namespace dlport::pytorch {

inline constexpr c10::DeviceType kORTDevice = c10::DeviceType::PrivateUse1;

/// What the DataPtr of an ort storage holds: the storage of PyTorch's own whose memory it is. Memory from the
/// allocator, results of native kernels and shared tensors are all this one case.
struct Buffer {
  c10::Storage physical;
  Claim claim;  // where the memory is not from the device's pool, but counts as such
};

/// An ort DataPtr over all of `physical`.
c10::DataPtr wrap_data(c10::Storage physical, c10::Device device, Claim claim = {});

/// An ort storage over all of `physical`.
c10::Storage wrap_storage(c10::Storage physical, c10::Device device, Claim claim = {});

/// The physical storage below an ort storage. The two are made to agree first, should one have been resized. Memory
/// that somebody else labelled "ort" (at::from_blob) is host memory: it gets a physical storage for the occasion.
c10::Storage physical_storage(const c10::Storage& ort);

/// Points an ort storage at its physical storage's memory again, after that was resized.
void sync_storage(const c10::Storage& ort);

inline bool is_ort(const at::TensorBase& tensor) {
  return tensor.defined() && tensor.unsafeGetTensorImpl()->device_type() == kORTDevice;
}

/// `tensor` seen from PyTorch's side: a tensor of the physical device over the same memory.
at::Tensor physical_tensor(const at::Tensor& ort);

/// A new ort tensor with the layout of `like` over `storage`.
at::Tensor ort_tensor(c10::Storage storage, const at::Tensor& like);

/// `physical` as a tensor on `device`, sharing its memory.
at::Tensor share_on_ort(const at::Tensor& physical, c10::Device device);

/// The same for a tensor that nobody else knows of: its memory counts as allocated on `device`.
at::Tensor adopt_on_ort(const at::Tensor& physical, c10::Device device);

}  // namespace dlport::pytorch
