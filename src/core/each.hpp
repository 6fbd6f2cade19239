// Loops over packed arrays, compiled a second time for the wider registers that most x86 CPUs have.
#pragma once

#include <cstdint>

namespace dlport::detail {

#ifdef __x86_64__
inline const bool kHasWideRegisters = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
#define DLPORT_WIDE __attribute__((target("avx2,f16c")))  // no fma: both loops are to give the same numbers
#else
inline constexpr bool kHasWideRegisters = false;
#define DLPORT_WIDE
#endif

/// `dst[i] = function(src[i])`: kFunction as an array function. It is inlined into both loops.
template <auto kFunction, class To, class From>
struct Each {
  static void run(void* dst, const void* src, int64_t count) {
    auto* to = static_cast<To*>(dst);
    auto* from = static_cast<const From*>(src);
    kHasWideRegisters ? wide(to, from, count) : narrow(to, from, count);
  }

 private:
  static void narrow(To* dst, const From* src, int64_t count) noexcept {
    for (int64_t i = 0; i < count; ++i) dst[i] = static_cast<To>(kFunction(src[i]));
  }
  DLPORT_WIDE static void wide(To* dst, const From* src, int64_t count) noexcept {
    for (int64_t i = 0; i < count; ++i) dst[i] = static_cast<To>(kFunction(src[i]));
  }
};

}  // namespace dlport::detail
