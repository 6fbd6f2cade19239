// How one kind of call is carried out: a compiled graph, where its inputs come from, where its results go.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <memory>
#include <vector>

#include "dlport/ort.hpp"
#include "torch/variant.hpp"

namespace dlport::pytorch {

struct Plan {
  /// A graph input: where its data comes from, and what it looks like.
  struct Input {
    Source source;
    DType dtype;
    bool is_number = false;
    bool copy = false;  // has gaps or overlaps, so it is made row-major first
    Dims shape;
  };

  /// A result: a new tensor, or one written to.
  struct Output {
    DType dtype;
    at::ScalarType type;
    Dims sizes, strides;  // strides are empty for row-major
    bool defined = true;
    Source target;       // the argument that gets it, if any
    bool direct = true;  // written there by the graph, rather than copied there afterwards
    Dims shape;          // as the graph writes it: sizes in memory's order
  };

  std::shared_ptr<const ort::Executable> executable;  // null: declined
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<Emit::Check> checks;
  bool overwrites = false;
};

/// Plans calls like this one, on ort:`device`. Declines also where the native kernel is the faster one, unless
/// `always`. Sets `is_new` where a graph had to be compiled. Throws Declined.
Plan plan(const Variant& variant, c10::ArrayRef<c10::IValue> arguments, int device, bool always, bool& is_new);

/// The argument, or the element of a list, that `source` names.
inline const c10::IValue& at_source(c10::ArrayRef<c10::IValue> arguments, const Source& source) {
  const c10::IValue& argument = arguments[static_cast<size_t>(source.argument)];
  return source.element < 0 ? argument : argument.toListRef()[static_cast<size_t>(source.element)];
}

}  // namespace dlport::pytorch
