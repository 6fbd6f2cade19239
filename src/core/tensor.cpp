#include "dlport/tensor.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "core/tensor_object.hpp"
#include "dlport/error.hpp"
#include "dlport/exchange.hpp"

namespace dlport {

using detail::TensorObject;

namespace {

/// Owns a context until the tensor that is to own it has come to be: what throws in between runs the deleter.
class Guard {
 public:
  Guard(void* context, Deleter deleter) noexcept : context_(context), deleter_(deleter) {}
  ~Guard() {
    if (deleter_) deleter_(context_);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  TensorObject* give_to_object_of(int32_t ndim) {
    TensorObject* object = TensorObject::create(ndim, context_, deleter_);
    deleter_ = nullptr;
    return object;
  }

 private:
  void* context_;
  Deleter deleter_;
};

void release_versioned(void* context) {
  auto* managed = static_cast<DLManagedTensorVersioned*>(context);
  if (managed->deleter) managed->deleter(managed);
}

void release_legacy(void* context) {
  auto* managed = static_cast<DLManagedTensor*>(context);
  if (managed->deleter) managed->deleter(managed);
}

void release_object(void* context) {
  static_cast<TensorObject*>(context)->release();
}

/// The physical device of a foreign tensor, which is at fault where there is none.
Device resolve(Device device) {
  try {
    return physical(device);
  } catch (const Error& error) {
    throw Error(ErrorCode::invalid_tensor, error.what());
  }
}

/// Builds a tensor over `source` once it proves valid; the guard's context becomes the tensor's.
Tensor adopt(const DLTensor& source, uint64_t flags, Guard& guard) {
  validate(source, flags);
  const Device physical_device = resolve(source.device);
  TensorObject* object = guard.give_to_object_of(source.ndim);
  object->flags = flags & ~DLPACK_FLAG_BITMASK_IS_COPIED;
  object->device = source.device;
  DLTensor& tensor = object->dl_tensor;
  tensor.data = source.data;
  tensor.device = physical_device;
  tensor.dtype = source.dtype;
  tensor.byte_offset = source.byte_offset;
  std::copy_n(source.shape, source.ndim, tensor.shape);
  if (source.strides) {
    std::copy_n(source.strides, source.ndim, tensor.strides);
  } else {
    row_major_strides({tensor.shape, static_cast<size_t>(tensor.ndim)}, tensor.strides);
  }
  return TensorObject::wrap(object);
}

/// An export in a structure of its own, which goes with its deleter.
template <class Managed>
Managed* export_copy(DLManagedTensorVersioned* source) {
  auto exported = std::make_unique<Managed>();
  exported->dl_tensor = source->dl_tensor;
  exported->manager_ctx = source->manager_ctx;
  exported->deleter = [](Managed* self) {
    static_cast<TensorObject*>(self->manager_ctx)->release();
    delete self;
  };
  static_cast<TensorObject*>(source->manager_ctx)->retain();
  return exported.release();
}

[[noreturn]] void bad_argument(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

}  // namespace

TensorObject* TensorObject::create(int32_t ndim, void* context, Deleter deleter) {
  void* memory = std::malloc(sizeof(TensorObject) + 2 * sizeof(int64_t) * static_cast<size_t>(ndim));
  if (!memory) {
    throw Error(ErrorCode::out_of_memory, "no memory for a tensor of " + std::to_string(ndim) + " dimensions");
  }
  auto* object = new (memory) TensorObject;
  object->context = context;
  object->deleter = deleter;
  object->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  object->manager_ctx = object;
  object->DLManagedTensorVersioned::deleter = [](DLManagedTensorVersioned* self) {
    static_cast<TensorObject*>(self->manager_ctx)->release();
  };
  object->dl_tensor.ndim = ndim;
  object->dl_tensor.shape = object->extents;
  object->dl_tensor.strides = object->extents + ndim;
  return object;
}

void TensorObject::destroy() noexcept {
  void* const held = context;
  const Deleter release_held = deleter;
  this->~TensorObject();
  std::free(this);
  if (release_held) release_held(held);  // last: it may run anything, even code that destroys other tensors
}

Tensor TensorObject::view(const Tensor& base, Shape shape, Strides strides, int64_t byte_offset) {
  if (shape.size() > kMaxNdim) {
    bad_argument(std::to_string(shape.size()) + " dimensions are more than a tensor can have (" +
                 std::to_string(kMaxNdim) + ")");
  }
  TensorObject* source = of(base);
  // A view of a view keeps the memory's own tensor, so that chains stay one long.
  auto* root = source->deleter == release_object ? static_cast<TensorObject*>(source->context) : source;
  TensorObject* object = create(static_cast<int32_t>(shape.size()), root, release_object);
  root->retain();
  object->flags = source->flags;
  object->device = source->device;
  DLTensor& tensor = object->dl_tensor;
  tensor.data = source->dl_tensor.data;
  tensor.device = source->dl_tensor.device;
  tensor.dtype = source->dl_tensor.dtype;
  tensor.byte_offset = source->dl_tensor.byte_offset + static_cast<uint64_t>(byte_offset);
  std::ranges::copy(shape, tensor.shape);
  std::ranges::copy(strides, tensor.strides);
  return wrap(object);
}

bool TensorView::is_aligned() const noexcept {
  const int64_t lane_bytes = (tensor_.dtype.bits + 7) / 8;
  // A complex number is two floats side by side and aligns as one of them.
  const int64_t alignment = tensor_.dtype.code == kDLComplex ? lane_bytes / 2 : lane_bytes;
  return alignment <= 1 || reinterpret_cast<uintptr_t>(data()) % static_cast<uintptr_t>(alignment) == 0;
}

std::string to_string(const TensorView& view) {
  std::string text = to_string(view.dtype()) + " " + to_string(view.shape()) + " on " + to_string(view.device());
  if (!view.is_contiguous()) text += ", strides " + to_string(view.strides());
  if (view.read_only()) text += ", read-only";
  if (view.is_padded()) text += ", padded";
  return text;
}

void Tensor::retain() const noexcept {
  if (managed_) TensorObject::of(*this)->retain();
}

void Tensor::release() noexcept {
  TensorObject::of(*this)->release();
}

Device Tensor::device() const noexcept {
  return TensorObject::of(*this)->device;
}

Tensor Tensor::empty(Shape shape, DType dtype, uint64_t flags) {
  if (!is_valid(dtype)) bad_argument("dtype " + to_string(dtype) + " is not one of DLPack's");
  const int64_t pitch = TensorView({nullptr, cpu, 0, dtype, nullptr, nullptr, 0}, flags).pitch_bits();
  const auto count = checked_numel(shape);
  int64_t bits = 0;
  if (!count || __builtin_mul_overflow(*count, pitch, &bits) || bits > INT64_MAX - 7) {
    bad_argument("shape " + to_string(shape) + " of " + to_string(dtype) +
                 " has a negative dimension or more bytes than memory can address");
  }
  constexpr size_t kAlignment = 256;
  const size_t bytes = (static_cast<size_t>((bits + 7) / 8) + kAlignment - 1) / kAlignment * kAlignment;
  void* data = bytes > 0 ? std::aligned_alloc(kAlignment, bytes) : nullptr;
  if (bytes > 0 && !data) {
    throw Error(ErrorCode::out_of_memory, "no memory for " + std::to_string(bytes) + " bytes of shape " +
                                              to_string(shape) + " and dtype " + to_string(dtype));
  }
  return from_blob(data, shape, {}, dtype, cpu, data, std::free, flags);
}

Tensor Tensor::from_blob(void* data, Shape shape, Strides strides, DType dtype, Device device, void* context,
                         Deleter deleter, uint64_t flags) {
  Guard guard(context, deleter);
  if (!strides.empty() && strides.size() != shape.size()) {
    bad_argument(std::to_string(strides.size()) + " strides were given for shape " + to_string(shape));
  }
  const DLTensor source{data,
                        device,
                        static_cast<int32_t>(shape.size()),
                        dtype,
                        const_cast<int64_t*>(shape.data()),
                        strides.empty() ? nullptr : const_cast<int64_t*>(strides.data()),
                        0};
  return adopt(source, flags, guard);
}

Tensor Tensor::from_dltensor(const DLTensor& tensor, void* context, Deleter deleter, uint64_t flags) {
  Guard guard(context, deleter);
  return adopt(tensor, flags, guard);
}

Tensor Tensor::from_managed(DLManagedTensorVersioned* managed) {
  if (!managed) throw Error(ErrorCode::invalid_tensor, "the managed tensor is a null pointer");
  Guard guard(managed, release_versioned);
  if (managed->version.major != DLPACK_MAJOR_VERSION) {  // nothing behind `flags` may be read
    throw Error(ErrorCode::invalid_tensor,
                "the tensor's layout is that of DLPack " + std::to_string(managed->version.major) + "." +
                    std::to_string(managed->version.minor) +
                    ", and this consumer reads 1.x: ask the producer for max_version (1, 3)");
  }
  return adopt(managed->dl_tensor, managed->flags, guard);
}

Tensor Tensor::from_managed_legacy(DLManagedTensor* managed) {
  if (!managed) throw Error(ErrorCode::invalid_tensor, "the managed tensor is a null pointer");
  Guard guard(managed, release_legacy);
  return adopt(managed->dl_tensor, 0, guard);
}

DLManagedTensorVersioned* Tensor::to_managed(bool copied) const {
  if (!copied) {
    retain();
    return managed_;
  }
  auto* exported = export_copy<DLManagedTensorVersioned>(managed_);
  exported->version = managed_->version;
  exported->flags = managed_->flags | DLPACK_FLAG_BITMASK_IS_COPIED;
  return exported;
}

DLManagedTensor* Tensor::to_managed_legacy() const {
  if (read_only()) {
    throw Error(ErrorCode::unsupported,
                "the tensor is read-only, which a consumer of DLPack before 1.0 cannot be told: let it ask for "
                "max_version (1, 0) or newer, or export a copy");
  }
  if (is_padded()) {
    throw Error(ErrorCode::unsupported,
                "the tensor's " + to_string(dtype()) +
                    " elements are padded to bytes, which a consumer of DLPack before 1.0 cannot be told: let it ask "
                    "for max_version (1, 0) or newer");
  }
  return export_copy<DLManagedTensor>(managed_);
}

}  // namespace dlport
