#include "torch/run.hpp"

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "dlport/error.hpp"
#include "torch/buffer.hpp"
#include "torch/plan_key.hpp"

namespace dlport::pytorch {
namespace {

std::atomic<uint64_t> copied{0}, failed{0};

char* data_of(const at::Tensor& tensor) {
  const c10::Storage& storage = tensor.storage();
  const c10::Storage& physical = is_ort(tensor) ? physical_storage(storage) : storage;
  return static_cast<char*>(const_cast<void*>(physical.data())) +
         tensor.storage_offset() * static_cast<int64_t>(tensor.itemsize());
}

TensorView view(char* data, DType dtype, const Dims& shape) {
  return DLTensor{data, cpu, static_cast<int32_t>(shape.size()), dtype, const_cast<int64_t*>(shape.data()), nullptr, 0};
}

template <class T>
void store(T value, char* data) {
  std::memcpy(data, &value, sizeof value);
}

void store_number(const Number& number, DType dtype, char* data) {
  const bool real = number.dtype == float64;
  const auto as_real = real ? number.real : static_cast<double>(number.integer);
  const auto as_integer = real ? static_cast<int64_t>(number.real) : number.integer;
  if (dtype == float32) return store(static_cast<float>(as_real), data);
  if (dtype == float64) return store(as_real, data);
  if (dtype == int32) return store(static_cast<int32_t>(as_integer), data);
  if (dtype == boolean) return store(as_real != 0, data);
  store(as_integer, data);
}

template <class T>
bool holds_for(const at::Tensor& tensor, const Emit::Check& check) {
  const T* data = reinterpret_cast<const T*>(data_of(tensor));
  bool all = true;  // to the end, without a branch: the compiler makes vectors of it
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      all &= data[i] == data[i];
    } else {
      const auto position = static_cast<int64_t>(data[i]);
      all &= (position >= check.low && position < check.high) || position == check.except;
    }
  }
  return all;
}

bool holds(const at::Tensor& tensor, const Emit::Check& check) {
  if (!tensor.is_contiguous()) return false;
  switch (tensor.scalar_type()) {
    case at::kLong:
      return holds_for<int64_t>(tensor, check);
    case at::kInt:
      return holds_for<int32_t>(tensor, check);
    case at::kFloat:
      return holds_for<float>(tensor, check);
    case at::kDouble:
      return holds_for<double>(tensor, check);
    default:
      return false;
  }
}

at::Tensor new_output(const Plan::Output& output, c10::Device device) {
  constexpr c10::DispatchKeySet keys(c10::DispatchKey::PrivateUse1);
  const c10::DeviceGuard guard(device);
  c10::Allocator* allocator = c10::GetAllocator(kORTDevice);
  return output.strides.empty()
             ? at::detail::empty_generic(output.sizes, allocator, keys, output.type, std::nullopt)
             : at::detail::empty_strided_generic(output.sizes, output.strides, allocator, keys, output.type);
}

/// A run of a plan on one call's tensors.
class Run {
 public:
  Run(const Plan& plan, c10::ArrayRef<c10::IValue> arguments, c10::Device device, Results& results)
      : plan_(plan), arguments_(arguments), device_(device), results_(results) {}

  /// False where the native kernel has to take the call; then nothing was written.
  bool run() {
    for (const Emit::Check& check : plan_.checks) {
      if (!holds(at_source(arguments_, check.argument).toTensor(), check)) return false;
    }
    numbers_.resize(plan_.inputs.size());
    for (size_t i = 0; i < plan_.inputs.size(); ++i) bind_input(plan_.inputs[i], numbers_[i]);
    for (const Plan::Output& output : plan_.outputs) bind_output(output);
    if (plan_.overwrites && targets_overlap()) return false;
    try {
      plan_.executable->run(inputs_, outputs_);
    } catch (const Error&) {
      failed.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    for (size_t i = 0; i < plan_.outputs.size(); ++i) {
      if (plan_.outputs[i].target.argument >= 0 && !plan_.outputs[i].direct)
        copy_to_target(plan_.outputs[i], results_[i]);
    }
    return true;
  }

 private:
  void bind_input(const Plan::Input& input, uint64_t& number) {
    const c10::IValue& value = at_source(arguments_, input.source);
    if (input.is_number) {
      char* data = reinterpret_cast<char*>(&number);
      store_number(read_number(value), input.dtype, data);
      inputs_.push_back(view(data, input.dtype, input.shape));
      return;
    }
    const at::Tensor& tensor = value.toTensor();
    char* data = nullptr;
    if (input.copy) {
      copied.fetch_add(1, std::memory_order_relaxed);
      const at::AutoDispatchBelowADInplaceOrView below;
      copies_.push_back((is_ort(tensor) ? physical_tensor(tensor) : tensor).contiguous());
      data = data_of(copies_.back());
    } else {
      data = data_of(tensor);
    }
    inputs_.push_back(view(data, input.dtype, input.shape));
  }

  void bind_output(const Plan::Output& output) {
    if (!output.defined) {
      results_.emplace_back();
      return;
    }
    const bool to_target = output.target.argument >= 0 && output.direct;
    results_.push_back(to_target ? at_source(arguments_, output.target).toTensor() : new_output(output, device_));
    outputs_.push_back(view(data_of(results_.back()), output.dtype, output.shape));
  }

  /// Whether a target shares memory with an input in another way than being it.
  bool targets_overlap() const {
    for (const Plan::Output& output : plan_.outputs) {
      if (output.target.argument < 0) continue;
      const at::Tensor& target = at_source(arguments_, output.target).toTensor();
      const char* begin = data_of(target);
      const char* end = begin + target.nbytes();
      for (size_t i = 0; i < plan_.inputs.size(); ++i) {
        if (plan_.inputs[i].is_number || plan_.inputs[i].source == output.target) continue;
        const char* data = static_cast<const char*>(inputs_[i].data());
        if (data < end && begin < data + inputs_[i].nbytes()) return true;
      }
    }
    return false;
  }

  void copy_to_target(const Plan::Output& output, const at::Tensor& result) const {
    const at::AutoDispatchBelowADInplaceOrView below;
    physical_tensor(at_source(arguments_, output.target).toTensor()).copy_(physical_tensor(result));
  }

  const Plan& plan_;
  c10::ArrayRef<c10::IValue> arguments_;
  c10::Device device_;
  Results& results_;
  c10::SmallVector<TensorView, 8> inputs_;
  c10::SmallVector<TensorView, 4> outputs_;
  c10::SmallVector<uint64_t, 8> numbers_;
  c10::SmallVector<at::Tensor, 2> copies_;
};

}  // namespace

bool run_plan(const Plan& plan, c10::ArrayRef<c10::IValue> arguments, c10::Device device, Results& results) {
  Run call(plan, arguments, device, results);
  return call.run();
}

RunCounters run_counters() {
  return {copied, failed};
}

}  // namespace dlport::pytorch
