#include "torch/emit.hpp"

#include <algorithm>
#include <cstring>
#include <set>

namespace dlport::pytorch {
namespace {

/// A dtype as a map's key.
int key(DType dtype) {
  return dtype.code << 8 | dtype.bits;
}

/// ONNX's number for an element type, as the attribute `to` of Cast wants it.
int64_t onnx_type(DType dtype) {
  static const std::map<int, int64_t> types = {
      {key(float32), 1}, {key(uint8), 2},   {key(int8), 3},     {key(uint16), 4},   {key(int16), 5},
      {key(int32), 6},   {key(int64), 7},   {key(boolean), 9},  {key(float16), 10}, {key(float64), 11},
      {key(uint32), 12}, {key(uint64), 13}, {key(bfloat16), 16}};
  const auto found = types.find(key(dtype));
  if (found == types.end()) decline("ONNX Runtime has no kernels for " + to_string(dtype));
  return found->second;
}

template <class T>
void write_number(double number, DType dtype, void* data) {
  const T value = static_cast<T>(number);
  std::memcpy(data, &value, static_cast<size_t>(dtype.itemsize()));
}

template <class T>
void append(std::string& text, const T& value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_text(std::string& text, std::string_view value) {
  text += value;
  text += '\0';
}

void append_attribute(std::string& text, const ort::Attribute& attribute) {
  append_text(text, attribute.name);
  struct Visitor {
    std::string& text;
    void operator()(int64_t value) const { append(text, value); }
    void operator()(float value) const { append(text, value); }
    void operator()(const std::string& value) const { append_text(text, value); }
    void operator()(const std::vector<int64_t>& values) const {
      append(text, values.size());
      for (int64_t value : values) append(text, value);
    }
    void operator()(const std::vector<float>& values) const {
      append(text, values.size());
      for (float value : values) append(text, value);
    }
    void operator()(const std::vector<std::string>& values) const {
      append(text, values.size());
      for (const std::string& value : values) append_text(text, value);
    }
    void operator()(const Tensor&) const { decline("a tensor as an attribute"); }
    void operator()(const std::shared_ptr<const ort::Graph>&) const { decline("a graph as an attribute"); }
  };
  std::visit(Visitor{text}, attribute.value);
}

}  // namespace

// --- The graph

ort::Value Emit::add_input(DType dtype, const Dims& shape) {
  const Dims any(shape.size(), -1);
  const Dims& declared = static_shapes_ ? shape : any;
  signature_ += "input ";
  append(signature_, key(dtype));
  append(signature_, declared.size());
  for (int64_t dim : declared) append(signature_, dim);
  return graph_.input(dtype, declared);
}

ort::Value Emit::add_constant(Tensor tensor) {
  signature_ += "constant ";
  append(signature_, key(tensor.dtype()));
  append(signature_, tensor.ndim());
  for (int64_t dim : tensor.shape()) append(signature_, dim);
  signature_.append(static_cast<const char*>(tensor.data()), static_cast<size_t>(tensor.nbytes()));
  return graph_.constant(std::move(tensor));
}

Value Emit::constant(double number, DType dtype) {
  const DType stored = is_bool(dtype) ? boolean : compute_type(dtype);
  Tensor tensor = Tensor::empty({}, stored);
  if (stored == float32) write_number<float>(number, stored, tensor.data());
  if (stored == float64) write_number<double>(number, stored, tensor.data());
  if (stored == int32) write_number<int32_t>(number, stored, tensor.data());
  if (stored == int64) write_number<int64_t>(number, stored, tensor.data());
  if (stored == boolean) write_number<bool>(number, stored, tensor.data());
  Value result;
  result.dtype = dtype;
  result.stored = stored;
  result.id = add_constant(std::move(tensor));
  return result;
}

Value Emit::indices(const Dims& values) {
  const int64_t count = static_cast<int64_t>(values.size());
  Tensor tensor = Tensor::empty({&count, 1}, int64);
  std::copy(values.begin(), values.end(), static_cast<int64_t*>(tensor.data()));
  Value result;
  result.dtype = result.stored = int64;
  result.shape = {count};
  result.id = add_constant(std::move(tensor));
  return result;
}

Value Emit::materialise(const Value& x) {
  if (x.id != ort::absent) return x;
  if (x.literal) return constant(*x.literal, x.dtype);
  Value result = x;
  result.stored = !x.number ? x.dtype : is_bool(x.dtype) ? boolean : compute_type(x.dtype);
  const auto [slot, is_new] = used_.try_emplace({x.source, key(result.stored)}, Value{});
  if (!is_new) return slot->second;

  inputs_.push_back({x.source, result.stored, x.number});
  result.number = false;
  if (x.order.empty()) {
    result.id = add_input(result.stored, x.shape);
  } else {  // memory holds the axes in another order: take it as it lies, and turn it
    Value lying = result;
    Dims back(x.order.size());
    for (size_t i = 0; i < x.order.size(); ++i) {
      lying.shape[i] = x.shape[static_cast<size_t>(x.order[i])];
      back[static_cast<size_t>(x.order[i])] = static_cast<int64_t>(i);
    }
    lying.order.clear();
    lying.id = add_input(result.stored, lying.shape);
    const bool elementwise = elementwise_;
    result.id = transpose(lying, back).id;
    elementwise_ = elementwise;
  }
  return used_[{x.source, key(result.stored)}] = result;
}

Values Emit::nodes(std::string_view op, const std::vector<Optional>& inputs, const std::vector<Type>& outputs,
                   Attributes attributes, std::string_view domain) {
  elementwise_ = false;
  Node node;
  for (const Optional& input : inputs) node.inputs.push_back(input ? materialise(*input).id : ort::absent);
  while (!node.inputs.empty() && node.inputs.back() == ort::absent) node.inputs.pop_back();
  append_text(signature_, op);
  append_text(signature_, domain);
  for (ort::Value input : node.inputs) append(signature_, input);
  for (const ort::Attribute& attribute : attributes) append_attribute(signature_, attribute);
  append(signature_, outputs.size());
  node.outputs = graph_.node(op, node.inputs, static_cast<int>(outputs.size()), std::move(attributes), domain);
  Values results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Value result;
    result.dtype = result.stored = outputs[i].dtype;
    result.shape = outputs[i].shape;
    result.id = node.outputs[i];
    results.push_back(std::move(result));
  }
  nodes_.push_back(std::move(node));
  return results;
}

Value Emit::node(std::string_view op, std::initializer_list<Optional> inputs, DType dtype, Dims shape,
                 Attributes attributes, std::string_view domain) {
  return nodes(op, inputs, {{dtype, std::move(shape)}}, std::move(attributes), domain).front();
}

void Emit::output(const Value& value) {
  Value result = exact(value);
  const bool computed = std::ranges::any_of(
      nodes_, [&](const Node& node) { return std::ranges::find(node.outputs, result.id) != node.outputs.end(); });
  if (!computed || std::ranges::find(outputs_, result.id) != outputs_.end()) {
    const bool elementwise = elementwise_;
    result = node("Identity", {result}, result.dtype, result.shape);
    elementwise_ = elementwise;
  }
  graph_.output(result.id, result.dtype, Dims(result.shape.size(), -1));
  signature_ += "output ";
  append(signature_, result.id);
  outputs_.push_back(result.id);
}

bool Emit::may_overwrite(const Source& source, size_t output) const {
  if (!elementwise_) return false;
  // What the output needs, found from the back: nodes are in topological order.
  std::set<ort::Value> needed{outputs_[output]};
  std::set<const Node*> ancestors;
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    if (std::ranges::none_of(node->outputs, [&](ort::Value value) { return needed.contains(value); })) continue;
    ancestors.insert(&*node);
    needed.insert(node->inputs.begin(), node->inputs.end());
  }
  for (const auto& [use, value] : used_) {
    if (use.first != source) continue;
    for (const Node& node : nodes_) {
      if (std::ranges::find(node.inputs, value.id) != node.inputs.end() && !ancestors.contains(&node)) return false;
    }
  }
  return true;
}

