// ONNX Runtime's element types and DLPack's, one table.
#pragma once

#include "dlport/dtype.hpp"
#include "ort/api.hpp"

namespace dlport::ort {

/// Throws Error{unsupported} naming a dtype that ONNX Runtime has no name for.
ElementType element_type(DType dtype);

/// Throws Error{unsupported} for a type that DLPack cannot carry (strings).
DType dtype_of(ElementType type);

}  // namespace dlport::ort
