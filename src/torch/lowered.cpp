#include "torch/lowered.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "ort/lru_cache.hpp"
#include "torch/plan_key.hpp"
#include "torch/run.hpp"

namespace dlport::pytorch {
namespace {

constexpr size_t kPlansPerOperator = 512;
/// An operator that has needed this many graphs gets further ones only for calls that come back, unless it is always to
/// be lowered: compiling is dear, and its sizes may never be the same again.
constexpr uint64_t kEagerGraphs = 64;

std::atomic<uint64_t> planned{0}, compiled{0};

struct Declines {
  std::mutex mutex;
  std::map<std::string, std::map<std::string, uint64_t>> by_operator;
};

Declines& declines() {
  static auto* all = new Declines;  // kernels run until the process ends
  return *all;
}

}  // namespace

class Lowering {
 public:
  Lowering(std::string name, Variant variant) : name_(std::move(name)), variant_(std::move(variant)) {}

  bool run(::torch::jit::Stack* stack, bool always) {
    const c10::ArrayRef<c10::IValue> arguments(stack->data() + stack->size() - variant_.arguments, variant_.arguments);
    KeyWords key;
    key.push_back(always);
    const auto device = make_key(variant_, arguments, key);
    if (!device) return false;
    const std::span<const uint64_t> words(key.data(), key.size());
    std::shared_ptr<const Plan> made = plans_.find(words);
    if (!made) {
      if (!always && graphs_ >= kEagerGraphs && !seen_.find(words)) {
        seen_.insert(PlanKey(words.begin(), words.end()), true);
        return false;
      }
      made = make_plan(arguments, *device, always);
      plans_.insert(PlanKey(words.begin(), words.end()), made);
    }
    if (!made->executable) return false;
    Results results;
    if (!run_plan(*made, arguments, *device, results)) return false;
    finish(stack, results);
    return true;
  }

 private:
  std::shared_ptr<const Plan> make_plan(c10::ArrayRef<c10::IValue> arguments, c10::Device device, bool always) {
    planned.fetch_add(1, std::memory_order_relaxed);
    try {
      bool is_new = false;
      auto made = std::make_shared<const Plan>(plan(variant_, arguments, device.index(), always, is_new));
      if (is_new) {
        graphs_.fetch_add(1, std::memory_order_relaxed);
        compiled.fetch_add(1, std::memory_order_relaxed);
      }
      return made;
    } catch (const Declined& declined) {
      const std::lock_guard lock(declines().mutex);
      ++declines().by_operator[name_][declined.reason];
      return std::make_shared<const Plan>();
    }
  }

  /// Replaces the arguments by what the operator returns.
  void finish(::torch::jit::Stack* stack, Results& results) const {
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

bool run_lowered(Lowering& lowering, ::torch::jit::Stack* stack, bool always) {
  return lowering.run(stack, always);
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
  const RunCounters runs = run_counters();
  return {planned, compiled, runs.copied, runs.failed};
}

}  // namespace dlport::pytorch
