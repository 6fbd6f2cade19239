#include "torch/generator.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/GeneratorForPrivateuseone.h>
#include <c10/core/GeneratorImpl.h>

#include <deque>
#include <mutex>
#include <utility>

#include "torch/buffer.hpp"

namespace dlport::pytorch {
namespace {

/// Forwards everything to a generator of the physical device.
class OrtGenerator final : public c10::GeneratorImpl {
 public:
  OrtGenerator(c10::Device device, at::Generator physical)
      : GeneratorImpl(device, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)), physical_(std::move(physical)) {}

  void set_current_seed(uint64_t seed) override { physical_.set_current_seed(seed); }
  // The physical generator has no offset. PyTorch pickles that of any device's generator, beside the state.
  uint64_t get_offset() const override { return 0; }
  void set_offset(uint64_t offset) override {
    TORCH_CHECK(offset == 0, "an ort generator does not support set_offset; put it into a state by set_state");
  }
  uint64_t current_seed() const override { return physical_.current_seed(); }
  uint64_t seed() override { return physical_.seed(); }
  void set_state(const c10::TensorImpl& state) override { physical_.unsafeGetGeneratorImpl()->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return physical_.unsafeGetGeneratorImpl()->get_state();
  }

  const at::Generator& physical() const { return physical_; }

 private:
  OrtGenerator* clone_impl() const override { return new OrtGenerator(device_, physical_.clone()); }

  at::Generator physical_;
};

}  // namespace

const at::Generator& default_generator(c10::Device device) {
  static std::mutex mutex;
  static std::deque<at::Generator> generators;  // a deque: references into it stay good
  std::lock_guard lock(mutex);
  const auto index = static_cast<size_t>(device.has_index() ? device.index() : 0);
  while (generators.size() <= index) {
    const c10::Device next(kORTDevice, static_cast<c10::DeviceIndex>(generators.size()));
    generators.push_back(at::make_generator<OrtGenerator>(next, at::detail::getDefaultCPUGenerator()));
  }
  return generators[index];
}

at::Generator new_generator(c10::Device device) {
  return at::make_generator<OrtGenerator>(device, at::detail::createCPUGenerator());
}

at::Generator physical_generator(const at::Generator& generator) {
  auto* ours = dynamic_cast<OrtGenerator*>(generator.unsafeGetGeneratorImpl());
  return ours ? ours->physical() : generator;
}

}  // namespace dlport::pytorch
