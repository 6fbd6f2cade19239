// Arrays of float16, by the CPU's own instructions where it has them.
#pragma once

#include <cstdint>

namespace dlport::detail {

/// `count` codes at `src` become floats at `dst`.
void decode_float16(void* dst, const void* src, int64_t count);

/// `count` floats at `src` become codes at `dst`, each the nearest.
void encode_float16(void* dst, const void* src, int64_t count);

}  // namespace dlport::detail
