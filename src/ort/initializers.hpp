// Tensors that take the place of a model's initializers.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "dlport/tensor.hpp"

namespace dlport::ort {

/// Throws Error{invalid_argument} where one of `given`, by name, is none of the model's initializers, or of another
/// dtype or shape: ONNX Runtime takes no notice of the first, and of the others only when it computes with them.
/// `model` is an ONNX file's content; what it cannot read it leaves to ONNX Runtime to refuse.
void check_initializers(std::string_view model, const std::map<std::string, Tensor>& given);

}  // namespace dlport::ort
