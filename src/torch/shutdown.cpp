#include "torch/shutdown.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>

#include <atomic>
#include <exception>
#include <thread>

#include "torch/buffer.hpp"
#include "torch/device.hpp"
#include "torch/fork.hpp"

namespace dlport::pytorch {
namespace {

const std::thread::id main_thread = std::this_thread::get_id();
std::atomic<bool> others{false};

/// A pass of one step through the thread of each device: it is taken up when what was before it is gone, and as this
/// thread has no Python objects, nor has the pass.
void pass_through() noexcept {
  try {
    for (int index = 0; index < device_count(); ++index) {
      const auto where = at::TensorOptions(c10::Device(kORTDevice, static_cast<c10::DeviceIndex>(index)));
      const at::Tensor leaf = at::ones({}, where).requires_grad_(true);
      leaf.clone().backward();
    }
  } catch (const std::exception&) {  // the process ends; nobody is left to be told
  }
}

}  // namespace

void note_thread() {
  if (std::this_thread::get_id() != main_thread) others.store(true, std::memory_order_relaxed);
}

void finish_backward() {
  if (others && !is_forked()) std::thread(pass_through).join();
}

}  // namespace dlport::pytorch
