#include "torch/backward_threads.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>

#include <atomic>
#include <climits>
#include <exception>
#include <thread>

#include "torch/buffer.hpp"
#include "torch/device.hpp"
#include "torch/fork.hpp"

namespace dlport::pytorch {
namespace {

const std::thread::id main_thread = std::this_thread::get_id();
std::atomic<int> devices{INT_MAX};

/// A pass of one step through the thread of each device: it is taken up when what was before it is gone, and as this
/// thread has no Python objects, nor has the pass.
void pass_through() noexcept {
  try {
    for (int index = 0; index < backward_devices(); ++index) {
      const auto where = at::TensorOptions(c10::Device(kORTDevice, static_cast<c10::DeviceIndex>(index)));
      const at::Tensor leaf = at::ones({}, where).requires_grad_(true);
      leaf.clone().backward();
    }
  } catch (const std::exception&) {  // the process ends; nobody is left to be told
  }
}

}  // namespace

void note_thread() {
  if (devices.load(std::memory_order_relaxed) == INT_MAX && std::this_thread::get_id() != main_thread) {
    devices.store(device_count(), std::memory_order_relaxed);
  }
}

int backward_devices() noexcept {
  return devices.load(std::memory_order_relaxed);
}

void finish_backward() {
  if (backward_devices() != INT_MAX && !is_forked()) std::thread(pass_through).join();
}

}  // namespace dlport::pytorch
