// Writes a lowering's ONNX graph. Every method adds a node and works out what its result looks like, so that a lowering
// never says a dtype or a shape that follows from its operands.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "dlport/ort.hpp"
#include "torch/declined.hpp"
#include "torch/promotion.hpp"
#include "torch/window.hpp"

namespace dlport::pytorch {

using Dims = std::vector<int64_t>;

/// Where the data of a graph input comes from when the graph runs: a tensor or a number among the call's arguments,
/// or an element of a list there.
struct Source {
  int argument = -1;
  int element = -1;  // -1: the argument itself
  auto operator<=>(const Source&) const = default;
};

/// A tensor in the graph, as PyTorch sees it. Small; passed by value.
struct Value {
  Value() = default;
  Value(double value) : dtype(float64), number(true), literal(value) {}  // NOLINT: so that e.mul(x, 0.5) reads well
  Value(int value) : dtype(int64), number(true), literal(value) {}       // NOLINT

  DType dtype;
  Dims shape;
  bool number = false;            // a number of Python's, or as good as one: counts least in promotion
  std::optional<double> literal;  // a number that the lowering itself brings along
  std::optional<int> known;       // an argument's value where that is 0 or 1, which lowerings treat specially
  Source source;                  // of an argument
  Dims order;                   // of an argument: the axes in the order in which memory holds them (empty: as they are)
  ort::Value id = ort::absent;  // in the graph, once a node has used it
  DType stored;                 // dtype of `id`: half types and narrow integers are computed in wider ones

  int rank() const { return static_cast<int>(shape.size()); }
  int64_t numel() const { return dlport::numel(shape); }
  bool is_known(int value) const { return known == value || literal == value; }
};

using Values = std::vector<Value>;
using Optional = std::optional<Value>;
using Attributes = std::vector<ort::Attribute>;

class Emit {
 public:
  /// `static_shapes` has inputs with the sizes at hand, for providers that want a graph for each shape; else a graph
  /// serves every shape of the same ranks.
  Emit(DType default_float, bool static_shapes) : default_float_(default_float), static_shapes_(static_shapes) {}

  // --- Numbers and dtypes
  /// Constants of int64, 1-d.
  Value indices(const Dims& values);
  /// A constant of `dtype`, 0-d.
  Value constant(double value, DType dtype);
  /// `value` everywhere.
  Value full(const Dims& shape, const Value& value, DType dtype);
  Value full_like(const Value& x, const Value& value);
  Value cast(const Value& x, DType dtype);
  /// Integers become the default float.
  Value to_float(const Value& x);
  /// PyTorch's bool(x): anything but zero.
  Value to_bool(const Value& x);
  DType result_type(std::initializer_list<Value> operands) const;
  DType default_float() const { return default_float_; }

  // --- Pointwise. Operands promote and broadcast as PyTorch's do.
  Value unary(std::string_view op, const Value& x, Attributes attributes = {});
  Value binary(std::string_view op, const Value& a, const Value& b, Attributes attributes = {});
  Value compare(std::string_view op, const Value& a, const Value& b);  // -> bool
  Value logical(std::string_view op, const Value& a, const Value& b);  // -> bool
  Value where(const Value& condition, const Value& a, const Value& b);
  /// Of x as float: nan, inf.
  Value is_nan(const Value& x);
  Value is_inf(const Value& x, bool negative = true, bool positive = true);
  Value logical_not(const Value& x);

