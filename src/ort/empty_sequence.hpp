// A sequence without elements: the C API cannot make one, but an operator can.
#pragma once

#include "dlport/ort_session.hpp"
#include "ort/api.hpp"

namespace dlport::ort {

/// A sequence of no `element`s. Throws Error{unsupported} where they are not tensors.
ValueHandle empty_sequence(const ValueType& element);

}  // namespace dlport::ort
