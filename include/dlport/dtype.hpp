/// Element types: all that DLPack 1.3 can say, with names, sizes and limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dlport/dlpack.h"
#include "dlport/export.h"

namespace dlport {

/// A type code, a width in bits and a number of lanes; layout-compatible with DLPack's `DLDataType`.
struct DType : DLDataType {
  constexpr DType() noexcept : DLDataType{kDLFloat, 32, 1} {}
  constexpr DType(DLDataTypeCode type_code, int width, int lane_count = 1) noexcept
      : DLDataType{static_cast<uint8_t>(type_code), static_cast<uint8_t>(width), static_cast<uint16_t>(lane_count)} {}
  constexpr DType(DLDataType dtype) noexcept : DLDataType(dtype) {}  // NOLINT: it is one

  /// Bits of one element, all lanes together.
  constexpr int64_t element_bits() const noexcept { return int64_t{bits} * lanes; }
  /// Bytes of one element where it fills whole bytes (or is padded to them): bits rounded up.
  constexpr int64_t itemsize() const noexcept { return (element_bits() + 7) / 8; }
  /// Smaller than a byte, so several elements share one unless the tensor's padded flag says otherwise.
  constexpr bool is_subbyte() const noexcept { return element_bits() % 8 != 0; }

  friend constexpr bool operator==(DType a, DType b) noexcept {
    return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
  }
};

inline constexpr DType boolean{kDLBool, 8}, int8{kDLInt, 8}, int16{kDLInt, 16}, int32{kDLInt, 32}, int64{kDLInt, 64},
    uint8{kDLUInt, 8}, uint16{kDLUInt, 16}, uint32{kDLUInt, 32}, uint64{kDLUInt, 64}, float16{kDLFloat, 16},
    float32{kDLFloat, 32}, float64{kDLFloat, 64}, bfloat16{kDLBfloat, 16}, complex64{kDLComplex, 64},
    complex128{kDLComplex, 128};

/// NumPy's spelling where it has one ("float32", "bool"), ml_dtypes' for the rest ("bfloat16", "float8_e4m3fn",
/// "int4"); lanes follow as "float32x4". A code outside DLPack gives "code_99_bits_8".
DLPORT_API std::string to_string(DType dtype);

/// The inverse of to_string. Throws Error{invalid_argument} naming the text.
DLPORT_API DType parse_dtype(std::string_view text);

/// True where DLPack 1.3 gives the combination of code, bits and lanes a meaning (e.g. float 16/32/64, bool 8).
DLPORT_API bool is_valid(DType dtype) noexcept;

}  // namespace dlport