  Value add(const Value& a, const Value& b) { return binary("Add", a, b); }
  Value sub(const Value& a, const Value& b) { return binary("Sub", a, b); }
  Value mul(const Value& a, const Value& b) { return binary("Mul", a, b); }
  Value div(const Value& a, const Value& b);  // true division: integers become floats
  Value max(const Value& a, const Value& b);  // nan where either is
  Value min(const Value& a, const Value& b);
  Value pow(const Value& a, const Value& b) { return binary("Pow", a, b); }
  Value neg(const Value& x) { return unary("Neg", x); }
  Value exp(const Value& x) { return unary("Exp", to_float(x)); }
  Value log(const Value& x) { return unary("Log", to_float(x)); }
  Value sqrt(const Value& x) { return unary("Sqrt", to_float(x)); }
  Value tanh(const Value& x) { return unary("Tanh", to_float(x)); }
  Value erf(const Value& x) { return unary("Erf", to_float(x)); }
  Value abs(const Value& x) { return unary("Abs", x); }
  Value sigmoid(const Value& x) { return unary("Sigmoid", to_float(x)); }
  Value reciprocal(const Value& x) { return unary("Reciprocal", to_float(x)); }
  Value square(const Value& x) { return mul(x, x); }
  Value lt(const Value& a, const Value& b) { return compare("Less", a, b); }
  Value le(const Value& a, const Value& b) { return compare("LessOrEqual", a, b); }
  Value gt(const Value& a, const Value& b) { return compare("Greater", a, b); }
  Value ge(const Value& a, const Value& b) { return compare("GreaterOrEqual", a, b); }
  Value eq(const Value& a, const Value& b) { return compare("Equal", a, b); }
  Value ne(const Value& a, const Value& b) { return logical_not(eq(a, b)); }

  // --- Axes
  /// `axis` counted from the front. Declines one that is out of range, and every axis of a 0-dim tensor.
  int64_t axis(const Value& x, int64_t axis) const;
  /// Sorted; all of them where `axes` is empty. A 0-dim tensor has none, though PyTorch lets one name its axis 0 or -1.
  /// Declines repeated ones.
  Dims axes(const Value& x, const Dims& axes) const;

  // --- Reductions; `axes` count from the front
  Value reduce(std::string_view op, const Value& x, const Dims& axes, bool keepdim);
  Value sum(const Value& x, const Dims& axes, bool keepdim = false) { return reduce("ReduceSum", x, axes, keepdim); }
  Value mean(const Value& x, const Dims& axes, bool keepdim = false) { return reduce("ReduceMean", x, axes, keepdim); }
  /// "ReduceMax" or "ReduceMin"; nan where any is.
  Value extreme(std::string_view op, const Value& x, const Dims& axes, bool keepdim);
  /// "ArgMax" or "ArgMin": the first position, that of a nan where there is one.
  Value arg(std::string_view op, const Value& x, int64_t axis, bool keepdim);
  Value cumsum(const Value& x, int64_t axis);
  /// Values and their positions.
  std::pair<Value, Value> topk(const Value& x, int64_t k, int64_t axis, bool largest, bool sorted);

  // --- Moving data: no arithmetic, any dtype
  Value reshape(const Value& x, const Dims& shape);
  Value transpose(const Value& x, const Dims& order);
  Value swap(const Value& x, int64_t a, int64_t b);
  Value squeeze(const Value& x, const Dims& axes);
  Value unsqueeze(const Value& x, const Dims& axes);  // which count in the result
  Value expand(const Value& x, const Dims& shape);
  Value concat(const Values& xs, int64_t axis);
  Value slice(const Value& x, int64_t axis, int64_t start, int64_t end, int64_t step = 1);
  /// `before` and `after` have one entry an axis; negative ones crop.
  Value pad(const Value& x, const Dims& before, const Dims& after, const Value& value);
  Value pad_from_edges(const Value& x, const Dims& before, const Dims& after, std::string mode);
  Value tile(const Value& x, const Dims& repeats);
  Value triangle(const Value& x, int64_t diagonal, bool upper);

  // --- Indexing
  Value gather(const Value& x, const Value& index, int64_t axis);           // whole slices
  Value gather_elements(const Value& x, const Value& index, int64_t axis);  // torch.gather
  Value gather_nd(const Value& x, const Value& index);
  Value scatter_elements(const Value& x, const Value& index, const Value& source, int64_t axis,
                         std::string reduction = "none");
  Value scatter_nd(const Value& x, const Value& index, const Value& source, std::string reduction = "none");
  /// Has the argument `index` checked for low <= index < high (or `except`) before each run; where it fails the native
  /// kernel takes the call, and raises.
  Value checked(const Value& index, int64_t low, int64_t high, std::optional<int64_t> except = {});
  /// Leaves calls whose argument `x` holds a nan to the native kernel, because ONNX Runtime passes over them. False
  /// where that cannot be checked: `x` was computed, or is of a half type.
  bool refuse_nan(const Value& x);
  /// 0, 1, ...
  Value range(int64_t count);

