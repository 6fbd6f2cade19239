#include "torch/plan.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/DefaultDtype.h>

#include <algorithm>
#include <utility>

#include "dlport/error.hpp"
#include "dlport/ort.hpp"
#include "ort/lru_cache.hpp"
#include "torch/arguments.hpp"
#include "torch/buffer.hpp"

namespace dlport::pytorch {
namespace {

using Input = Plan::Input;
using Output = Plan::Output;

constexpr size_t kGraphs = 1024;

/// Graphs by signature and device: operators and shapes that come down to the same program share it.
ort::LruCache<std::string, std::shared_ptr<const ort::Executable>>& graphs() {
  static auto* all = new ort::LruCache<std::string, std::shared_ptr<const ort::Executable>>(kGraphs);
  return *all;
}

std::shared_ptr<const ort::Executable> compile(const Emit& e, int device, uint32_t configuration, bool& is_new) {
  const std::string signature = e.signature() + "device " + std::to_string(configuration);
  if (auto known = graphs().find(signature)) return known;
  std::shared_ptr<const ort::Executable> executable;
  try {
    executable = e.graph().compile(device);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    decline(error.what());
  }
  is_new = true;
  return graphs().insert(signature, executable);
}

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
  Planner(const Variant& variant, c10::ArrayRef<c10::IValue> arguments, int device)
      : variant_(variant), arguments_(arguments), device_(device), target_(ort::target(device)), emit_(new_emit()) {}

  /// ONNX Runtime's own CPU provider works in the memory and on the cores of PyTorch's kernels.
  bool is_native_faster() const {
    const int64_t limit = variant_.entry->native_from;
    if (limit == INT64_MAX) return false;
    const auto is_large = [&](const c10::IValue& value) {
      return value.isTensor() && value.toTensor().defined() && value.toTensor().numel() >= limit;
    };
    const bool large = std::ranges::any_of(arguments_, [&](const c10::IValue& value) {
      return value.isList() ? std::ranges::any_of(value.toListRef(), is_large) : is_large(value);
    });
    return large && target_.is_cpu;
  }

  Plan plan(bool& is_new) {
    write(/*as_lying=*/false);
    if (has_odd_layout()) {
      if (emit_.elementwise()) {
        common_layout();
        emit_ = new_emit();
        write(/*as_lying=*/true);
      } else if (!variant_.entry->any_layout) {
        decline("a tensor that is not row-major");
      }
    }
    if (target_.is_32_bit) check_fits_32_bits();
    Plan plan;
    for (const Emit::Input& input : emit_.inputs()) plan.inputs.push_back(make_input(input));
    plan.outputs = std::move(outputs_);
    plan.checks = emit_.checks();
    plan.overwrites = !variant_.targets.empty() || !emit_.updates().empty();
    plan.executable = compile(emit_, device_, target_.configuration, is_new);
    return plan;
  }

 private:
  Emit new_emit() const { return Emit(dtype_of(c10::get_default_dtype_as_scalartype()), target_.static_shapes); }

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

  /// Integers are let through where they are positions beside floats, as an embedding's are; such operators' own checks
  /// have them lie within a dimension.
  void check_fits_32_bits() const {
    const auto is_double = [](const auto& it) { return is_floating(it.dtype) && it.dtype.bits == 64; };
    const auto is_wide = [](const auto& it) { return is_integral(it.dtype) && it.dtype.bits >= 32; };
    const auto is_truth = [](const Output& it) { return is_bool(it.dtype); };
    const auto is_float = [](const Emit::Input& it) { return !it.is_number && is_floating(it.dtype); };
    const auto is_wide_tensor = [&](const Emit::Input& it) { return !it.is_number && is_wide(it); };
    if (std::ranges::any_of(emit_.inputs(), is_double) || std::ranges::any_of(outputs_, is_double)) {
      decline("the provider computes float64 in 32 bits");
    }
    const bool of_floats = std::ranges::any_of(emit_.inputs(), is_float);
    const bool positions = of_floats && !emit_.elementwise();
    if (!positions && (std::ranges::any_of(emit_.inputs(), is_wide_tensor) || std::ranges::any_of(outputs_, is_wide))) {
      decline("the provider computes integers in 32 bits or in floats");
    }
    if (of_floats && std::ranges::any_of(outputs_, is_truth)) decline("the provider does not tell nan from numbers");
  }

  /// Of any argument, even one that the graph does not read: the results' layout may follow it.
  bool has_odd_layout() const {
    const auto is_odd = [](const c10::IValue& value) {
      return value.isTensor() && value.toTensor().defined() && !value.toTensor().is_contiguous();
    };
    const auto& kinds = variant_.entry->kinds;
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i] == Kind::ignored) continue;
      const c10::IValue& value = arguments_[i];
      if (value.isList() ? std::ranges::any_of(value.toListRef(), is_odd) : is_odd(value)) return true;
    }
    return false;
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
  int device_;
  ort::Target target_;
  Emit emit_;
  std::vector<Output> outputs_;
  std::optional<Layout> layout_;
};

}  // namespace

Plan plan(const Variant& variant, c10::ArrayRef<c10::IValue> arguments, int device, bool always, bool& is_new) {
  Planner planner(variant, arguments, device);
  if (!always && planner.is_native_faster()) decline("PyTorch's own kernel is faster at this size");
  return planner.plan(is_new);
}

}  // namespace dlport::pytorch
