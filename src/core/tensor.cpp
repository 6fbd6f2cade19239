#include "dlport/tensor.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "core/tensor_object.hpp"
#include "dlport/error.hpp"
#include "dlport/exchange.hpp"

namespace dlport {

using detail::TensorObject;

namespace detail {

TensorObject* TensorObject::create(int32_t ndim, void* context, Deleter deleter) {
  void* memory = std::malloc(sizeof(TensorObject) + 2 * sizeof(int64_t) * static_cast<size_t>(ndim));
  if (!memory)
    throw Error(ErrorCode::out_of_memory, "no memory for a tensor of " + std::to_string(ndim) + " dimensions");
  auto* object = new (memory) TensorObject;
  object->context = context;
  object->deleter = deleter;
  DLTensor& tensor = object->managed.dl_tensor;
  tensor.ndim = ndim;
  tensor.shape = object->extents;
  tensor.strides = object->extents + ndim;
  object->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  object->managed.manager_ctx = object;
  object->managed.deleter = [](DLManagedTensorVersioned* self) {
    static_cast<TensorObject*>(self->manager_ctx)->release();
  };
  return object;
}

void TensorObject::destroy() noexcept {
  void* const held = context;
  const Deleter release_held = deleter;
  this->~TensorObject();
  std::free(this);
  if (release_held) release_held(held);  // last: it may run anything, even this thread's own destructors
}

}  // namespace detail

namespace {

/// Runs `deleter(context)` unless the tensor that should own the memory came to be.
class Guard {
 public:
  Guard(void* context, Deleter deleter) noexcept : context_(context), deleter_(deleter) {}
  ~Guard() {
    if (deleter_) deleter_(context_);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  void dismiss() noexcept { deleter_ = nullptr; }

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

void release_base(void* context) {
  static_cast<TensorObject*>(context)->release();
}

/// Builds a tensor over validated `source`; the guard's context becomes the tensor's.
Tensor adopt(const DLTensor& source, uint64_t flags, void* context, Deleter deleter, Guard& guard) {
  const Device physical_device = physical(source.device);
  TensorObject* object = TensorObject::create(source.ndim, context, deleter);
  guard.dismiss();
  DLTensor& tensor = object->managed.dl_tensor;
  object->managed.flags = flags;
  object->device = source.device;
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

/// A view of `base` with its own layout, `offset` elements further.
Tensor view_of(const Tensor& base, Shape shape, Strides strides, int64_t offset) {
  TensorObject* source = TensorObject::of(base);
  TensorObject* object = TensorObject::create(static_cast<int32_t>(shape.size()), source, release_base);
  source->retain();
  DLTensor& tensor = object->managed.dl_tensor;
  const DLTensor& from = source->managed.dl_tensor;
  object->managed.flags = source->managed.flags;
  object->device = source->device;
  tensor.data = from.data;
  tensor.device = from.device;
  tensor.dtype = from.dtype;
  tensor.byte_offset = from.byte_offset + static_cast<uint64_t>(offset * DType(from.dtype).itemsize());
  std::copy(shape.begin(), shape.end(), tensor.shape);
  std::copy(strides.begin(), strides.end(), tensor.strides);
  return TensorObject::wrap(object);
}

[[noreturn]] void bad_argument(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

int normalised_axis(int axis, int ndim) {
  if (axis < -ndim || axis >= ndim) {
    bad_argument("axis " + std::to_string(axis) + " is out of range for a tensor of " + std::to_string(ndim) +
                 " dimensions");
  }
  return axis < 0 ? axis + ndim : axis;
}

/// Views move by whole bytes; elements that share a byte cannot be addressed one by one.
void require_byte_elements(const Tensor& tensor, const char* operation) {
  if (tensor.dtype().is_subbyte()) {
    throw Error(ErrorCode::unsupported, std::string(operation) + " of " + to_string(tensor.dtype()) +
                                            " elements, which share bytes, is not possible without a copy");
  }
}

}  // namespace

bool TensorView::is_aligned() const noexcept {
  const int64_t lane_bytes = (tensor_.dtype.bits + 7) / 8;
  // A complex number is two floats side by side and aligns as one of them.
  const int64_t alignment = tensor_.dtype.code == kDLComplex ? lane_bytes / 2 : lane_bytes;
  return alignment <= 1 || reinterpret_cast<uintptr_t>(data()) % static_cast<uintptr_t>(alignment) == 0;
}

void Tensor::retain() const noexcept {
  if (object_) object_->retain();
}

void Tensor::release() noexcept {
  if (object_) object_->release();
}

const DLTensor& Tensor::dltensor() const noexcept {
  return object_->managed.dl_tensor;
}
Device Tensor::device() const noexcept {
  return object_->device;
}
uint64_t Tensor::flags() const noexcept {
  return object_->managed.flags;
}
bool Tensor::read_only() const noexcept {
  return flags() & DLPACK_FLAG_BITMASK_READ_ONLY;
}

Tensor Tensor::empty(Shape shape, DType dtype) {
  if (!is_valid(dtype)) bad_argument("dtype " + to_string(dtype) + " is not one of DLPack's");
  const auto count = checked_numel(shape);
  int64_t bits = 0;
  if (!count || __builtin_mul_overflow(*count, dtype.element_bits(), &bits) || bits > INT64_MAX - 7) {
    bad_argument("shape " + to_string(shape) + " of " + to_string(dtype) +
                 " has a negative dimension or more bytes than memory can address");
  }
  constexpr size_t kAlignment = 256;
  const size_t bytes = (static_cast<size_t>((bits + 7) / 8) + kAlignment - 1) / kAlignment * kAlignment;
  void* data = nullptr;
  if (bytes > 0) {
    data = std::aligned_alloc(kAlignment, bytes);
    if (!data)
      throw Error(ErrorCode::out_of_memory,
                  "no memory for " + std::to_string(bytes) + " bytes of shape " + to_string(shape));
  }
  return from_blob(data, shape, {}, dtype, cpu, data, std::free);
}

Tensor Tensor::from_blob(void* data, Shape shape, Strides strides, DType dtype, Device device, void* context,
                         Deleter deleter, uint64_t flags) {
  Guard guard(context, deleter);
  if (!strides.empty() && strides.size() != shape.size()) {
    bad_argument(std::to_string(strides.size()) + " strides were given for shape " + to_string(shape));
  }
  DLTensor source{data,
                  device,
                  static_cast<int32_t>(shape.size()),
                  dtype,
                  const_cast<int64_t*>(shape.data()),
                  strides.empty() ? nullptr : const_cast<int64_t*>(strides.data()),
                  0};
  validate(source, flags);
  return adopt(source, flags, context, deleter, guard);
}

Tensor Tensor::from_managed(DLManagedTensorVersioned* managed) {
  if (!managed) throw Error(ErrorCode::invalid_tensor, "the managed tensor is a null pointer");
  Guard guard(managed, release_versioned);
  if (managed->version.major != DLPACK_MAJOR_VERSION) {  // nothing behind `flags` may be read
    throw Error(ErrorCode::invalid_tensor, "the producer speaks DLPack " + std::to_string(managed->version.major) +
                                               "." + std::to_string(managed->version.minor) +
                                               ", whose layout this consumer of DLPack 1.3 does not know");
  }
  validate(managed->dl_tensor, managed->flags);
  return adopt(managed->dl_tensor, managed->flags, managed, release_versioned, guard);
}

Tensor Tensor::from_managed_legacy(DLManagedTensor* managed) {
  if (!managed) throw Error(ErrorCode::invalid_tensor, "the managed tensor is a null pointer");
  Guard guard(managed, release_legacy);
  validate(managed->dl_tensor);
  return adopt(managed->dl_tensor, 0, managed, release_legacy, guard);
}

DLManagedTensorVersioned* Tensor::to_managed(bool copied) const {
  if (!copied) {
    object_->retain();
    return &object_->managed;
  }
  auto exported = std::make_unique<DLManagedTensorVersioned>(object_->managed);
  exported->flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
  exported->deleter = [](DLManagedTensorVersioned* self) {
    static_cast<TensorObject*>(self->manager_ctx)->release();
    delete self;
  };
  object_->retain();
  return exported.release();
}

DLManagedTensor* Tensor::to_managed_legacy() const {
  if (read_only()) {
    throw Error(ErrorCode::unsupported,
                "the tensor is read-only, which a consumer of DLPack before 1.0 cannot be told");
  }
  if (flags() & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) {
    throw Error(ErrorCode::unsupported,
                "the tensor's " + to_string(dtype()) +
                    " elements are padded to bytes, which a consumer of DLPack before 1.0 cannot be told");
  }
  auto exported = std::make_unique<DLManagedTensor>();
  exported->dl_tensor = dltensor();
  exported->manager_ctx = object_;
  exported->deleter = [](DLManagedTensor* self) {
    static_cast<TensorObject*>(self->manager_ctx)->release();
    delete self;
  };
  object_->retain();
  return exported.release();
}

Tensor Tensor::as_strided(Shape new_shape, Strides new_strides, int64_t offset) const {
  require_byte_elements(*this, "as_strided");
  if (new_shape.size() != new_strides.size()) {
    bad_argument(std::to_string(new_strides.size()) + " strides were given for shape " + to_string(new_shape));
  }
  if (!checked_numel(new_shape))
    bad_argument("shape " + to_string(new_shape) + " has a negative dimension or overflows");
  const auto mine = extent(shape(), strides());
  const auto wanted = extent(new_shape, new_strides);
  if (!wanted || (!wanted->empty() && (mine->empty() || offset > mine->high || offset < mine->low ||
                                       wanted->high > mine->high - offset || wanted->low < mine->low - offset))) {
    bad_argument("shape " + to_string(new_shape) + " with strides " + to_string(new_strides) + " at offset " +
                 std::to_string(offset) + " reaches outside the tensor's own elements");
  }
  return view_of(*this, new_shape, new_strides, wanted->empty() ? 0 : offset);
}

Tensor Tensor::reshape(Shape new_shape) const {
  const auto count = checked_numel(new_shape);
  if (!count || *count != numel()) {
    bad_argument("a tensor of shape " + to_string(shape()) + " has " + std::to_string(numel()) +
                 " elements and cannot take shape " + to_string(new_shape));
  }
  std::vector<int64_t> result(new_shape.size());
  if (*count == 0 || is_contiguous()) {
    row_major_strides(new_shape, result.data());
    return view_of(*this, new_shape, result, 0);
  }
  // Walk both shapes from the last axis: each run of old axes that lie in one piece is dealt out to new axes.
  const Shape old_shape = shape();
  const Strides old_strides = strides();
  auto new_axis = static_cast<int>(new_shape.size()) - 1;
  int64_t piece = 1, dealt = 1;
  int64_t step = 0;
  for (auto axis = static_cast<int>(old_shape.size()) - 1; axis >= 0; --axis) {
    if (piece == 1) step = old_strides[axis];
    piece *= old_shape[axis];
    const bool last_of_piece = axis == 0 || (old_shape[axis - 1] != 1 && old_strides[axis - 1] != piece * step);
    if (!last_of_piece) continue;
    while (new_axis >= 0 && (dealt < piece || new_shape[new_axis] == 1)) {
      result[new_axis] = dealt * step;
      dealt *= new_shape[new_axis--];
    }
    if (dealt != piece) {
      throw Error(ErrorCode::would_copy, "a tensor of shape " + to_string(old_shape) + " and strides " +
                                             to_string(old_strides) + " takes shape " + to_string(new_shape) +
                                             " only as a copy");
    }
    piece = dealt = 1;
  }
  return view_of(*this, new_shape, result, 0);
}

Tensor Tensor::permute(std::span<const int> axes) const {
  if (axes.size() != static_cast<size_t>(ndim())) {
    bad_argument(std::to_string(axes.size()) + " axes were given for a tensor of " + std::to_string(ndim()) +
                 " dimensions");
  }
  std::vector<int64_t> new_shape, new_strides;
  std::vector<bool> seen(axes.size());
  for (int axis : axes) {
    const int from = normalised_axis(axis, ndim());
    if (seen[from]) bad_argument("axis " + std::to_string(axis) + " is named twice");
    seen[from] = true;
    new_shape.push_back(shape()[from]);
    new_strides.push_back(strides()[from]);
  }
  return view_of(*this, new_shape, new_strides, 0);
}

Tensor Tensor::slice(int axis, int64_t start, int64_t stop, int64_t step) const {
  require_byte_elements(*this, "slice");
  const int along = normalised_axis(axis, ndim());
  if (step == 0) bad_argument("the step of a slice must not be 0");
  const int64_t dim = shape()[along];
  // Python's rules: negative positions count from the end, then everything is clamped to the axis.
  const int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? dim : dim - 1;
  auto clamp = [&](int64_t position) { return std::clamp(position < 0 ? position + dim : position, lowest, highest); };
  const int64_t first = clamp(start);
  const int64_t end = stop == INT64_MIN ? -1 : clamp(stop);
  const int64_t span = step > 0 ? end - first : first - end;
  const int64_t magnitude = step > 0 ? step : -step;
  const int64_t length = span <= 0 ? 0 : (span - 1) / magnitude + 1;
  std::vector<int64_t> new_shape(shape().begin(), shape().end()), new_strides(strides().begin(), strides().end());
  new_shape[along] = length;
  if (length > 1) new_strides[along] *= step;
  return view_of(*this, new_shape, new_strides, length > 0 ? first * strides()[along] : 0);
}

Tensor Tensor::select(int axis, int64_t index) const {
  require_byte_elements(*this, "select");
  const int along = normalised_axis(axis, ndim());
  const int64_t dim = shape()[along];
  if (index < -dim || index >= dim) {
    bad_argument("index " + std::to_string(index) + " is out of range for axis " + std::to_string(axis) +
                 " of length " + std::to_string(dim));
  }
  if (index < 0) index += dim;
  std::vector<int64_t> new_shape(shape().begin(), shape().end()), new_strides(strides().begin(), strides().end());
  const int64_t offset = index * new_strides[along];
  new_shape.erase(new_shape.begin() + along);
  new_strides.erase(new_strides.begin() + along);
  return view_of(*this, new_shape, new_strides, offset);
}

Tensor Tensor::broadcast_to(Shape new_shape) const {
  const auto result = broadcast(shape(), new_shape);
  if (!result || !std::ranges::equal(*result, new_shape)) {
    bad_argument("shape " + to_string(shape()) + " does not broadcast to " + to_string(new_shape));
  }
  std::vector<int64_t> new_strides(new_shape.size(), 0);
  const size_t lead = new_shape.size() - shape().size();
  for (size_t i = 0; i < shape().size(); ++i) {
    if (shape()[i] == new_shape[lead + i]) new_strides[lead + i] = strides()[i];
  }
  return view_of(*this, new_shape, new_strides, 0);
}

Tensor Tensor::on(Device virtual_device) const {
  const Device behind = physical(virtual_device);
  if (!(behind == physical_device())) {
    bad_argument("device " + to_string(virtual_device) + " computes on " + to_string(behind) +
                 ", but the tensor is on " + to_string(physical_device()));
  }
  Tensor result = view_of(*this, shape(), strides(), 0);
  result.object_->device = virtual_device;
  return result;
}

Tensor Tensor::as_read_only() const {
  Tensor result = view_of(*this, shape(), strides(), 0);
  result.object_->managed.flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
  return result;
}

}  // namespace dlport
