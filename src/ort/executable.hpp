// A compiled graph, with its names laid out for OrtApi::Run.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dlport/error.hpp"
#include "dlport/ort.hpp"
#include "ort/api.hpp"

namespace dlport::ort {

/// The values of one run, released together. Short lists, which nearly all are, need no allocation.
class Values {
 public:
  explicit Values(size_t capacity) {
    if (capacity > inline_.size()) {
      long_.resize(capacity);
      values_ = long_.data();
    }
  }
  ~Values() {
    for (size_t i = 0; i < count_; ++i) {
      if (values_[i]) api::ReleaseValue(values_[i]);
    }
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;

  /// Owns `value` from now on; a null one is a place for ONNX Runtime to fill.
  void add(OrtValue* value) { values_[count_++] = value; }
  ValueHandle take(size_t index) { return ValueHandle(std::exchange(values_[index], nullptr)); }
  OrtValue** data() { return values_; }

 private:
  std::array<OrtValue*, 16> inline_;  // only what was added is ever read
  std::vector<OrtValue*> long_;
  OrtValue** values_ = inline_.data();
  size_t count_ = 0;
};

/// Why a run failed: for an output that was given in the wrong shape, which older releases report as a plain failure,
/// and for anything else about the values Error{invalid_argument}; Error{device} for what went wrong inside.
ErrorCode run_error(const Failure& failure);

class CompiledGraph final : public Executable, public std::enable_shared_from_this<CompiledGraph> {
 public:
  /// `constants` are the tensors whose memory the session reads in place.
  CompiledGraph(SessionHandle session, std::vector<std::string> inputs, std::vector<std::string> outputs,
                std::vector<Tensor> constants);

  void run(std::span<const TensorView> inputs, std::span<const TensorView> outputs) const override;
  std::vector<Tensor> run(std::span<const TensorView> inputs) const override;

 private:
  void check_count(size_t inputs, size_t outputs) const;
  void run(Values& values) const;

  const uint32_t generation_;
  std::vector<Tensor> constants_;  // before the session, so that it goes first
  SessionHandle session_;
  std::vector<std::string> names_;          // of the inputs, then of the outputs
  std::vector<const char*> name_pointers_;  // into names_
  size_t input_count_;
};

}  // namespace dlport::ort
