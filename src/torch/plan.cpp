#include "torch/plan.hpp"

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

#include "dlport/error.hpp"
#include "ort/lru_cache.hpp"
#include "torch/arguments.hpp"
#include "torch/buffer.hpp"
#include "torch/plan_key.hpp"

namespace dlport::pytorch {
namespace {

constexpr size_t kPlansPerOperator = 512;
constexpr size_t kGraphs = 1024;
/// An operator that has needed this many graphs gets further ones only for calls that come back: compiling is dear, and
/// its sizes may never be the same again.
constexpr uint64_t kEagerGraphs = 64;

std::atomic<uint64_t> planned{0}, compiled{0}, copied{0}, failed{0};

/// A graph input: where its data comes from, and what it looks like.
struct Input {
  Source source;
  DType dtype;
  bool is_number = false;
  bool copy = false;  // has gaps or overlaps, so it is made row-major first
  Dims shape;
};

/// A result: a new tensor, or one written to.
struct Output {
  DType dtype;
  at::ScalarType type;
  Dims sizes, strides;  // strides are empty for row-major
  bool defined = true;
  Source target;       // the argument that gets it, if any
  bool direct = true;  // written there by the graph, rather than copied there afterwards
  Dims shape;          // as the graph writes it: sizes in memory's order
};

struct Plan {
  std::shared_ptr<const ort::Executable> executable;  // null: declined
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<Emit::Check> checks;
  bool overwrites = false;
};

struct Declines {
  std::mutex mutex;
  std::map<std::string, std::map<std::string, uint64_t>> by_operator;
};

Declines& declines() {
  static auto* all = new Declines;  // kernels run until the process ends
  return *all;
}

/// Graphs by signature and device: operators and shapes that come down to the same program share it.
ort::LruCache<std::string, std::shared_ptr<const ort::Executable>>& graphs() {
  static auto* all = new ort::LruCache<std::string, std::shared_ptr<const ort::Executable>>(kGraphs);
  return *all;
}

const c10::IValue& at_source(c10::ArrayRef<c10::IValue> arguments, const Source& source) {
  const c10::IValue& argument = arguments[static_cast<size_t>(source.argument)];
  return source.element < 0 ? argument : argument.toListRef()[static_cast<size_t>(source.element)];
}

/// `count` is of graphs that had to be compiled.
std::shared_ptr<const ort::Executable> compile(const Emit& e, int device, std::atomic<uint64_t>& count) {
  const std::string signature = e.signature() + "device " + std::to_string(device);
  if (auto known = graphs().find(signature)) return known;
  std::shared_ptr<const ort::Executable> executable;
  try {
    executable = e.graph().compile(device);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    decline(error.what());
  }
  compiled.fetch_add(1, std::memory_order_relaxed);
  count.fetch_add(1, std::memory_order_relaxed);
  return graphs().insert(signature, executable);
}

// --- Planning

/// The targets of a variant: its in-place or out= tensors, those of lists one by one.
std::vector<Source> target_sources(const Variant& variant, c10::ArrayRef<c10::IValue> arguments) {
  std::vector<Source> targets;
  for (uint32_t position : variant.targets) {
    const int argument = static_cast<int>(position);
    if (!arguments[position].isList()) {
      targets.push_back({argument, -1});
      continue;
    }
    const int count = static_cast<int>(arguments[position].toListRef().size());
    for (int i = 0; i < count; ++i) targets.push_back({argument, i});
  }
  return targets;
}

/// PyTorch stores no float in an integer and nothing but bool in a bool.
void check_storable(DType from, DType to) {
  const bool loses = is_floating(from) ? !is_floating(to) : !is_bool(from) && is_bool(to);
  if (loses) decline("a result of " + to_string(from) + " for a tensor of " + to_string(to));
}

class Planner {
 public:
  Planner(const Variant& variant, c10::ArrayRef<c10::IValue> arguments)
      : variant_(variant), arguments_(arguments), emit_(default_float()) {}

  Plan plan(c10::DeviceIndex device, std::atomic<uint64_t>& graph_count) {
    write(/*as_lying=*/false);
    if (has_odd_layout()) {
      if (emit_.elementwise()) {
        common_layout();
        emit_ = Emit(default_float());
        write(/*as_lying=*/true);
      } else if (!variant_.entry->any_layout) {
        decline("a tensor that is not row-major");
      }
    }
    Plan plan;
    for (const Emit::Input& input : emit_.inputs()) plan.inputs.push_back(make_input(input));
    plan.outputs = std::move(outputs_);
    plan.checks = emit_.checks();
    plan.overwrites = !variant_.targets.empty() || !emit_.updates().empty();
    plan.executable = compile(emit_, device, graph_count);
    return plan;
  }

 private:
  static DType default_float() { return dtype_of(c10::get_default_dtype_as_scalartype()); }

  const at::Tensor& tensor(const Source& source) const { return at_source(arguments_, source).toTensor(); }