// --- Dtypes

Value Emit::converted(const Value& x, DType stored) {
  Value source = materialise(x);
  if (source.stored == stored) return source;
  const auto [slot, is_new] = converted_.try_emplace({source.id, key(stored)}, Value{});
  if (is_new) {
    const bool elementwise = elementwise_;
    Value result = node("Cast", {source}, source.dtype, source.shape, {{"to", onnx_type(stored)}});
    elementwise_ = elementwise;
    result.stored = stored;
    slot->second = result;
  }
  return slot->second;
}

Value Emit::arithmetic(const Value& x) {
  return converted(x, compute_type(x.dtype));
}

Value Emit::exact(const Value& x) {
  return converted(x, x.dtype);
}

Value Emit::cast(const Value& x, DType dtype) {
  if (x.dtype == dtype && !x.number) return x;
  Value result = x;
  if (x.id == ort::absent && x.number) {  // converted on the way in
    result.dtype = dtype;
    return materialise(result);
  }
  // An integer may have been computed in a wider one, and has to wrap around before it becomes something else.
  result = converted(is_integral(x.dtype) ? exact(x) : x, dtype);
  result.dtype = dtype;
  result.number = false;
  return result;
}

Value Emit::to_float(const Value& x) {
  return is_integral(x.dtype) || x.number ? cast(x, default_float_) : x;
}

