// A session with its names laid out for OrtApi::Run, and values over memory that we own.
#pragma once

#include <string>
#include <vector>

#include "dlport/ort.hpp"
#include "ort/api.hpp"

namespace dlport::ort {

/// An OrtValue over `tensor`'s memory, which has to be row-major; the caller releases it and keeps the memory alive.
OrtValue* make_value(const TensorView& tensor);

class CompiledGraph final : public Executable {
 public:
  /// `constants` are the tensors whose memory the session reads in place.
  CompiledGraph(SessionHandle session, std::vector<std::string> inputs, std::vector<std::string> outputs,
                std::vector<Tensor> constants);

  void run(std::span<const TensorView> inputs, std::span<const TensorView> outputs) const override;

 private:
  std::vector<Tensor> constants_;  // before the session, so that it goes first
  SessionHandle session_;
  std::vector<std::string> names_;          // of the inputs, then of the outputs
  std::vector<const char*> name_pointers_;  // into names_
  size_t input_count_;
};

}  // namespace dlport::ort
