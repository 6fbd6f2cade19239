// Values that hold nothing: the C API cannot make them, but operators can.
#pragma once

#include "dlport/ort_session.hpp"
#include "ort/api.hpp"

namespace dlport::ort {

/// A sequence of no `element`s, which have to be tensors.
ValueHandle empty_sequence(const ValueType& element);

/// An optional of `type` without a value.
ValueHandle empty_optional(const ValueType& type);

}  // namespace dlport::ort
