#include <array>
#include <bit>
#include <cmath>
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

/// `value` or, where it has more bits than a double, another of the same side of every number of up to 41 bits.
template <class Integer>
double as_double(Integer value) noexcept {
  if constexpr (sizeof(Integer) == 8) {
    constexpr Integer kDropped = 0x7ff, kLarge = Integer{1} << 53;
    const bool large = value >= kLarge || (std::is_signed_v<Integer> && value <= static_cast<Integer>(-kLarge));
    if (large && (value & kDropped)) value = static_cast<Integer>((value & ~kDropped) | 0x400);
  }
  return static_cast<double>(value);
}

float rounded_to_odd(double value) noexcept {
  const auto nearest = static_cast<float>(value);
  const double taken = nearest;
  auto bits = std::bit_cast<uint32_t>(nearest);
  if (std::abs(taken) > std::abs(value)) --bits;  // now the one towards zero
  if (taken != value) bits |= 1;
  return std::bit_cast<float>(bits);
}

template <class To, class From, Rounding kRounding>
To converted(From value) noexcept {
  if constexpr (is_complex<From>::value && !is_complex<To>::value) {
    if constexpr (std::is_same_v<To, Boolean>) return Boolean{value.real() != 0 || value.imag() != 0};
    return converted<To, typename From::value_type, kRounding>(value.real());
  } else if constexpr (is_complex<To>::value) {
    using Part = typename To::value_type;
    if constexpr (is_complex<From>::value) {
      using Source = typename From::value_type;
      return {converted<Part, Source, kRounding>(value.real()), converted<Part, Source, kRounding>(value.imag())};
    } else {
      return {converted<Part, From, kRounding>(value), 0};
    }
  } else if constexpr (std::is_same_v<From, Boolean>) {
    return static_cast<To>(static_cast<uint8_t>(value) != 0);
  } else if constexpr (std::is_same_v<To, Boolean>) {
    return Boolean{value != 0};
  } else if constexpr (kRounding == Rounding::odd && std::is_same_v<To, float> && sizeof(From) >= 4 &&
                       !std::is_same_v<From, float>) {
    if constexpr (std::is_integral_v<From>) return rounded_to_odd(as_double(value));
    return rounded_to_odd(static_cast<double>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && sizeof(To) < 4) {
    return static_cast<To>(static_cast<int32_t>(value));  // so that -1.0 becomes 255, as an integer -1 would
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From, Rounding kRounding = Rounding::nearest>
constexpr Convert convert = Each<converted<To, From, kRounding>, To, From>::run;

template <size_t... kPairs>
constexpr std::array<Convert, kCount * kCount> all_conversions(std::index_sequence<kPairs...>) {
  return {convert<NativeType<kPairs / kCount>, NativeType<kPairs % kCount>>...};
}

constexpr auto kConversions = all_conversions(std::make_index_sequence<kCount * kCount>());

template <class To, size_t... kSources>
constexpr std::array<Convert, kCount> odd_conversions(std::index_sequence<kSources...>) {
  return {convert<To, NativeType<kSources>, Rounding::odd>...};
}

constexpr auto kToFloat = odd_conversions<float>(std::make_index_sequence<kCount>());
constexpr auto kToComplex = odd_conversions<std::complex<float>>(std::make_index_sequence<kCount>());

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

Convert native_conversion(DType to, DType from, Rounding rounding) noexcept {
  const size_t row = index_of(to), column = index_of(from);
  if (row == kCount || column == kCount) return nullptr;
  if (rounding == Rounding::odd && to == float32) return kToFloat[column];
  if (rounding == Rounding::odd && to == complex64) return kToComplex[column];
  return kConversions[row * kCount + column];
}

}  // namespace dlport::detail