  // --- Linear algebra and neural networks
  Value matmul(const Value& a, const Value& b);
  /// alpha * a * b + beta * c, of matrices.
  Value gemm(const Value& a, const Value& b, const Value& c, double alpha, double beta);
  Value softmax(std::string_view op, const Value& x, int64_t axis);  // "Softmax", "LogSoftmax"
  Value conv(const Value& x, const Value& weight, const Optional& bias, const Window& window, int64_t groups);
  Value conv_transpose(const Value& x, const Value& weight, const Optional& bias, const Window& window,
                       const Dims& output_padding, int64_t groups);

  /// Any node. The result has `dtype` as PyTorch sees it; operands are passed on as they are stored.
  Value node(std::string_view op, std::initializer_list<Optional> inputs, DType dtype, Dims shape,
             Attributes attributes = {}, std::string_view domain = "");
  struct Type {
    DType dtype;
    Dims shape;
  };
  Values nodes(std::string_view op, const std::vector<Optional>& inputs, const std::vector<Type>& outputs,
               Attributes attributes = {}, std::string_view domain = "");

  /// `x` ready for arithmetic: half types as float32, narrow integers as int32 (see compute_type).
  Value arithmetic(const Value& x);
  /// `x` in its own dtype.
  Value exact(const Value& x);

  /// Writes to the argument `target` besides what the operator returns, as batch norm does to its statistics.
  void update(const Value& target, const Value& value) { updates_.push_back({target.source, value}); }

  // --- What became of it
  void output(const Value& value);

  /// What has to be handed to the graph, in order of its inputs.
  struct Input {
    Source source;
    DType dtype;  // numbers are converted to it
    bool is_number;
  };
  /// What has to hold of an argument before each run: positions lie in a range, floats are numbers.
  struct Check {
    Source argument;
    int64_t low, high;
    std::optional<int64_t> except;
  };
  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<Check>& checks() const { return checks_; }
  const std::vector<std::pair<Source, Value>>& updates() const { return updates_; }
  const ort::Graph& graph() const { return graph_; }
  /// Two graphs with the same signature are the same program: shapes are in it only where a node or an input bakes them
  /// in.
  const std::string& signature() const { return signature_; }
  /// True while every node computes each element from the elements at the same place: such a graph may write over an
  /// input of the result's shape, and may run on tensors of any common layout.
  bool elementwise() const { return elementwise_; }
  /// True where output `output` may be written over the argument `source`: the graph is elementwise, and no node reads
  /// the argument but on the way to that output.
  bool may_overwrite(const Source& source, size_t output) const;

 private:
  struct Node {
    std::vector<ort::Value> inputs, outputs;
  };

  Value materialise(const Value& x);
  Value converted(const Value& x, DType stored);
  Value promoted(const Value& x, DType dtype);
  Value pointwise(std::string_view op, std::initializer_list<Value> inputs, DType dtype, Attributes attributes = {});
  ort::Value add_input(DType dtype, const Dims& shape);
  ort::Value add_constant(Tensor tensor);
  Dims broadcast_shape(std::initializer_list<Value> inputs) const;

  DType default_float_;
  bool static_shapes_;
  ort::Graph graph_;
  std::string signature_;
  bool elementwise_ = true;
  std::vector<Node> nodes_;
  std::vector<ort::Value> outputs_;
  std::vector<Input> inputs_;
  std::vector<Check> checks_;
  std::vector<std::pair<Source, Value>> updates_;
  std::map<std::pair<Source, int>, Value> used_;           // by source and dtype
  std::map<std::pair<ort::Value, int>, Value> converted_;  // by value and dtype
};

}  // namespace dlport::pytorch
