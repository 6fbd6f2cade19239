// Values of every kind as OrtValues and back.
#pragma once

#include <memory>
#include <vector>

#include "dlport/ort_session.hpp"
#include "ort/api.hpp"

namespace dlport::ort {

/// What `datum` is, in an error's words: "float32 (3, 4)", "string (2,)", "sequence of 3", ...
std::string describe(const Datum& datum);

/// An OrtValue of `type` over `datum`, whose memory has to outlive it, as have the `copies` of tensors that are not
/// row-major.
ValueHandle to_value(const Datum& datum, const ValueType& type, std::vector<Tensor>& copies);

/// The value as ours; tensors keep it and `owner` alive. Throws Error{unsupported} for sparse tensors and opaque
/// values.
Datum from_value(ValueHandle value, const std::shared_ptr<const void>& owner);

}  // namespace dlport::ort
