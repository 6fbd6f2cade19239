#include "torch/dispatch.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/Exception.h>
#include <torch/library.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>

#include "dlport/ort.hpp"
#include "torch/fork.hpp"
#include "torch/lowered.hpp"
#include "torch/native.hpp"

namespace dlport::pytorch {
namespace {

std::atomic<Fallback> fallback_mode{Fallback::native};
std::atomic<LoweringMode> lowering_mode{LoweringMode::automatic};

/// An operator's counters and what its schema says, for as long as the process lives.
struct Operator {
  explicit Operator(const c10::OperatorHandle& handle)
      : name(c10::toString(handle.operator_name())), signature(handle.schema()), lowering(find_lowering(handle)) {}

  const std::string name;
  const Signature signature;
  Lowering* const lowering;  // null where there is none
  std::atomic<uint64_t> lowered{0}, native{0};
};

struct Operators {
  std::mutex mutex;
  std::unordered_map<std::string, std::unique_ptr<Operator>> by_name;

  Operator* get(const c10::OperatorHandle& handle) {
    std::lock_guard lock(mutex);
    auto& slot = by_name[c10::toString(handle.operator_name())];
    if (!slot) slot = std::make_unique<Operator>(handle);
    return slot.get();
  }
};

Operators& operators() {
  static auto* all = new Operators;  // kernels run until the process ends
  return *all;
}

void announce_fallback(const Operator& op, Fallback mode) {
  TORCH_CHECK_NOT_IMPLEMENTED(mode != Fallback::error, op.name,
                              " has no lowering to ONNX Runtime for these arguments, and DLPORT_FALLBACK=error "
                              "forbids PyTorch's native kernel");
  static std::mutex mutex;
  static std::set<std::string> warned;
  std::lock_guard lock(mutex);
  if (warned.insert(op.name).second) TORCH_WARN(op.name, " runs on PyTorch's native kernel");
}

void dispatch(Operator& op, const c10::OperatorHandle& handle, ::torch::jit::Stack* stack) {
  check_not_forked();
  const Fallback fallback = fallback_mode.load(std::memory_order_relaxed);
  const LoweringMode mode = lowering_mode.load(std::memory_order_relaxed);
  const bool always = mode == LoweringMode::always || fallback == Fallback::error;
  if (op.lowering && mode != LoweringMode::never && run_lowered(*op.lowering, stack, always)) {
    op.lowered.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (fallback != Fallback::native) announce_fallback(op, fallback);
  op.native.fetch_add(1, std::memory_order_relaxed);
  call_native(handle, op.signature, stack);
}

/// The kernel registered under an operator's own name.
class Kernel final : public c10::OperatorKernel {
 public:
  explicit Kernel(Operator* op) : op_(op) {}
  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet, ::torch::jit::Stack* stack) {
    dispatch(*op_, handle, stack);
  }

 private:
  Operator* op_;
};

/// The kernel for operators that were registered after us.
void fallback_kernel(const c10::OperatorHandle& handle, ::torch::jit::Stack* stack) {
  dispatch(*operators().get(handle), handle, stack);
}

/// Operators that PyTorch composes of others for an unknown device, but that native kernels do in one piece.
constexpr const char* kWhole[] = {"aten::convolution", "aten::convolution_backward", "aten::mode.values"};

bool is_collective(const c10::OperatorName& name) {
  return name.name.starts_with("c10d::");
}

bool runs_natively(const c10::OperatorHandle& handle) {
  // Collectives work on the physical memory, through the process group's backend for the physical device. PyTorch has
  // a kernel of its own under our key, which looks for a backend of ours.
  if (is_collective(handle.operator_name())) return handle.hasKernelForDispatchKey(c10::DispatchKey::CPU);
  if (!handle.operator_name().name.starts_with("aten::")) return false;
  if (handle.hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1)) return false;  // kernels.cpp
  if (handle.hasKernelForDispatchKey(c10::DispatchKey::CPU)) return true;
  const std::string name = c10::toString(handle.operator_name());
  if (std::ranges::find(kWhole, name) != std::end(kWhole)) return true;
  // Others that PyTorch composes are taken whole where the table has them; autograd knows them too.
  const bool composed = handle.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd) ||
                        handle.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutogradNonFunctional);
  return composed && has_lowering(handle);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(::torch::CppFunction::makeFromBoxedFunction<&fallback_kernel>());
}

}  // namespace

void set_fallback(Fallback mode) {
  fallback_mode = mode;
}
Fallback fallback() {
  return fallback_mode;
}

void set_lowering(LoweringMode mode) {
  lowering_mode = mode;
}
LoweringMode lowering() {
  return lowering_mode;
}

bool may_take_one_piece(int index) {
  return lowering() != LoweringMode::always && fallback() != Fallback::error && ort::target(index).is_cpu;
}

std::map<std::string, Calls> calls() {
  std::lock_guard lock(operators().mutex);
  std::map<std::string, Calls> result;
  for (const auto& [name, op] : operators().by_name) {
    if (op->lowered || op->native) result[name] = {op->lowered, op->native};
  }
  return result;
}

void reset_calls() {
  std::lock_guard lock(operators().mutex);
  for (const auto& [name, op] : operators().by_name) op->lowered = op->native = 0;
}

void register_operators() {
  static std::vector<c10::RegistrationHandleRAII> registrations;  // undone when the process ends
  // Replacing PyTorch's kernels of the collectives is meant, and no news to the user.
  struct Silence : c10::WarningHandler {
    void process(const c10::Warning&) override {}
  } silence;
  const c10::WarningUtils::WarningHandlerGuard quiet(&silence);
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    const auto handle = dispatcher.findSchema(name);
    if (!handle || !runs_natively(*handle)) continue;
    registrations.push_back(dispatcher.registerImpl(
        name, c10::DispatchKey::PrivateUse1,
        c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<Kernel>(operators().get(*handle))), std::nullopt,
        nullptr, "dlport"));
  }
}

}  // namespace dlport::pytorch
