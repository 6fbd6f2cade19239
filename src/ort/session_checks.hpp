// What is checked before a run, so that a wrong value is refused in words that name it.
#pragma once

#include <span>
#include <string_view>

#include "dlport/ort_session.hpp"

namespace dlport::ort {

/// The tensor's kind, dtype, rank, fixed dimensions and device fit `info`. Throws Error{invalid_argument}.
void check_input(const ValueInfo& info, const TensorView& tensor, const DeviceInfo& device);

/// As check_input, and `tensor` can be written row-major without touching `inputs`.
void check_output(const ValueInfo& info, const TensorView& tensor, const DeviceInfo& device,
                  std::span<const TensorView> inputs);

/// `tensor` can be written row-major without touching `inputs`; `what` names it. Throws Error{invalid_argument}.
void check_writable(std::string_view what, const TensorView& tensor, std::span<const TensorView> inputs);

/// A value that is not a tensor of numbers is of the kind that `info` takes.
void check_kind(const ValueInfo& info, const Datum& datum);

/// The output has a form outside of ONNX Runtime. Throws Error{unsupported}.
void check_readable(const ValueInfo& info);

/// All that the model needs was given, and nothing that it has no input for.
void check_given(const Session::Impl& session, std::span<const Datum> inputs);

}  // namespace dlport::ort
