// Managed tensors made by hand, as a foreign producer would, that count the calls of their deleter.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "dlport/dlpack.h"

namespace dlport::testing {

/// A producer of `Managed` (versioned or legacy) whose tensor is a 2 x 3 float32 matrix until a test changes it.
template <class Managed>
struct Producer {
  std::vector<float> data = {0, 1, 2, 3, 4, 5};
  std::vector<int64_t> shape = {2, 3}, strides = {3, 1};
  std::atomic<int> deletions = 0;
  Managed managed{};

  Producer() {
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { ++static_cast<Producer*>(self->manager_ctx)->deletions; };
    managed.dl_tensor = {data.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape.data(), strides.data(), 0};
    if constexpr (requires { managed.version; }) managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  DLTensor& tensor() { return managed.dl_tensor; }
};

using VersionedProducer = Producer<DLManagedTensorVersioned>;
using LegacyProducer = Producer<DLManagedTensor>;

}  // namespace dlport::testing
