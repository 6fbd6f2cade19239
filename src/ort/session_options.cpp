#include "ort/session_options.hpp"

#include "dlport/error.hpp"
#include "ort/devices.hpp"
#include "ort/environment.hpp"
#include "ort/memory.hpp"

namespace dlport::ort {

MadeOptions make_options(const SessionOptions& options) {
  MadeOptions made{session_options(options.device), {}};
  OrtSessionOptions* raw = made.handle.get();
  if (options.threads < 0) {
    throw Error(ErrorCode::invalid_argument,
                "threads = " + std::to_string(options.threads) + " is negative; 0 shares those of the process");
  }
  if (options.threads == 0) {
    use_shared_threads(raw);
  } else {
    check(api::SetIntraOpNumThreads(raw, options.threads), "threads");
  }
  check(api::SetSessionGraphOptimizationLevel(raw, static_cast<GraphOptimization>(options.optimization)),
        "optimization");
  check(api::SetSessionLogSeverityLevel(raw, options.log_level), "log_level");
  if (!options.optimized_model_path.empty()) {
    check(api::SetOptimizedModelFilePath(raw, options.optimized_model_path.c_str()), "optimized_model_path");
  }
  if (!options.profile_prefix.empty()) {
    check(api::EnableProfiling(raw, options.profile_prefix.c_str()), "profile_prefix");
  }
  for (const std::string& path : options.custom_op_libraries) {
    check(api::RegisterCustomOpsLibrary_V2(raw, path.c_str()), "loading a library of custom operators");
  }
  for (const auto& [name, tensor] : options.initializers) {
    if (!tensor.is_contiguous()) {
      throw Error(ErrorCode::invalid_argument,
                  "initializer '" + name + "' is not row-major, and sharing it takes a copy; make one first");
    }
    made.initializers.emplace_back(make_value(tensor));
    check(api::AddInitializer(raw, name.c_str(), made.initializers.back().get()), "sharing an initializer");
  }
  for (const auto& [name, size] : options.dimensions) {
    check(api::AddFreeDimensionOverrideByName(raw, name.c_str(), size), "fixing a dimension");
  }
  for (const auto& [key, value] : options.config) {
    check(api::AddSessionConfigEntry(raw, key.c_str(), value.c_str()), "session configuration");
  }
  return made;
}

struct RunOptions::Impl {
  RunOptionsHandle handle = create<RunOptionsHandle>(api::CreateRunOptions);
};

RunOptions::RunOptions(const Options& config, const std::string& tag) : impl_(std::make_unique<Impl>()) {
  OrtRunOptions* raw = impl_->handle.get();
  check(api::RunOptionsSetRunLogSeverityLevel(raw, static_cast<int>(LoggingLevel::fatal)), "run options");
  if (!tag.empty()) check(api::RunOptionsSetRunTag(raw, tag.c_str()), "run options");
  for (const auto& [key, value] : config) {
    check(api::AddRunConfigEntry(raw, key.c_str(), value.c_str()), "run configuration");
  }
}
RunOptions::~RunOptions() = default;

void RunOptions::cancel() {
  check(api::RunOptionsSetTerminate(impl_->handle.get()), "cancelling");
}
void RunOptions::reset() {
  check(api::RunOptionsUnsetTerminate(impl_->handle.get()), "run options");
}

const OrtRunOptions* raw_options(const RunOptions* options) {
  return options ? options->impl_->handle.get() : nullptr;
}

}  // namespace dlport::ort
