// Our options as ONNX Runtime's.
#pragma once

#include <vector>

#include "dlport/ort_session.hpp"
#include "ort/api.hpp"

namespace dlport::ort {

struct MadeOptions {
  SessionOptionsHandle handle;
  std::vector<ValueHandle> initializers;  // the options point at them, and the session may

  const OrtSessionOptions* get() const { return handle.get(); }
};

MadeOptions make_options(const SessionOptions& options);

/// Null for null.
const OrtRunOptions* raw_options(const RunOptions* options);

}  // namespace dlport::ort
