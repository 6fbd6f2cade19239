#include "dlport/dtype.hpp"

#include <gtest/gtest.h>

#include "expect_error.hpp"

namespace dlport {
namespace {

using testing::expect_error;

struct Row {
  DType dtype;
  const char* name;
  int64_t itemsize;
};

class NamedDType : public ::testing::TestWithParam<Row> {};

TEST_P(NamedDType, IsValidAndReadsBackFromItsName) {
  EXPECT_TRUE(is_valid(GetParam().dtype));
  EXPECT_EQ(to_string(GetParam().dtype), GetParam().name);
  EXPECT_EQ(parse_dtype(GetParam().name), GetParam().dtype);
  EXPECT_EQ(GetParam().dtype.itemsize(), GetParam().itemsize);
}

INSTANTIATE_TEST_SUITE_P(
    OfDlpack, NamedDType,
    ::testing::Values(
        Row{boolean, "bool", 1}, Row{int8, "int8", 1}, Row{int16, "int16", 2}, Row{int32, "int32", 4},
        Row{int64, "int64", 8}, Row{uint8, "uint8", 1}, Row{uint64, "uint64", 8}, Row{float16, "float16", 2},
        Row{float32, "float32", 4}, Row{float64, "float64", 8}, Row{bfloat16, "bfloat16", 2},
        Row{{kDLComplex, 32}, "complex32", 4}, Row{complex64, "complex64", 8}, Row{complex128, "complex128", 16},
        Row{{kDLOpaqueHandle, 64}, "handle64", 8}, Row{{kDLInt, 4}, "int4", 1}, Row{{kDLUInt, 1}, "uint1", 1},
        Row{{kDLFloat8_e3m4, 8}, "float8_e3m4", 1}, Row{{kDLFloat8_e4m3, 8}, "float8_e4m3", 1},
        Row{{kDLFloat8_e4m3b11fnuz, 8}, "float8_e4m3b11fnuz", 1}, Row{{kDLFloat8_e4m3fn, 8}, "float8_e4m3fn", 1},
        Row{{kDLFloat8_e4m3fnuz, 8}, "float8_e4m3fnuz", 1}, Row{{kDLFloat8_e5m2, 8}, "float8_e5m2", 1},
        Row{{kDLFloat8_e5m2fnuz, 8}, "float8_e5m2fnuz", 1}, Row{{kDLFloat8_e8m0fnu, 8}, "float8_e8m0fnu", 1},
        Row{{kDLFloat6_e2m3fn, 6}, "float6_e2m3fn", 1}, Row{{kDLFloat6_e3m2fn, 6}, "float6_e3m2fn", 1},
        Row{{kDLFloat4_e2m1fn, 4}, "float4_e2m1fn", 1}, Row{{kDLFloat4_e2m1fn, 4, 2}, "float4_e2m1fnx2", 1},
        Row{{kDLFloat, 32, 4}, "float32x4", 16}, Row{{kDLUInt, 8, 3}, "uint8x3", 3}),
    [](const auto& row) { return row.param.name; });

TEST(DType, WithAWidthThatItsCodeDoesNotHaveIsNotValid) {
  for (DType dtype :
       {DType(kDLFloat, 8), DType(kDLFloat, 0), DType(kDLInt, 24), DType(kDLBool, 1), DType(kDLBfloat, 32),
        DType(kDLComplex, 256), DType(kDLFloat8_e5m2, 4), DType(kDLFloat4_e2m1fn, 8)}) {
    EXPECT_FALSE(is_valid(dtype)) << to_string(dtype);
  }
}

TEST(DType, WithoutLanesOrOfAnUnknownCodeIsNotValid) {
  EXPECT_FALSE(is_valid(DType(kDLFloat, 32, 0)));
  EXPECT_FALSE(is_valid(DType(static_cast<DLDataTypeCode>(18), 8)));
  EXPECT_FALSE(is_valid(DType(static_cast<DLDataTypeCode>(255), 8)));
}

TEST(DType, OutsideDlpackPrintsItsNumbers) {
  EXPECT_EQ(to_string(DType(static_cast<DLDataTypeCode>(99), 8)), "code_99_bits_8");
  EXPECT_EQ(to_string(DType(kDLFloat, 24, 2)), "code_2_bits_24x2");
}

TEST(DType, TextThatNamesNoneIsRefused) {
  for (const char* text : {"", "float", "float31", "int128", "float32x", "float32x0", "float32x4x", "float32x65536",
                           "Float32", "bool8", "code_99_bits_8"}) {
    expect_error(
        ErrorCode::invalid_argument,
        "'" + std::string(text) + "' names no dtype: write a name such as 'float32', 'bfloat16', 'int4' or 'float32x4'",
        [&] { parse_dtype(text); });
  }
}

TEST(DType, NarrowerThanAByteSharesOneUnlessItsLanesFillIt) {
  EXPECT_TRUE(DType(kDLInt, 4).is_subbyte());
  EXPECT_TRUE(DType(kDLFloat6_e2m3fn, 6).is_subbyte());
  EXPECT_FALSE(DType(kDLFloat4_e2m1fn, 4, 2).is_subbyte());
  EXPECT_FALSE(boolean.is_subbyte());
}

}  // namespace
}  // namespace dlport
