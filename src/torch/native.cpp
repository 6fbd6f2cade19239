#include "torch/native.hpp"

#include <ATen/core/Generator.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/SmallVector.h>

#include <string_view>
#include <utility>

#include "torch/buffer.hpp"
#include "torch/generator.hpp"

namespace dlport::pytorch {
namespace {

/// One call: its ort tensors beside the physical tensors that stand in for them.
class Call {
 public:
  explicit Call(const c10::OperatorHandle& op) : op_(op) {}

  /// What the native kernel gets for an argument.
  at::Tensor enter(const at::Tensor& tensor, bool is_index = false) {
    if (!tensor.defined()) return tensor;
    if (!is_ort(tensor)) {
      if (tensor.dim() > 0 && !is_index && !stranger_.defined()) stranger_ = tensor;
      return tensor;
    }
    if (!device_) {
      device_ = tensor.device();
    } else if (tensor.device() != *device_ && !stranger_.defined()) {
      stranger_ = tensor;
    }
    for (const Pair& pair : pairs_) {
      if (pair.ort.is_same(tensor)) return pair.physical;
    }
    pairs_.push_back({tensor, physical_tensor(tensor)});
    return pairs_.back().physical;
  }

  void set_device(c10::Device device) {
    if (!device_) device_ = device.has_index() ? device : c10::Device(kORTDevice, 0);
  }

  void check_devices() const {
    TORCH_CHECK(!stranger_.defined() || !device_,
                "Expected all tensors to be on the same device, but found at least two devices, ", *device_, " and ",
                stranger_.device(), "! (when calling ", op_.schema().name(), ")");
  }

  /// What the caller gets for a result.
  at::Tensor leave(const at::Tensor& result) const {
    if (!result.defined() || is_ort(result)) return result;
    for (const Pair& pair : pairs_) {
      if (pair.physical.is_same(result)) return pair.ort;
    }
    const c10::StorageImpl* storage = result.storage().unsafeGetStorageImpl();
    for (const Pair& pair : pairs_) {
      if (pair.physical.storage().unsafeGetStorageImpl() == storage) return ort_tensor(pair.ort.storage(), result);
    }
    // Autograd's stand-in for a gradient of zeros has no memory that could be shared.
    return adopt_on_ort(result._is_zerotensor() ? at::zeros(result.sizes(), result.options()) : result, *device_);
  }

  /// Carries a change of a written argument's sizes or memory over to the ort tensor.
  void update(const at::Tensor& physical) const {
    for (const Pair& pair : pairs_) {
      if (!pair.physical.is_same(physical)) continue;
      sync_storage(pair.ort.storage());
      if (pair.ort.sizes() != physical.sizes() || pair.ort.strides() != physical.strides() ||
          pair.ort.storage_offset() != physical.storage_offset()) {
        pair.ort.unsafeGetTensorImpl()->set_sizes_and_strides(physical.sizes(), physical.strides(),
                                                              physical.storage_offset());
      }
      return;
    }
  }

  bool on_ort() const { return device_.has_value(); }
  c10::Device device() const { return device_.value_or(c10::Device(kORTDevice, 0)); }

 private:
  struct Pair {
    at::Tensor ort, physical;
  };
  const c10::OperatorHandle& op_;
  c10::SmallVector<Pair, 8> pairs_;
  std::optional<c10::Device> device_;
  at::Tensor stranger_;
};

/// Replaces every tensor in `value` (one, a list, or a list of lists, as collectives take them) by `map` of it.
template <class Map>
void map_tensors(c10::IValue& value, const Map& map) {
  if (value.isTensor()) {
    value = map(value.toTensor());
  } else if (value.isTensorList()) {
    auto tensors = value.toTensorVector();
    for (at::Tensor& tensor : tensors) tensor = map(tensor);
    value = c10::IValue(std::move(tensors));
  } else if (value.isList() && value.toListRef().size() > 0 && value.toListRef().front().isTensorList()) {
    c10::List<c10::List<at::Tensor>> lists;
    for (c10::IValue inner : value.toListRef()) {
      map_tensors(inner, map);
      lists.push_back(inner.toTensorList());
    }
    value = c10::IValue(std::move(lists));
  }
}

void enter(Call& call, c10::IValue& value) {
  if (value.isOptionalTensorList()) {  // indices, which may lie on the cpu
    c10::List<std::optional<at::Tensor>> tensors;
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
      tensors.push_back(tensor ? std::optional(call.enter(*tensor, /*is_index=*/true)) : std::nullopt);
    }
    value = c10::IValue(std::move(tensors));
  } else if (value.isDevice() && value.toDevice().type() == kORTDevice) {
    call.set_device(value.toDevice());
    value = c10::IValue(c10::Device(c10::DeviceType::CPU));
  } else {
    map_tensors(value, [&](const at::Tensor& tensor) { return call.enter(tensor); });
  }
}

void update(const Call& call, const c10::IValue& value) {
  if (value.isTensor()) {
    call.update(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) call.update(tensor);
  }
}

bool is_generator(const c10::TypePtr& type) {
  if (type->kind() == c10::TypeKind::GeneratorType) return true;
  return type->kind() == c10::TypeKind::OptionalType &&
         type->expectRef<c10::OptionalType>().getElementType()->kind() == c10::TypeKind::GeneratorType;
}

/// PyTorch has no exception of its own for the cpu's memory.
bool is_out_of_memory(const c10::Error& error) {
  return std::string_view(error.what_without_backtrace()).find("DefaultCPUAllocator") != std::string_view::npos;
}

}  // namespace

Signature::Signature(const c10::FunctionSchema& schema)
    : arguments(schema.arguments().size()), returns(schema.returns().size()) {
  for (uint32_t i = 0; i < arguments; ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    if (argument.alias_info() && argument.alias_info()->isWrite()) written.push_back(i);
    if (is_generator(argument.type())) generators.push_back(i);
  }
}

void call_native(const c10::OperatorHandle& op, const Signature& signature, ::torch::jit::Stack* stack) {
  Call call(op);
  const size_t begin = stack->size() - signature.arguments;
  for (size_t i = begin; i < stack->size(); ++i) enter(call, (*stack)[i]);
  call.check_devices();
  for (uint32_t position : signature.generators) {
    c10::IValue& value = (*stack)[begin + position];
    value = physical_generator(value.isNone() ? default_generator(call.device()) : value.toGenerator());
  }
  c10::SmallVector<c10::IValue, 4> written;  // the kernel takes its arguments off the stack
  for (uint32_t position : signature.written) written.push_back((*stack)[begin + position]);
  {
    // The physical tensors are ours alone: nothing above the kernel (autograd, view tracking) has to see them.
    at::AutoDispatchBelowADInplaceOrView below;
    try {
      op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
    } catch (const c10::Error& error) {
      TORCH_CHECK_WITH(OutOfMemoryError, !is_out_of_memory(error), error.what_without_backtrace());
      throw;
    }
  }
  for (const c10::IValue& value : written) update(call, value);
  if (!call.on_ort()) return;
  for (size_t i = stack->size() - signature.returns; i < stack->size(); ++i)
    map_tensors((*stack)[i], [&](const at::Tensor& result) { return call.leave(result); });
}

}  // namespace dlport::pytorch
