// The lowering table: for an ATen operator, the function that writes its ONNX graph.
//
//   lower("aten::addcmul", [](Emit& e, Value self, Value a, Value b, Value value) {
//     return e.add(self, e.mul(e.mul(a, b), value));
//   });
//
// The function's parameters are the operator's arguments, and their types say how each is taken:
//   Value, Optional, Values     a tensor or a number whose value is an input of the graph (Scalar arguments too)
//   int64_t, double, bool, ...  a number that is part of the graph: each value makes a graph of its own
//   Dims, DType, std::string    likewise; each also as std::optional
//   Ignored                     an argument that does not matter here
// It is called once for each kind of call. In-place and out= variants come with the functional operator.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "torch/emit.hpp"

namespace dlport::pytorch {

struct Ignored {};
using OptionalValues = std::vector<Optional>;

/// How an argument is taken.
enum class Kind { operand, constant, dtype, ignored };

/// An argument of a call.
using Argument = std::variant<std::monostate, Value, OptionalValues, int64_t, double, bool, Dims, std::vector<double>,
                              DType, std::string>;

/// One operator's lowering.
struct Entry {
  std::vector<Kind> kinds;                                                // one an argument
  std::function<OptionalValues(Emit&, std::span<const Argument>)> write;  // results in order; none: undefined tensors
  bool any_layout = false;
  int64_t native_from = INT64_MAX;  // elements; see crossover.cpp

  /// Says that the operator's results are row-major whatever the layout of its arguments is. (Elementwise ones keep
  /// their arguments' layout; others leave arguments that are not row-major to the native kernel.)
  Entry& takes_any_layout() {
    any_layout = true;
    return *this;
  }
};

namespace detail {

template <class T>
constexpr Kind kind_of() {
  if constexpr (std::is_same_v<T, Value> || std::is_same_v<T, Optional> || std::is_same_v<T, Values> ||
                std::is_same_v<T, OptionalValues>) {
    return Kind::operand;
  } else if constexpr (std::is_same_v<T, DType> || std::is_same_v<T, std::optional<DType>>) {
    return Kind::dtype;
  } else if constexpr (std::is_same_v<T, Ignored>) {
    return Kind::ignored;
  } else {
    return Kind::constant;
  }
}

template <class T>
struct Reader {
  static T read(const Argument& argument) {
    if (const T* value = std::get_if<T>(&argument)) return *value;
    decline("an argument of another kind");
  }
};
template <class T>
struct Reader<std::optional<T>> {
  static std::optional<T> read(const Argument& argument) {
    if (std::holds_alternative<std::monostate>(argument)) return std::nullopt;
    return Reader<T>::read(argument);
  }
};
template <>
struct Reader<double> {  // a Scalar may be an integer
  static double read(const Argument& argument) {
    if (const auto* integer = std::get_if<int64_t>(&argument)) return static_cast<double>(*integer);
    if (const auto* truth = std::get_if<bool>(&argument)) return *truth;
    if (const auto* real = std::get_if<double>(&argument)) return *real;
    decline("a number of another kind");
  }
};
template <>
struct Reader<Values> {
  static Values read(const Argument& argument) {
    Values values;
    for (const Optional& value : Reader<OptionalValues>::read(argument)) {
      if (!value) decline("an undefined tensor in a list");
      values.push_back(*value);
    }
    return values;
  }
};
template <>
struct Reader<Ignored> {
  static Ignored read(const Argument&) { return {}; }
};

inline OptionalValues results(Value value) {
  return {std::move(value)};
}
inline OptionalValues results(OptionalValues values) {
  return values;
}
inline OptionalValues results(const Values& values) {
  return {values.begin(), values.end()};
}
template <class A, class B>
OptionalValues results(std::pair<A, B> values) {
  return {std::move(values.first), std::move(values.second)};
}
template <class... T>
OptionalValues results(std::tuple<T...> values) {
  return std::apply([](auto&... value) { return OptionalValues{std::move(value)...}; }, values);
}

template <class F, class... A>
Entry entry(F write) {
  return {{kind_of<std::remove_cvref_t<A>>()...}, [write](Emit& e, std::span<const Argument> arguments) {
            return [&]<size_t... I>(std::index_sequence<I...>) {
              return results(std::invoke(write, e, Reader<std::remove_cvref_t<A>>::read(arguments[I])...));
            }(std::index_sequence_for<A...>());
          }};
}

template <class F, class R, class... A>
Entry entry_of(F write, R (F::*)(Emit&, A...) const) {
  return entry<F, A...>(std::move(write));
}

}  // namespace detail

/// All entries by operator ("aten::add.Tensor"), filled once.
const std::map<std::string, Entry, std::less<>>& table();

/// Adds the lowering of `name`: a lambda, a function or a method of Emit. Returns the entry for further settings.
Entry& add_entry(std::string name, Entry entry);

template <class F>
Entry& lower(std::string name, F write) {
  return add_entry(std::move(name), detail::entry_of(write, &F::operator()));
}
template <class R, class... A>
Entry& lower(std::string name, R (*write)(Emit&, A...)) {
  return add_entry(std::move(name), detail::entry<R (*)(Emit&, A...), A...>(write));
}
template <class R, class... A>
Entry& lower(std::string name, R (Emit::*write)(A...)) {
  return add_entry(std::move(name), detail::entry<R (Emit::*)(A...), A...>(write));
}

}  // namespace dlport::pytorch