Value Emit::to_bool(const Value& x) {
  return cast(x, boolean);
}

DType Emit::result_type(std::initializer_list<Value> values) const {
  std::vector<Operand> operands;
  for (const Value& value : values) {
    operands.push_back({value.dtype, value.number          ? Rank::number
                                     : value.shape.empty() ? Rank::scalar
                                                           : Rank::dimensioned});
  }
  return pytorch::result_type(operands, default_float_);
}

// --- Pointwise

Dims Emit::broadcast_shape(std::initializer_list<Value> inputs) const {
  Dims shape;
  for (const Value& input : inputs) {
    auto joined = broadcast(shape, input.shape);
    if (!joined)
      decline("shapes " + to_string(Shape(shape)) + " and " + to_string(Shape(input.shape)) + " do not broadcast");
    shape = std::move(*joined);
  }
  return shape;
}

Value Emit::pointwise(std::string_view op, std::initializer_list<Value> inputs, DType dtype, Attributes attributes) {
  std::vector<Optional> operands;
  for (const Value& input : inputs) operands.emplace_back(arithmetic(input));
  const bool elementwise = elementwise_;
  const DType stored = operands.front()->stored;
  Value result = nodes(op, operands, {{dtype, broadcast_shape(inputs)}}, std::move(attributes)).front();
  elementwise_ = elementwise;
  result.stored = is_bool(dtype) ? boolean : stored;
  return result;
}

Value Emit::unary(std::string_view op, const Value& x, Attributes attributes) {
  Value result = pointwise(op, {x}, x.dtype, std::move(attributes));
  if (is_bool(x.dtype)) result.stored = int32;
  return result;
}

Value Emit::binary(std::string_view op, const Value& a, const Value& b, Attributes attributes) {
  const DType dtype = result_type({a, b});
  Value result = pointwise(op, {cast(a, dtype), cast(b, dtype)}, dtype, std::move(attributes));
  if (is_bool(dtype)) result.stored = int32;
  return result;
}

Value Emit::compare(std::string_view op, const Value& a, const Value& b) {
  const DType dtype = result_type({a, b});
  return pointwise(op, {cast(a, dtype), cast(b, dtype)}, boolean);
}

Value Emit::logical(std::string_view op, const Value& a, const Value& b) {
  const bool elementwise = elementwise_;
  Value result = node(op, {to_bool(a), to_bool(b)}, boolean, broadcast_shape({a, b}));
  elementwise_ = elementwise;
  return result;
}

Value Emit::logical_not(const Value& x) {
  const bool elementwise = elementwise_;
  Value result = node("Not", {to_bool(x)}, boolean, x.shape);
  elementwise_ = elementwise;
  return result;
}

Value Emit::where(const Value& condition, const Value& a, const Value& b) {
  const DType dtype = result_type({a, b});
  const Value yes = arithmetic(cast(a, dtype)), no = arithmetic(cast(b, dtype));
  const bool elementwise = elementwise_;
  Value result = node("Where", {to_bool(condition), yes, no}, dtype, broadcast_shape({condition, a, b}));
  elementwise_ = elementwise;
  result.stored = yes.stored;
  return result;
}

Value Emit::is_nan(const Value& x) {
  return pointwise("IsNaN", {to_float(x)}, boolean);
}

Value Emit::is_inf(const Value& x, bool negative, bool positive) {
  return pointwise("IsInf", {to_float(x)}, boolean,
                   {{"detect_negative", int64_t{negative}}, {"detect_positive", int64_t{positive}}});
}

Value Emit::div(const Value& a, const Value& b) {
  const DType dtype = result_type({a, b});
  const DType quotient = is_floating(dtype) ? dtype : default_float_;
  return binary("Div", cast(a, quotient), cast(b, quotient));
}

Value Emit::max(const Value& a, const Value& b) {
  return binary("Max", a, b);
}

Value Emit::min(const Value& a, const Value& b) {
  return binary("Min", a, b);
}

}  // namespace dlport::pytorch
