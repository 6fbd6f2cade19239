// The process's ONNX Runtime environment and the devices configured in it.
#pragma once

#include "dlport/ort.hpp"
#include "ort/api.hpp"

namespace dlport::ort {

/// The environment: one a process, never released (sessions may outlive every static object).
OrtEnv* environment();

/// Where our tensors lie, as ONNX Runtime names it.
const OrtMemoryInfo* host_memory();

/// Session options with the provider of ort:`device`, for a graph of a few nodes. Shared: do not change them.
/// Throws Error{not_found} for an index that is not configured.
const OrtSessionOptions* launch_options(int device);

}  // namespace dlport::ort
