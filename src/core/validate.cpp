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

/// True where `data` is no address but the handle of a buffer, whose first byte has byte_offset 0.
bool data_is_handle(DLDeviceType type) noexcept {
  return type == kDLOpenCL || type == kDLVulkan || type == kDLMetal || type == kDLWebGPU;
}

/// Bytes from the first element to the lowest and to behind the highest.
struct Reach {
  int64_t below = 0, above = 0;
};

void check_header(const DLTensor& tensor, uint64_t flags) {
  if (tensor.ndim < 0 || tensor.ndim > kMaxNdim) {
    refuse("ndim = " + std::to_string(tensor.ndim) + " is not between 0 and " + std::to_string(kMaxNdim));
  }
  if (flags & ~kKnownFlags) refuse("flags = " + std::to_string(flags) + " has bits that DLPack 1.3 does not define");
  if (!is_valid(tensor.dtype)) refuse("dtype " + to_string(tensor.dtype) + " is not one that DLPack 1.3 defines");
  if (!is_known(tensor.device.device_type) && !is_virtual(tensor.device)) {
    refuse("device_type = " + std::to_string(tensor.device.device_type) + " is not one that DLPack 1.3 defines");
  }
  if (tensor.device.device_id < 0) refuse("device_id = " + std::to_string(tensor.device.device_id) + " is negative");
  if (tensor.ndim > 0 && !tensor.shape) refuse("shape is a null pointer, but ndim = " + std::to_string(tensor.ndim));
}

/// The number of elements, whose bits are known to fit int64.
int64_t checked_elements(const TensorView& view) {
  const Shape shape = view.shape();
  const auto count = checked_numel(shape);
  int64_t bits = 0;
  if (!count || __builtin_mul_overflow(*count, view.pitch_bits(), &bits)) {
    for (size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] < 0) refuse("shape[" + std::to_string(i) + "] = " + std::to_string(shape[i]) + " is negative");
    }
    refuse("shape " + to_string(shape) + " of " + to_string(view.dtype()) + " has more bits than 63 bits can count");
  }
  return *count;
}

Reach checked_reach(const TensorView& view) {
  const auto touched = extent(view.shape(), view.strides());
  int64_t low = 0, high = 0;
  if (!touched || __builtin_mul_overflow(touched->low, view.pitch_bits(), &low) ||
      __builtin_mul_overflow(touched->high, view.pitch_bits(), &high) || low < -INT64_MAX ||
      __builtin_add_overflow(high, view.pitch_bits() + 7, &high)) {
    refuse("strides " + to_string(view.strides()) + " of shape " + to_string(view.shape()) +
           " reach further than 63 bits can count");
  }
  return {-(low / 8) + (low % 8 != 0), high / 8};
}

}  // namespace

void validate(const DLTensor& tensor, uint64_t flags) {
  check_header(tensor, flags);
  const TensorView view(tensor, flags);
  if (checked_elements(view) == 0) return;  // nothing is ever touched: any data pointer and any strides will do
  const Reach reach = checked_reach(view);
  if (!tensor.data) refuse("data is a null pointer, but shape " + to_string(view.shape()) + " has elements");

  const bool handle = data_is_handle(tensor.device.device_type);
  const uintptr_t base = handle ? 0 : reinterpret_cast<uintptr_t>(tensor.data);
  uintptr_t first = 0, end = 0;
  if (__builtin_add_overflow(base, tensor.byte_offset, &first) ||
      __builtin_add_overflow(first, static_cast<uintptr_t>(reach.above), &end)) {
    refuse("byte_offset = " + std::to_string(tensor.byte_offset) + " with shape " + to_string(view.shape()) +
           " and strides " + to_string(view.strides()) + " passes the end of the address space");
  }
  if (static_cast<uintptr_t>(reach.below) > first) {
    refuse("strides " + to_string(view.strides()) + " of shape " + to_string(view.shape()) + " and dtype " +
           to_string(view.dtype()) + " reach " + std::to_string(reach.below) + " bytes below the first element, " +
           (handle ? "past the start of the buffer" : "out of the address space"));
  }
}

}  // namespace dlport