  void write(bool as_lying) {
    std::vector<Argument> arguments;
    const auto& kinds = variant_.entry->kinds;
    for (size_t i = 0; i < kinds.size(); ++i) {
      arguments.push_back(make_argument(arguments_[i], kinds[i], static_cast<int>(i), as_lying));
    }
    const OptionalValues results = variant_.entry->write(emit_, arguments);
    const std::vector<Source> targets = target_sources(variant_, arguments_);
    if (!targets.empty() && results.size() != targets.size()) decline("another number of results than of targets");
    outputs_.clear();
    size_t next_target = 0;
    for (const Optional& result : results) {
      Output output;
      if (!variant_.targets.empty()) output.target = targets[next_target++];
      output.defined = result.has_value();
      if (result) describe(*result, output);
      if (result || variant_.targets.empty()) outputs_.push_back(std::move(output));
    }
    for (const auto& [target, value] : emit_.updates()) {
      Output output;
      output.target = target;
      describe(value, output);
      outputs_.push_back(std::move(output));
    }
    for (size_t i = 0, graph_output = 0; i < outputs_.size(); ++i) {
      if (!outputs_[i].defined) continue;
      if (outputs_[i].target.argument >= 0) settle_target(outputs_[i], graph_output);
      ++graph_output;
    }
  }

  void describe(const Value& value, Output& output) {
    Value result = value;
    if (output.target.argument >= 0) {
      const DType wanted = dtype_of(tensor(output.target).scalar_type());
      if (variant_.is_out && result.dtype != wanted) decline("an out= tensor of another dtype than the result");
      check_storable(result.dtype, wanted);
      result = emit_.cast(result, wanted);
    }
    emit_.output(result);
    output.dtype = result.dtype;
    output.type = scalar_type(result.dtype);
    output.shape = output.sizes = result.shape;
    if (layout_ && result.shape.size() == layout_->order.size()) {
      output.sizes = layout_->sizes;
      output.strides = layout_->strides;
    }
  }

  /// Works out whether the graph may write to the target itself.
  void settle_target(Output& output, size_t graph_output) const {
    const at::Tensor& target = tensor(output.target);
    if (!is_ort(target)) decline("a target on the cpu");
    if (target.sizes() != c10::IntArrayRef(output.sizes)) decline("a target of another shape than the result");
    const bool same_layout =
        output.strides.empty() ? target.is_contiguous() : target.strides() == c10::IntArrayRef(output.strides);
    const bool is_read = std::ranges::any_of(
        emit_.inputs(), [&](const Emit::Input& input) { return input.source == output.target && !input.is_number; });
    output.direct = same_layout && (!is_read || emit_.may_overwrite(output.target, graph_output));
    if (!memory_order(target.sizes(), target.strides())) decline("a target with gaps or overlaps");
  }

  bool has_odd_layout() const {
    return std::ranges::any_of(emit_.inputs(), [&](const Emit::Input& input) {
      return !input.is_number && !tensor(input.source).is_contiguous();
    });
  }

  /// The layout that all tensors have in common, for elementwise graphs: results get it too, as they do in PyTorch.
  void common_layout() {
    for (const Emit::Input& input : emit_.inputs()) {
      if (input.is_number) continue;
      const at::Tensor& operand = tensor(input.source);
      if (operand.dim() == 0) continue;
      if (!layout_) {
        const auto order = memory_order(operand.sizes(), operand.strides());
        if (!order) decline("a tensor with gaps or overlaps");
        layout_ = Layout{*order, operand.sizes().vec(), operand.strides().vec()};
      } else if (operand.sizes() != c10::IntArrayRef(layout_->sizes) ||
                 operand.strides() != c10::IntArrayRef(layout_->strides)) {
        decline("tensors of different layouts");
      }
    }
  }

  Input make_input(const Emit::Input& emitted) const {
    Input input{emitted.source, emitted.dtype, emitted.is_number, false, {}};
    if (input.is_number) return input;
    const at::Tensor& operand = tensor(input.source);
    input.shape = operand.sizes().vec();
    if (operand.is_contiguous()) return input;
    const auto order = memory_order(operand.sizes(), operand.strides());
    input.copy = !order;
    for (size_t i = 0; order && i < order->size(); ++i) input.shape[i] = operand.size((*order)[i]);
    return input;
  }

  struct Layout {
    Dims order, sizes, strides;
  };

