// Compiled once for every copy of dlpack.h and every order of including it: DLPORT_FIRST_HEADER comes first, and where
// there is a DLPORT_SECOND_HEADER, the guard that both share must make that one harmless.
#include DLPORT_FIRST_HEADER
#ifdef DLPORT_SECOND_HEADER
#include DLPORT_SECOND_HEADER
#endif

#include "facts.hpp"

#include <cstddef>
#include <typeinfo>

namespace {

#define VALUE(name) {#name, std::to_string(static_cast<long long>(name))}
#define SIZE(type)                                   \
  {"sizeof " #type, std::to_string(sizeof(type))}, { \
    "alignof " #type, std::to_string(alignof(type))  \
  }
#define FIELD(type, field)                                                   \
  {"offset of " #type "::" #field, std::to_string(offsetof(type, field))}, { \
    "type of " #type "::" #field, typeid(decltype(type::field)).name()       \
  }

dlport::testing::Facts facts() {
  return {
      VALUE(DLPACK_MAJOR_VERSION),
      VALUE(DLPACK_MINOR_VERSION),
      VALUE(DLPACK_FLAG_BITMASK_READ_ONLY),
      VALUE(DLPACK_FLAG_BITMASK_IS_COPIED),
      VALUE(DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED),
      VALUE(kDLCPU),
      VALUE(kDLCUDA),
      VALUE(kDLCUDAHost),
      VALUE(kDLOpenCL),
      VALUE(kDLVulkan),
      VALUE(kDLMetal),
      VALUE(kDLVPI),
      VALUE(kDLROCM),
      VALUE(kDLROCMHost),
      VALUE(kDLExtDev),
      VALUE(kDLCUDAManaged),
      VALUE(kDLOneAPI),
      VALUE(kDLWebGPU),
      VALUE(kDLHexagon),
      VALUE(kDLMAIA),
      VALUE(kDLTrn),
      VALUE(kDLInt),
      VALUE(kDLUInt),
      VALUE(kDLFloat),
      VALUE(kDLOpaqueHandle),
      VALUE(kDLBfloat),
      VALUE(kDLComplex),
      VALUE(kDLBool),
      VALUE(kDLFloat8_e3m4),
      VALUE(kDLFloat8_e4m3),
      VALUE(kDLFloat8_e4m3b11fnuz),
      VALUE(kDLFloat8_e4m3fn),
      VALUE(kDLFloat8_e4m3fnuz),
      VALUE(kDLFloat8_e5m2),
      VALUE(kDLFloat8_e5m2fnuz),
      VALUE(kDLFloat8_e8m0fnu),
      VALUE(kDLFloat6_e2m3fn),
      VALUE(kDLFloat6_e3m2fn),
      VALUE(kDLFloat4_e2m1fn),
      SIZE(DLPackVersion),
      FIELD(DLPackVersion, major),
      FIELD(DLPackVersion, minor),
      SIZE(DLDeviceType),
      SIZE(DLDevice),
      FIELD(DLDevice, device_type),
      FIELD(DLDevice, device_id),
      SIZE(DLDataTypeCode),
      SIZE(DLDataType),
      FIELD(DLDataType, code),
      FIELD(DLDataType, bits),
      FIELD(DLDataType, lanes),
      SIZE(DLTensor),
      FIELD(DLTensor, data),
      FIELD(DLTensor, device),
      FIELD(DLTensor, ndim),
      FIELD(DLTensor, dtype),
      FIELD(DLTensor, shape),
      FIELD(DLTensor, strides),
      FIELD(DLTensor, byte_offset),
      SIZE(DLManagedTensor),
      FIELD(DLManagedTensor, dl_tensor),
      FIELD(DLManagedTensor, manager_ctx),
      FIELD(DLManagedTensor, deleter),
      SIZE(DLManagedTensorVersioned),
      FIELD(DLManagedTensorVersioned, version),
      FIELD(DLManagedTensorVersioned, manager_ctx),
      FIELD(DLManagedTensorVersioned, deleter),
      FIELD(DLManagedTensorVersioned, flags),
      FIELD(DLManagedTensorVersioned, dl_tensor),
      SIZE(DLPackExchangeAPIHeader),
      FIELD(DLPackExchangeAPIHeader, version),
      FIELD(DLPackExchangeAPIHeader, prev_api),
      SIZE(DLPackExchangeAPI),
      FIELD(DLPackExchangeAPI, header),
      FIELD(DLPackExchangeAPI, managed_tensor_allocator),
      FIELD(DLPackExchangeAPI, managed_tensor_from_py_object_no_sync),
      FIELD(DLPackExchangeAPI, managed_tensor_to_py_object_no_sync),
      FIELD(DLPackExchangeAPI, dltensor_from_py_object_no_sync),
      FIELD(DLPackExchangeAPI, current_work_stream),
      {"type of DLPackManagedTensorAllocator", typeid(DLPackManagedTensorAllocator).name()},
      {"type of DLPackManagedTensorFromPyObjectNoSync", typeid(DLPackManagedTensorFromPyObjectNoSync).name()},
      {"type of DLPackManagedTensorToPyObjectNoSync", typeid(DLPackManagedTensorToPyObjectNoSync).name()},
      {"type of DLPackDLTensorFromPyObjectNoSync", typeid(DLPackDLTensorFromPyObjectNoSync).name()},
      {"type of DLPackCurrentWorkStream", typeid(DLPackCurrentWorkStream).name()},
  };
}

[[maybe_unused]] const bool kCollected = dlport::testing::collected_facts().emplace(DLPORT_FACTS_NAME, facts()).second;

}  // namespace
