#include "dlport/dtype.hpp"

#include <charconv>

#include "dlport/error.hpp"

namespace dlport {
namespace {

/// One family of element types: a code, the widths that DLPack gives it, and the name (with the width behind it, or
/// alone where there is only one).
struct Family {
  DLDataTypeCode code;
  std::string_view name;
  bool width_in_name;
  uint8_t widths[8];  // 0-terminated
};

constexpr Family kFamilies[] = {
    {kDLInt, "int", true, {8, 16, 32, 64, 4, 2, 1}},
    {kDLUInt, "uint", true, {8, 16, 32, 64, 4, 2, 1}},
    {kDLFloat, "float", true, {32, 64, 16}},
    {kDLOpaqueHandle, "handle", true, {64, 32}},
    {kDLBfloat, "bfloat", true, {16}},
    {kDLComplex, "complex", true, {64, 128, 32}},
    {kDLBool, "bool", false, {8}},
    {kDLFloat8_e3m4, "float8_e3m4", false, {8}},
    {kDLFloat8_e4m3, "float8_e4m3", false, {8}},
    {kDLFloat8_e4m3b11fnuz, "float8_e4m3b11fnuz", false, {8}},
    {kDLFloat8_e4m3fn, "float8_e4m3fn", false, {8}},
    {kDLFloat8_e4m3fnuz, "float8_e4m3fnuz", false, {8}},
    {kDLFloat8_e5m2, "float8_e5m2", false, {8}},
    {kDLFloat8_e5m2fnuz, "float8_e5m2fnuz", false, {8}},
    {kDLFloat8_e8m0fnu, "float8_e8m0fnu", false, {8}},
    {kDLFloat6_e2m3fn, "float6_e2m3fn", false, {6}},
    {kDLFloat6_e3m2fn, "float6_e3m2fn", false, {6}},
    {kDLFloat4_e2m1fn, "float4_e2m1fn", false, {4}},
};
static_assert(std::size(kFamilies) == kDLFloat4_e2m1fn + 1, "one family a code, in the order of the codes");

bool has_width(const Family& family, uint8_t bits) noexcept {
  for (uint8_t width : family.widths) {
    if (width == bits) return width != 0;
  }
  return false;
}

}  // namespace

bool is_valid(DType dtype) noexcept {
  return dtype.lanes > 0 && dtype.code < std::size(kFamilies) && has_width(kFamilies[dtype.code], dtype.bits);
}

std::string to_string(DType dtype) {
  std::string text;
  if (dtype.code < std::size(kFamilies) && has_width(kFamilies[dtype.code], dtype.bits)) {
    const Family& family = kFamilies[dtype.code];
    text = family.name;
    if (family.width_in_name) text += std::to_string(dtype.bits);
  } else {
    text = "code_" + std::to_string(dtype.code) + "_bits_" + std::to_string(dtype.bits);
  }
  if (dtype.lanes != 1) text += "x" + std::to_string(dtype.lanes);
  return text;
}

DType parse_dtype(std::string_view text) {
  for (const Family& family : kFamilies) {
    for (uint8_t width : family.widths) {
      if (width == 0) break;
      std::string name(family.name);
      if (family.width_in_name) name += std::to_string(width);
      if (!text.starts_with(name)) continue;
      std::string_view rest = text.substr(name.size());
      if (rest.empty()) return {family.code, width};
      uint16_t lanes = 0;
      const char* end = text.data() + text.size();
      if (rest.front() == 'x') {
        auto [stop, error] = std::from_chars(rest.data() + 1, end, lanes);
        if (error == std::errc() && stop == end && lanes > 0) return {family.code, width, lanes};
      }
    }
  }
  throw Error(ErrorCode::invalid_argument,
              "'" + std::string(text) +
                  "' names no dtype: write a name such as 'float32', 'bfloat16', 'int4' or "
                  "'float32x4'");
}

}  // namespace dlport