  const Variant& variant_;
  c10::ArrayRef<c10::IValue> arguments_;
  Emit emit_;
  std::vector<Output> outputs_;
  std::optional<Layout> layout_;
};

// --- Running

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

at::Tensor new_output(const Output& output, c10::Device device) {
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
  Run(const Plan& plan, c10::ArrayRef<c10::IValue> arguments, c10::Device device)
      : plan_(plan), arguments_(arguments), device_(device) {}

  /// False where the native kernel has to take the call; then nothing was written.
  bool run() {
    for (const Emit::Check& check : plan_.checks) {
      if (!holds(at_source(arguments_, check.argument).toTensor(), check)) return false;
    }
    numbers_.resize(plan_.inputs.size());
    for (size_t i = 0; i < plan_.inputs.size(); ++i) bind_input(plan_.inputs[i], numbers_[i]);
    for (const Output& output : plan_.outputs) bind_output(output);
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

  c10::SmallVector<at::Tensor, 4>& results() { return results_; }

 private:
  void bind_input(const Input& input, uint64_t& number) {
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

  void bind_output(const Output& output) {
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
    for (const Output& output : plan_.outputs) {
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

  void copy_to_target(const Output& output, const at::Tensor& result) const {
    const at::AutoDispatchBelowADInplaceOrView below;
    physical_tensor(at_source(arguments_, output.target).toTensor()).copy_(physical_tensor(result));
  }

  const Plan& plan_;
  c10::ArrayRef<c10::IValue> arguments_;
  c10::Device device_;
  c10::SmallVector<TensorView, 8> inputs_;
  c10::SmallVector<TensorView, 4> outputs_;
  c10::SmallVector<uint64_t, 8> numbers_;
  c10::SmallVector<at::Tensor, 4> results_;
  c10::SmallVector<at::Tensor, 2> copies_;
};

}  // namespace

class Lowering {
 public:
  Lowering(std::string name, Variant variant) : name_(std::move(name)), variant_(std::move(variant)) {}

  bool run(::torch::jit::Stack* stack) {
    const c10::ArrayRef<c10::IValue> arguments(stack->data() + stack->size() - variant_.arguments, variant_.arguments);
    KeyWords key;
    const auto device = make_key(variant_, arguments, key);
    if (!device) return false;
    const std::span<const uint64_t> words(key.data(), key.size());
    std::shared_ptr<const Plan> plan = plans_.find(words);
    if (!plan) {
      if (graphs_ >= kEagerGraphs && !seen_.find(words)) {
        seen_.insert(PlanKey(words.begin(), words.end()), true);
        return false;
      }
      plan = make_plan(arguments, *device);
      plans_.insert(PlanKey(words.begin(), words.end()), plan);
    }
    if (!plan->executable) return false;
    Run call(*plan, arguments, *device);
    if (!call.run()) return false;
    finish(stack, call.results());
    return true;
  }

 private:
  std::shared_ptr<const Plan> make_plan(c10::ArrayRef<c10::IValue> arguments, c10::Device device) {
    planned.fetch_add(1, std::memory_order_relaxed);
    try {
      return std::make_shared<const Plan>(Planner(variant_, arguments).plan(device.index(), graphs_));
    } catch (const Declined& declined) {
      const std::lock_guard lock(declines().mutex);
      ++declines().by_operator[name_][declined.reason];
      return std::make_shared<const Plan>();
    }
  }

  /// Replaces the arguments by what the operator returns.
  void finish(::torch::jit::Stack* stack, c10::SmallVector<at::Tensor, 4>& results) const {
    const size_t begin = stack->size() - variant_.arguments;
    c10::SmallVector<c10::IValue, 4> returned;
    if (!variant_.targets.empty()) {
      for (size_t i = 0; i < variant_.returns; ++i) returned.push_back((*stack)[begin + variant_.targets[i]]);
    } else if (variant_.returns_list) {
      returned.emplace_back(std::vector<at::Tensor>(results.begin(), results.end()));
    } else {
      for (size_t i = 0; i < variant_.returns; ++i) returned.emplace_back(std::move(results[i]));
    }
    stack->resize(begin);
    for (c10::IValue& value : returned) stack->push_back(std::move(value));
  }

  const std::string name_;
  const Variant variant_;
  std::atomic<uint64_t> graphs_{0};  // compiled for this operator
  ort::LruCache<PlanKey, bool, KeyHash, KeyEqual> seen_{kPlansPerOperator};
  ort::LruCache<PlanKey, std::shared_ptr<const Plan>, KeyHash, KeyEqual> plans_{kPlansPerOperator};
};

Lowering* find_lowering(const c10::OperatorHandle& op) {
  Variant variant = find_variant(op.schema());
  if (!variant.entry) return nullptr;
  return new Lowering(c10::toString(op.operator_name()), std::move(variant));  // lives as long as the process
}

bool has_lowering(const c10::OperatorHandle& op) {
  return find_variant(op.schema()).entry != nullptr;
}

bool run_lowered(Lowering& lowering, const c10::OperatorHandle&, ::torch::jit::Stack* stack) {
  return lowering.run(stack);
}

std::vector<std::string> lowered_operators() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : table()) names.push_back(name);
  return names;
}

std::map<std::string, std::map<std::string, uint64_t>> declined_calls() {
  const std::lock_guard lock(declines().mutex);
  return declines().by_operator;
}

PlanStats plan_stats() {
  return {planned, compiled, copied, failed};
}

}  // namespace dlport::pytorch
