// ONNX operators as the driver interface names them: a name, and attributes as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dlport/ort_launch.hpp"

namespace dlport::ort {

/// `name` is "Op" or "domain::Op"; `options` are attributes, "axis=1;alpha=0.5;perm=[1,0];mode=linear": an integer, a
/// number with a point or exponent, a list of one of these, or text. "outputs=2" says that it has two (default one).
class OperatorText {
 public:
  /// Throws Error{invalid_argument} naming the part of `options` that is no attribute.
  OperatorText(std::string_view name, std::string_view options, int device);

  size_t outputs() const noexcept { return outputs_; }
  void launch(std::span<const Operand> inputs, std::span<const TensorView> outputs) const;

 private:
  std::string op_, domain_;
  std::vector<Attribute> attributes_;
  size_t outputs_ = 1;
  int device_;
};

}  // namespace dlport::ort
