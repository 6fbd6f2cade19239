// What PyTorch's profiler asks of a device when it is to time it: profile(use_device="ort").
#include "torch/profiler.hpp"

#include <c10/util/ApproximateClock.h>
#include <torch/csrc/profiler/stubs/base.h>

#include <chrono>
#include <memory>

#include "torch/device.hpp"

namespace dlport::pytorch {
namespace {

using Moment = std::chrono::steady_clock::time_point;

/// An operator has run to its end when its call returns, so the device's time is that of the thread that called.
class Stubs final : public ::torch::profiler::impl::ProfilerStubs {
  using Event = ::torch::profiler::impl::ProfilerVoidEventStub;

 public:
  bool enabled() const override { return true; }
  void record(c10::DeviceIndex* device, Event* event, int64_t* cpu_nanoseconds) const override {
    if (device) *device = static_cast<c10::DeviceIndex>(current_device());
    *event = std::make_shared<Moment>(std::chrono::steady_clock::now());
    if (cpu_nanoseconds) *cpu_nanoseconds = c10::getTime();
  }
  /// In microseconds.
  float elapsed(const Event* from, const Event* to) const override {
    using Microseconds = std::chrono::duration<float, std::micro>;
    return Microseconds(*static_cast<const Moment*>(to->get()) - *static_cast<const Moment*>(from->get())).count();
  }
  void onEachDevice(std::function<void(int)> visit) const override {
    for (int index = 0; index < device_count(); ++index) visit(index);
  }
  void synchronize() const override {}
  // Marks for a device's own tracing tool, of which there is none.
  void mark(const char*) const override {}
  void rangePush(const char*) const override {}
  void rangePop() const override {}
};

}  // namespace

void register_profiler() {
  static Stubs stubs;
  ::torch::profiler::impl::registerPrivateUse1Methods(&stubs);
}

}  // namespace dlport::pytorch
