#include "torch/arguments.hpp"

#include <algorithm>
#include <numeric>

#include "torch/plan_key.hpp"

namespace dlport::pytorch {
namespace {

struct Pair {
  at::ScalarType type;
  DType dtype;
};
constexpr Pair kTypes[] = {
    {at::kByte, uint8},     {at::kChar, int8},    {at::kShort, int16},       {at::kInt, int32},
    {at::kLong, int64},     {at::kHalf, float16}, {at::kBFloat16, bfloat16}, {at::kFloat, float32},
    {at::kDouble, float64}, {at::kBool, boolean}, {at::kUInt16, uint16},     {at::kUInt32, uint32},
    {at::kUInt64, uint64},
};

Value make_number(const c10::IValue& value, const Source& source) {
  const Number number = read_number(value);
  Value result;
  result.dtype = number.dtype;
  result.number = true;
  result.source = source;
  const double real = number.dtype == float64 ? number.real : static_cast<double>(number.integer);
  if (real == 0 || real == 1) result.known = static_cast<int>(real);
  return result;
}

Optional make_tensor(const at::Tensor& tensor, const Source& source, bool as_lying) {
  if (!tensor.defined()) return std::nullopt;
  if (is_number(tensor)) return make_number(c10::IValue(tensor), source);
  Value result;
  result.dtype = dtype_of(tensor.scalar_type());
  result.source = source;
  result.shape = tensor.sizes().vec();
  if (tensor.is_contiguous()) return result;
  const auto order = memory_order(tensor.sizes(), tensor.strides());
  if (!order) return result;  // made row-major first
  if (as_lying) {
    for (size_t i = 0; i < order->size(); ++i) result.shape[i] = tensor.size((*order)[i]);
  } else {
    result.order = *order;
  }
  return result;
}

Argument make_list(c10::ArrayRef<c10::IValue> list, Kind kind, int position, bool as_lying) {
  if (kind == Kind::operand) {
    OptionalValues values;
    for (size_t i = 0; i < list.size(); ++i) {
      const Source source{position, static_cast<int>(i)};
      if (list[i].isNone()) {
        values.emplace_back(std::nullopt);
      } else {
        values.push_back(list[i].isTensor() ? make_tensor(list[i].toTensor(), source, as_lying)
                                            : make_number(list[i], source));
      }
    }
    return values;
  }
  if (!list.empty() && list.front().isDouble()) {
    std::vector<double> values;
    for (const c10::IValue& value : list) values.push_back(value.toDouble());
    return values;
  }
  Dims values;
  for (const c10::IValue& value : list) values.push_back(value.isBool() ? value.toBool() : value.toInt());
  return values;
}

}  // namespace

DType dtype_of(at::ScalarType type) {
  const auto* found = std::ranges::find(kTypes, type, &Pair::type);
  if (found == std::end(kTypes)) decline("a dtype that ONNX does not have");
  return found->dtype;
}

at::ScalarType scalar_type(DType dtype) {
  const auto* found = std::ranges::find(kTypes, dtype, &Pair::dtype);
  if (found == std::end(kTypes)) decline("a dtype that PyTorch does not have");
  return found->type;
}

std::optional<Dims> memory_order(c10::IntArrayRef sizes, c10::IntArrayRef strides) {
  Dims order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  const auto at = [](c10::IntArrayRef list, int64_t axis) { return list[static_cast<size_t>(axis)]; };
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) { return at(strides, a) > at(strides, b); });
  int64_t expected = 1;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    if (at(sizes, *axis) == 1) continue;
    if (at(strides, *axis) != expected) return std::nullopt;
    expected *= at(sizes, *axis);
  }
  return order;
}

Argument make_argument(const c10::IValue& value, Kind kind, int position, bool as_lying) {
  if (value.isNone() || kind == Kind::ignored) return std::monostate{};
  if (value.isTensor()) {
    Optional tensor = make_tensor(value.toTensor(), {position, -1}, as_lying);
    return tensor ? Argument(*tensor) : Argument(std::monostate{});
  }
  if (value.isList()) return make_list(value.toListRef(), kind, position, as_lying);
  if (value.isString()) return value.toStringRef();
  if (kind == Kind::dtype) return dtype_of(static_cast<at::ScalarType>(value.toInt()));
  if (kind == Kind::operand) return make_number(value, {position, -1});
  if (value.isInt()) return value.toInt();
  if (value.isDouble()) return value.toDouble();
  if (value.isBool()) return value.toBool();
  decline("an argument of a kind that lowerings do not take");
}

}  // namespace dlport::pytorch
