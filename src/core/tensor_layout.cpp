// Tensor's layout operations: another shape and other strides over the same memory.
#include <algorithm>
#include <string>
#include <vector>

#include "core/tensor_object.hpp"
#include "dlport/error.hpp"
#include "dlport/tensor.hpp"

namespace dlport {

using detail::TensorObject;

namespace {

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

/// Bytes from one element to the next. A view starts at a whole byte, and elements that share bytes may not.
int64_t element_bytes(const Tensor& tensor, const char* operation) {
  const int64_t bits = tensor.view().pitch_bits();
  if (bits % 8 != 0) {
    throw Error(ErrorCode::unsupported, std::string(operation) + " of " + to_string(tensor.dtype()) +
                                            " elements, which share bytes, needs a padded copy");
  }
  return bits / 8;
}

std::vector<int64_t> to_vector(std::span<const int64_t> values) {
  return {values.begin(), values.end()};
}

}  // namespace

Tensor Tensor::as_strided(Shape new_shape, Strides new_strides, int64_t offset) const {
  const int64_t step = element_bytes(*this, "as_strided");
  if (new_shape.size() != new_strides.size()) {
    bad_argument(std::to_string(new_strides.size()) + " strides were given for shape " + to_string(new_shape));
  }
  if (!checked_numel(new_shape)) {
    bad_argument("shape " + to_string(new_shape) + " has a negative dimension or overflows");
  }
  const Extent mine = *extent(shape(), strides());
  const auto wanted = extent(new_shape, new_strides);
  if (wanted && wanted->empty()) return TensorObject::view(*this, new_shape, new_strides, 0);
  if (!wanted || offset < mine.low || offset > mine.high || wanted->low < mine.low - offset ||
      wanted->high > mine.high - offset) {
    bad_argument("shape " + to_string(new_shape) + " with strides " + to_string(new_strides) + " at offset " +
                 std::to_string(offset) + " reaches outside the tensor's own elements");
  }
  return TensorObject::view(*this, new_shape, new_strides, offset * step);
}

Tensor Tensor::reshape(Shape asked) const {
  std::vector<int64_t> new_shape(asked.begin(), asked.end());
  if (const auto inferred = std::ranges::find(new_shape, -1); inferred != new_shape.end()) {
    *inferred = 1;
    const auto known = checked_numel(new_shape);
    if (known && *known > 0 && numel() % *known == 0) {
      *inferred = numel() / *known;
    } else {
      new_shape.assign(asked.begin(), asked.end());  // refused below, as it was asked for
    }
  }
  const auto count = checked_numel(new_shape);
  if (!count || *count != numel()) {
    bad_argument("a tensor of shape " + to_string(shape()) + " has " + std::to_string(numel()) +
                 " elements and cannot take shape " + to_string(new_shape));
  }
  std::vector<int64_t> result(new_shape.size());
  if (*count == 0 || is_contiguous()) {
    row_major_strides(new_shape, result.data());
    return TensorObject::view(*this, new_shape, result, 0);
  }
  // Walk both shapes from the last axis: each run of old axes that lie in one piece is dealt out to new axes.
  const Shape old_shape = shape();
  const Strides old_strides = strides();
  auto new_axis = static_cast<int>(new_shape.size()) - 1;
  int64_t piece = 1, dealt = 1, step = 0;
  for (auto axis = static_cast<int>(old_shape.size()) - 1; axis >= 0; --axis) {
    if (piece == 1) step = old_strides[axis];
    piece *= old_shape[axis];
    const bool goes_on = axis > 0 && (old_shape[axis - 1] == 1 || piece == 1 || old_strides[axis - 1] == piece * step);
    if (goes_on) continue;
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
  return TensorObject::view(*this, new_shape, result, 0);
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
  return TensorObject::view(*this, new_shape, new_strides, 0);
}

Tensor Tensor::slice(int axis, int64_t start, int64_t stop, int64_t step) const {
  const int64_t bytes = element_bytes(*this, "a slice");
  const int along = normalised_axis(axis, ndim());
  if (step == 0) bad_argument("the step of a slice must not be 0");
  const int64_t dim = shape()[along];
  const int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? dim : dim - 1;
  auto clamp = [&](int64_t position) { return std::clamp(position < 0 ? position + dim : position, lowest, highest); };
  const int64_t first = clamp(start), end = clamp(stop);
  const int64_t span = step > 0 ? end - first : first - end;
  const auto stride = step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
  const int64_t length = span > 0 ? static_cast<int64_t>((static_cast<uint64_t>(span) - 1) / stride + 1) : 0;

  auto new_shape = to_vector(shape()), new_strides = to_vector(strides());
  new_shape[along] = length;
  if (numel() == 0 || length == 0) return TensorObject::view(*this, new_shape, new_strides, 0);
  if (length > 1) new_strides[along] *= step;
  return TensorObject::view(*this, new_shape, new_strides, first * strides()[along] * bytes);
}

Tensor Tensor::select(int axis, int64_t index) const {
  const int64_t bytes = element_bytes(*this, "select");
  const int along = normalised_axis(axis, ndim());
  const int64_t dim = shape()[along];
  if (index < -dim || index >= dim) {
    bad_argument("index " + std::to_string(index) + " is out of range for axis " + std::to_string(axis) +
                 " of length " + std::to_string(dim));
  }
  auto new_shape = to_vector(shape()), new_strides = to_vector(strides());
  if (index < 0) index += dim;
  const int64_t offset = numel() > 0 ? index * new_strides[along] : 0;  // without elements strides may be anything
  new_shape.erase(new_shape.begin() + along);
  new_strides.erase(new_strides.begin() + along);
  return TensorObject::view(*this, new_shape, new_strides, offset * bytes);
}

Tensor Tensor::broadcast_to(Shape new_shape) const {
  const auto result = broadcast(shape(), new_shape);
  if (!result || !std::ranges::equal(*result, new_shape) || !checked_numel(new_shape)) {
    bad_argument("shape " + to_string(shape()) + " does not broadcast to " + to_string(new_shape));
  }
  std::vector<int64_t> new_strides(new_shape.size(), 0);
  const size_t lead = new_shape.size() - shape().size();
  for (size_t i = 0; i < shape().size(); ++i) {
    if (shape()[i] == new_shape[lead + i]) new_strides[lead + i] = strides()[i];
  }
  return TensorObject::view(*this, new_shape, new_strides, 0);
}

Tensor Tensor::on(Device new_device) const {
  const Device behind = physical(new_device);
  const bool as_cpu = behind == cpu && physical_device().is_host();
  if (!as_cpu && !(behind == physical_device())) {
    bad_argument("device " + to_string(new_device) + " computes on " + to_string(behind) + ", but the tensor is on " +
                 to_string(physical_device()));
  }
  Tensor result = TensorObject::view(*this, shape(), strides(), 0);
  result.managed_->dl_tensor.device = behind;
  TensorObject::of(result)->device = new_device;
  return result;
}

Tensor Tensor::as_read_only() const {
  Tensor result = TensorObject::view(*this, shape(), strides(), 0);
  result.managed_->flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
  return result;
}

}  // namespace dlport
