#include "torch/plan_key.hpp"

#include <c10/core/DefaultDtype.h>

#include <bit>
#include <cstring>

#include "dlport/ort.hpp"
#include "torch/buffer.hpp"

namespace dlport::pytorch {
namespace {

/// Leads each argument in a key.
enum class Tag : uint64_t { none, tensor, integer, real, truth, list, text, ignored };

constexpr uint64_t word(Tag tag, uint64_t low = 0) {
  return static_cast<uint64_t>(tag) << 56 | low;
}

class KeyWriter {
 public:
  explicit KeyWriter(KeyWords& key) : key_(key) {}

  bool add(const c10::IValue& value, Kind kind) {
    if (kind == Kind::ignored) return true;
    if (value.isTensor()) return add(value.toTensor());
    if (value.isNone()) return push(word(Tag::none));
    const bool operand = kind == Kind::operand;
    if (operand && (value.isDouble() || value.isInt() || value.isBool())) return add_number(value);
    if (value.isInt()) return push(word(Tag::integer), static_cast<uint64_t>(value.toInt()));
    if (value.isDouble()) return push(word(Tag::real), std::bit_cast<uint64_t>(value.toDouble()));
    if (value.isBool()) return push(word(Tag::truth, value.toBool()));
    if (value.isString()) return add(value.toStringRef());
    if (value.isList()) {
      const auto list = value.toListRef();
      push(word(Tag::list, list.size()));
      return std::ranges::all_of(list, [&](const c10::IValue& element) { return add(element, kind); });
    }
    return false;
  }

  std::optional<c10::Device> device() const { return device_; }

 private:
  bool push(uint64_t one) {
    key_.push_back(one);
    return true;
  }
  bool push(uint64_t one, uint64_t two) { return push(one) && push(two); }

  bool add(const std::string& text) {
    push(word(Tag::text, text.size()));
    for (char letter : text) key_.push_back(static_cast<uint64_t>(letter));
    return true;
  }

  /// The number itself is an input of the graph, but lowerings may look whether it is 0 or 1.
  bool add_number(const c10::IValue& value) {
    const Number number = read_number(value);
    const bool zero = number.dtype == float64 ? number.real == 0 : number.integer == 0;
    const bool one = number.dtype == float64 ? number.real == 1 : number.integer == 1;
    return push(word(Tag::real, uint64_t{number.dtype.code} << 2 | uint64_t{one} << 1 | uint64_t{zero}));
  }

  bool add(const at::Tensor& tensor) {
    const c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
    if (!tensor.defined()) return push(word(Tag::none));
    if (is_number(tensor)) return add_number(c10::IValue(tensor));
    const c10::DispatchKeySet keys = impl->key_set();
    if (impl->device_type() == kORTDevice) {
      if (device_ && *device_ != impl->device()) return false;
      device_ = impl->device();
      if (!keys.has(c10::DispatchKey::PrivateUse1)) return false;
    } else if (impl->device_type() != c10::DeviceType::CPU || impl->dim() != 0 || !keys.has(c10::DispatchKey::CPU)) {
      return false;
    }
    if (keys.has_any(c10::DispatchKeySet(
            {c10::DispatchKey::Conjugate, c10::DispatchKey::Negative, c10::DispatchKey::ZeroTensor}))) {
      return false;
    }
    if (impl->numel() == 0 || impl->dim() > kMaxNdim || impl->is_wrapped_number() ||
        c10::isComplexType(tensor.scalar_type()))
      return false;
    const bool contiguous = impl->is_contiguous();
    push(word(Tag::tensor, static_cast<uint64_t>(tensor.scalar_type()) << 16 | uint64_t{contiguous} << 15 |
                               static_cast<uint64_t>(impl->dim())));
    for (int64_t size : impl->sizes()) key_.push_back(static_cast<uint64_t>(size));
    if (!contiguous) {
      for (int64_t stride : impl->strides()) key_.push_back(static_cast<uint64_t>(stride));
    }
    return true;
  }

  KeyWords& key_;
  std::optional<c10::Device> device_;
};

}  // namespace

Number read_number(const c10::IValue& value) {
  Number number{};
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    if (tensor.scalar_type() == at::kDouble) return {float64, {.real = *tensor.const_data_ptr<double>()}};
    const bool truth = tensor.scalar_type() == at::kBool;
    return {truth ? boolean : int64, {truth ? *tensor.const_data_ptr<bool>() : *tensor.const_data_ptr<int64_t>()}};
  }
  if (value.isDouble()) return {float64, {.real = value.toDouble()}};
  if (value.isBool()) return {boolean, {value.toBool()}};
  number.dtype = int64;
  number.integer = value.toInt();
  return number;
}

std::optional<c10::Device> make_key(const Variant& variant, c10::ArrayRef<c10::IValue> arguments, KeyWords& key) {
  key.push_back(static_cast<uint64_t>(c10::get_default_dtype_as_scalartype()));
  KeyWriter writer(key);
  const auto& kinds = variant.entry->kinds;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Kind kind = i < kinds.size() ? kinds[i] : Kind::operand;  // what comes after are the out= tensors
    if (!writer.add(arguments[i], kind)) return std::nullopt;
  }
  if (writer.device()) key.push_back(ort::target(writer.device()->index()).configuration);
  return writer.device();
}

}  // namespace dlport::pytorch
