#include <string>

#include "dlport/error.hpp"
#include "dlport/exchange.hpp"

namespace dlport {
namespace {

constexpr uint64_t kKnownFlags =
    DLPACK_FLAG_BITMASK_READ_ONLY | DLPACK_FLAG_BITMASK_IS_COPIED | DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_tensor, message);
}

}  // namespace

void validate(const DLTensor& tensor, uint64_t flags) {
  if (tensor.ndim < 0 || tensor.ndim > kMaxNdim) {
    refuse("ndim = " + std::to_string(tensor.ndim) + " is not between 0 and " + std::to_string(kMaxNdim));
  }
  if (flags & ~kKnownFlags) refuse("flags = " + std::to_string(flags) + " has bits that DLPack 1.3 does not define");
  const DType dtype = tensor.dtype;
  if (!is_valid(dtype)) refuse("dtype " + to_string(dtype) + " is not one that DLPack 1.3 defines");
  if (!is_known(tensor.device.device_type) && !is_virtual(tensor.device)) {
    refuse("device_type = " + std::to_string(tensor.device.device_type) + " is not one that DLPack 1.3 defines");
  }
  if (tensor.device.device_id < 0) refuse("device_id = " + std::to_string(tensor.device.device_id) + " is negative");
  if (tensor.ndim > 0 && !tensor.shape) refuse("shape is a null pointer, but ndim = " + std::to_string(tensor.ndim));

  const Shape shape(tensor.shape, static_cast<size_t>(tensor.ndim));
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0) refuse("shape[" + std::to_string(i) + "] = " + std::to_string(shape[i]) + " is negative");
  }
  const auto count = checked_numel(shape);
  int64_t bits = 0;
  if (!count || __builtin_mul_overflow(*count, dtype.element_bits(), &bits)) {
    refuse("shape " + to_string(shape) + " of " + to_string(dtype) + " has more bytes than memory can address");
  }
  if (*count == 0) return;  // no element is ever touched: any data pointer and any strides will do
  if (!tensor.data) refuse("data is a null pointer, but shape " + to_string(shape) + " has elements");

  const Strides strides = tensor.strides ? Strides(tensor.strides, shape.size()) : Strides();
  const auto touched = extent(shape, strides);
  int64_t low = 0, high = 0;
  if (!touched || __builtin_mul_overflow(touched->low, dtype.itemsize(), &low) ||
      __builtin_mul_overflow(touched->high, dtype.itemsize(), &high) ||
      __builtin_add_overflow(high, dtype.itemsize(), &high)) {
    refuse("strides " + to_string(strides) + " of shape " + to_string(shape) +
           " reach further than memory can be addressed");
  }
  if (tensor.device.device_type == kDLOpenCL) {  // `data` is a handle; offsets count from the start of its buffer
    if (tensor.byte_offset > static_cast<uint64_t>(INT64_MAX - high)) {
      refuse("byte_offset = " + std::to_string(tensor.byte_offset) + " reaches further than memory can be addressed");
    }
    return;
  }
  const auto base = reinterpret_cast<uintptr_t>(tensor.data);
  uintptr_t first = 0, end = 0;
  if (__builtin_add_overflow(base, tensor.byte_offset, &first)) {
    refuse("byte_offset = " + std::to_string(tensor.byte_offset) + " wraps around the end of the address space");
  }
  const auto below = static_cast<uintptr_t>(-low);
  if (below > first || __builtin_add_overflow(first, static_cast<uintptr_t>(high), &end)) {
    refuse("strides " + to_string(strides) + " of shape " + to_string(shape) + " leave the address space");
  }
}

}  // namespace dlport
