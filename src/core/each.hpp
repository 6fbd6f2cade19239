// Loops over packed arrays, compiled again for the wider registers that most x86 CPUs have, and for the AVX-512
// instructions that narrow and choose without a detour.
#pragma once

#include <cstdint>

namespace dlport::detail {

#ifdef __x86_64__
inline const bool kHasWideRegisters = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
inline const bool kHasAvx512 = kHasWideRegisters && __builtin_cpu_supports("avx512bw") &&
                               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#define DLPORT_WIDE __attribute__((target("avx2,f16c")))
#define DLPORT_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,f16c")))
#else
inline constexpr bool kHasWideRegisters = false, kHasAvx512 = false;
#define DLPORT_WIDE
#define DLPORT_AVX512
#endif

/// `dst[i] = function(src[i])`: kFunction as an array function. It is inlined into all loops.
template <auto kFunction, class To, class From>
struct Each {
  static void run(void* dst, const void* src, int64_t count) {
    auto* to = static_cast<To*>(dst);
    auto* from = static_cast<const From*>(src);
    if (kHasAvx512) return avx512(to, from, count);
    kHasWideRegisters ? wide(to, from, count) : narrow(to, from, count);
  }

 private:
  static void narrow(To* dst, const From* src, int64_t count) noexcept {
    for (int64_t i = 0; i < count; ++i) dst[i] = static_cast<To>(kFunction(src[i]));
  }
  DLPORT_WIDE static void wide(To* dst, const From* src, int64_t count) noexcept {
    for (int64_t i = 0; i < count; ++i) dst[i] = static_cast<To>(kFunction(src[i]));
  }
  DLPORT_AVX512 static void avx512(To* dst, const From* src, int64_t count) noexcept {
    for (int64_t i = 0; i < count; ++i) dst[i] = static_cast<To>(kFunction(src[i]));
  }
};

}  // namespace dlport::detail
