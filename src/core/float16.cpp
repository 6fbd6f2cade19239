#include "core/float16.hpp"

#include "core/minifloat.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace dlport::detail {
namespace {

#ifdef __x86_64__

const bool kHasInstructions = __builtin_cpu_supports("f16c");
constexpr int64_t kAtOnce = 8;

/// Converts whole groups of eight and returns how many elements those were.
__attribute__((target("avx,f16c"))) int64_t decode_groups(float* dst, const uint16_t* src, int64_t count) noexcept {
  int64_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce) {
    _mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(src + i))));
  }
  return i;
}

__attribute__((target("avx,f16c"))) int64_t encode_groups(uint16_t* dst, const float* src, int64_t count) noexcept {
  int64_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT));
  }
  return i;
}

#else

constexpr bool kHasInstructions = false;

int64_t decode_groups(float*, const uint16_t*, int64_t) noexcept {
  return 0;
}
int64_t encode_groups(uint16_t*, const float*, int64_t) noexcept {
  return 0;
}

#endif

}  // namespace

void decode_float16(void* dst, const void* src, int64_t count) {
  auto* to = static_cast<float*>(dst);
  auto* from = static_cast<const uint16_t*>(src);
  for (int64_t i = kHasInstructions ? decode_groups(to, from, count) : 0; i < count; ++i) {
    to[i] = decode<kFloat16>(from[i]);
  }
}

void encode_float16(void* dst, const void* src, int64_t count) {
  auto* to = static_cast<uint16_t*>(dst);
  auto* from = static_cast<const float*>(src);
  for (int64_t i = kHasInstructions ? encode_groups(to, from, count) : 0; i < count; ++i) {
    to[i] = static_cast<uint16_t>(encode<kFloat16>(from[i]));
  }
}

}  // namespace dlport::detail
