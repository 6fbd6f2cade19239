// A call that ONNX cannot express with PyTorch's semantics.
#pragma once

#include <string>
#include <utility>

namespace dlport::pytorch {

/// Thrown by a lowering: the native kernel takes the call, or raises PyTorch's own error about it. The decision is
/// remembered for all calls of the kind, so it costs once.
struct Declined {
  std::string reason;
};

[[noreturn]] inline void decline(std::string reason) {
  throw Declined{std::move(reason)};
}

}  // namespace dlport::pytorch
