/// Launch: one ONNX operator, called by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dlport/export.h"
#include "dlport/ort.hpp"
#include "dlport/tensor.hpp"

namespace dlport::ort {

/// Where and which operator a launch runs.
struct LaunchOptions {
  int device = 0;                     ///< N of ort:N
  std::string_view domain = {};       ///< "" is ONNX's own
  int opset = Graph::kOpset;          ///< of ONNX's own operators
  std::span<const bool> wanted = {};  ///< which of the operator's outputs are; none given: the first alone
};

/// A launch's input: a tensor, or nothing for an optional one left out.
using Operand = std::optional<TensorView>;

/// Runs `op` and returns the wanted outputs, allocated by ONNX Runtime. Strided inputs are copied, which
/// strided_copies() counts. The operator is compiled on its first call with such dtypes and ranks (for other providers
/// than the CPU's: shapes) and attributes, and kept in a bounded cache. Thread-safe.
/// Throws Error{unsupported} with ONNX Runtime's words for an operator, attribute or dtype that it does not have,
/// Error{device} where the run fails.
DLPORT_API std::vector<Tensor> launch(std::string_view op, std::span<const Operand> inputs,
                                      std::span<const Attribute> attributes = {}, const LaunchOptions& options = {});

/// The same into `outputs`, row-major tensors of the dtypes and shapes that the operator gives, one for each wanted
/// output. Throws Error{invalid_argument} where one does not fit; nothing is then written outside.
DLPORT_API void launch_into(std::string_view op, std::span<const Operand> inputs, std::span<const TensorView> outputs,
                            std::span<const Attribute> attributes = {}, const LaunchOptions& options = {});

inline std::vector<Tensor> launch(std::string_view op, std::initializer_list<Operand> inputs,
                                  std::span<const Attribute> attributes = {}, const LaunchOptions& options = {}) {
  return launch(op, std::span(inputs.begin(), inputs.size()), attributes, options);
}

/// What the cache of compiled operators did since the process started, and what it holds.
struct LaunchCounters {
  uint64_t hits;
  uint64_t misses;  ///< each one compiled an operator
  size_t size;
  size_t capacity;
};
DLPORT_API LaunchCounters launch_counters();

/// Bounds the cache, which forgets the operators used longest ago first. The default is 1024.
DLPORT_API void set_launch_capacity(size_t capacity);

}  // namespace dlport::ort
