// Converting packed arrays of one dtype to another.
#pragma once

#include <cstdint>

#include "dlport/dtype.hpp"

namespace dlport::detail {

/// Converts `count` packed elements.
using Convert = void (*)(void* dst, const void* src, int64_t count);

/// How numbers between two floats are rounded. To nearest twice, as by way of float32 to a smaller format, is not to
/// nearest once; to odd (whichever of the two has an odd mantissa) and then to nearest is.
/// S. Boldo, G. Melquiond: Emulation of FMA and correctly rounded sums, IEEE Transactions on Computers 57 (4), 2008.
enum class Rounding { nearest, odd };

/// The conversion between two dtypes that the CPU computes in (bool, integers and floats of 8 to 64 bits but float16,
/// complex64, complex128), or null where one is not. `rounding` is that of floats of 32 bits, also as parts of complex
/// numbers; all others round to nearest.
Convert native_conversion(DType to, DType from, Rounding rounding = Rounding::nearest) noexcept;

/// How a dtype that the CPU does not compute in is stored: its values are those of `native`, one code a byte (or two).
struct Coding {
  DType dtype;
  DType native;
  Convert decode;  ///< codes to native values
  Convert encode;  ///< native values to codes
};

/// The coding of a dtype, or null for native dtypes and for those that have no value (handles).
const Coding* coding_of(DType dtype) noexcept;

}  // namespace dlport::detail
