// ONNX Runtime's descriptions of types, read into ours.
#pragma once

#include "dlport/ort_session.hpp"
#include "ort/api.hpp"

namespace dlport::ort {

ValueType read_type(const OrtTypeInfo* info);

/// "float32", or "string" where there is no dtype.
std::string dtype_name(const std::optional<DType>& dtype);

}  // namespace dlport::ort
