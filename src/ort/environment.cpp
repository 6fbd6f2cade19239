#include "ort/environment.hpp"

#include <pthread.h>

#include <atomic>
#include <string>
#include <thread>

#include "dlport/error.hpp"

namespace dlport::ort {
namespace {

std::atomic<uint32_t> forks{0};

OrtEnv* create_environment() {
  auto options = create<ThreadingOptionsHandle>(api::CreateThreadingOptions);
  // One pool for all sessions: a pool each would make as many threads as there are operators. Its threads sleep while
  // idle, because they share the cores with the framework's own.
  check(api::SetGlobalIntraOpNumThreads(options.get(), static_cast<int>(std::thread::hardware_concurrency())),
        "threads");
  check(api::SetGlobalInterOpNumThreads(options.get(), 1), "threads");
  check(api::SetGlobalSpinControl(options.get(), 0), "threads");
  OrtEnv* environment = nullptr;
  check(api::CreateEnvWithGlobalThreadPools(LoggingLevel::error, "dlport", options.get(), &environment),
        "starting ONNX Runtime");
  pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  return environment;
}

}  // namespace

OrtEnv* environment() {
  static OrtEnv* const made = create_environment();
  return made;
}

uint32_t generation() noexcept {
  return forks.load(std::memory_order_relaxed);
}

void check_generation(uint32_t made_in, const char* what) {
  if (made_in == generation()) return;
  throw Error(ErrorCode::device, "this " + std::string(what) +
                                     " was made before the process forked, and its threads stayed in the parent; "
                                     "make a new one in the child, or start workers by 'spawn'");
}

void use_shared_threads(OrtSessionOptions* options) {
  if (generation() == 0) check(api::DisablePerSessionThreads(options), "session options");
}

}  // namespace dlport::ort
