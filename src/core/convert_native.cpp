#include <array>
#include <complex>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/convert.hpp"
#include "core/each.hpp"

namespace dlport::detail {
namespace {

/// A byte that counts as true unless it is 0; reading a foreign byte as C++'s own bool would need it to be 0 or 1.
enum class Boolean : uint8_t {};

template <class T>
struct Native {
  using Type = T;
  DType dtype;
};

constexpr auto kNatives =
    std::tuple(Native<Boolean>{boolean}, Native<int8_t>{int8}, Native<int16_t>{int16}, Native<int32_t>{int32},
               Native<int64_t>{int64}, Native<uint8_t>{uint8}, Native<uint16_t>{uint16}, Native<uint32_t>{uint32},
               Native<uint64_t>{uint64}, Native<float>{float32}, Native<double>{float64},
               Native<std::complex<float>>{complex64}, Native<std::complex<double>>{complex128});
constexpr size_t kCount = std::tuple_size_v<decltype(kNatives)>;

template <size_t kIndex>
using NativeType = typename std::tuple_element_t<kIndex, decltype(kNatives)>::Type;

template <class T>
struct is_complex : std::false_type {};
template <class T>
struct is_complex<std::complex<T>> : std::true_type {};

template <class To, class From>
To converted(From value) noexcept {
  if constexpr (is_complex<From>::value && !is_complex<To>::value) {
    if constexpr (std::is_same_v<To, Boolean>) return Boolean{value.real() != 0 || value.imag() != 0};
    return converted<To>(value.real());
  } else if constexpr (is_complex<To>::value) {
    using Part = typename To::value_type;
    if constexpr (is_complex<From>::value)
      return {static_cast<Part>(value.real()), static_cast<Part>(value.imag())};
    else
      return {converted<Part>(value), 0};
  } else if constexpr (std::is_same_v<From, Boolean>) {
    return static_cast<To>(static_cast<uint8_t>(value) != 0);
  } else if constexpr (std::is_same_v<To, Boolean>) {
    return Boolean{value != 0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && sizeof(To) < 4) {
    return static_cast<To>(static_cast<int32_t>(value));  // so that -1.0 becomes 255, as an integer -1 would
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
constexpr Convert convert = Each<converted<To, From>, To, From>::run;

template <size_t... kPairs>
constexpr std::array<Convert, kCount * kCount> all_conversions(std::index_sequence<kPairs...>) {
  return {convert<NativeType<kPairs / kCount>, NativeType<kPairs % kCount>>...};
}

constexpr auto kConversions = all_conversions(std::make_index_sequence<kCount * kCount>());

/// The place of a dtype among the natives, or kCount.
size_t index_of(DType dtype) noexcept {
  return std::apply(
      [&](auto... native) {
        size_t index = 0;
        (void)((native.dtype == dtype || (++index, false)) || ...);
        return index;
      },
      kNatives);
}

}  // namespace

Convert native_conversion(DType to, DType from) noexcept {
  const size_t row = index_of(to), column = index_of(from);
  return row < kCount && column < kCount ? kConversions[row * kCount + column] : nullptr;
}

}  // namespace dlport::detail
