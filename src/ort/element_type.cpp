#include "ort/element_type.hpp"

#include <string>

#include "dlport/error.hpp"

namespace dlport::ort {
namespace {

struct Pair {
  int32_t type;  // ONNXTensorElementDataType
  DType dtype;
};

constexpr Pair kTypes[] = {
    {1, float32},
    {2, uint8},
    {3, int8},
    {4, uint16},
    {5, int16},
    {6, int32},
    {7, int64},
    {9, boolean},
    {10, float16},
    {11, float64},
    {12, uint32},
    {13, uint64},
    {14, complex64},
    {15, complex128},
    {16, bfloat16},
    {17, {kDLFloat8_e4m3fn, 8}},
    {18, {kDLFloat8_e4m3fnuz, 8}},
    {19, {kDLFloat8_e5m2, 8}},
    {20, {kDLFloat8_e5m2fnuz, 8}},
    {21, {kDLUInt, 4}},
    {22, {kDLInt, 4}},
    {23, {kDLFloat4_e2m1fn, 4}},
    {24, {kDLUInt, 2}},
    {25, {kDLInt, 2}},
    {26, {kDLFloat8_e8m0fnu, 8}},
};

}  // namespace

ElementType element_type(DType dtype) {
  for (const Pair& pair : kTypes) {
    if (pair.dtype == dtype) return static_cast<ElementType>(pair.type);
  }
  throw Error(ErrorCode::unsupported, "ONNX Runtime has no element type for " + to_string(dtype));
}

DType dtype_of(ElementType type) {
  for (const Pair& pair : kTypes) {
    if (pair.type == static_cast<int32_t>(type)) return pair.dtype;
  }
  throw Error(ErrorCode::unsupported, "ONNX Runtime's element type " + std::to_string(static_cast<int32_t>(type)) +
                                          " (8 is a string) has no DLPack dtype");
}

}  // namespace dlport::ort
