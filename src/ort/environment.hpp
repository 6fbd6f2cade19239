// The process's ONNX Runtime environment: one, with one pool of threads for all sessions.
#pragma once

#include <cstdint>

#include "ort/api.hpp"

namespace dlport::ort {

/// The environment: one a process, never released (sessions may outlive every static object).
OrtEnv* environment();

/// How often this process is a fork of the one that opened the environment: 0 in that one.
/// What was compiled in another generation waits for threads that a fork does not take along.
uint32_t generation() noexcept;

/// Throws Error{device} saying that `what` ("session", ...) is of the process before the fork, if it is.
void check_generation(uint32_t made_in, const char* what);

/// Gives `options` the environment's threads or, in a forked child, which has lost them, a pool of its own.
void use_shared_threads(OrtSessionOptions* options);

}  // namespace dlport::ort
