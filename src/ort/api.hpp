// ONNX Runtime's C ABI, as far as we use it. Its tables are append-only, so an entry is an index, a signature and the
// release that added it; the indices are those of the release's public header.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

struct OrtAllocator;
struct OrtEnv;
struct OrtEpDevice;
struct OrtGraph;
struct OrtHardwareDevice;
struct OrtKeyValuePairs;
struct OrtMapTypeInfo;
struct OrtMemoryInfo;
struct OrtModel;
struct OrtNode;
struct OrtOpAttr;
struct OrtOptionalTypeInfo;
struct OrtRunOptions;
struct OrtSequenceTypeInfo;
struct OrtSession;
struct OrtSessionOptions;
struct OrtStatus;
struct OrtSyncStream;
struct OrtTensorTypeAndShapeInfo;
struct OrtThreadingOptions;
struct OrtTypeInfo;
struct OrtValue;
struct OrtValueInfo;

namespace dlport::ort {

/// The tables of functions that the library hands out.
enum class Table { api, model_editor };

/// The tables of the library in use.
struct Tables {
  const void* const* table[2];
  int api_version;
};

/// Null until the library is open.
extern std::atomic<const Tables*> opened_tables;

/// The tables, opening the library on first use. Throws Error{unsupported} naming the function and the release
/// (1.`since`) that has it where the library at hand is older.
const Tables& tables_since(int since, const char* name);

/// The address of entry `index`, as tables_since().
inline void* entry(Table table, int index, const char* name, int since) {
  const Tables* tables = opened_tables.load(std::memory_order_acquire);
  if (!tables || since > tables->api_version) tables = &tables_since(since, name);
  return const_cast<void*>(tables->table[static_cast<int>(table)][index]);
}

/// True where the library at hand has what release 1.`since` added.
bool has_api(int since);

/// A typed entry of a table, called like the function that it is.
template <class Signature>
struct Function;

template <class Result, class... Arguments>
struct Function<Result(Arguments...)> {
  Table table;
  int index;
  const char* name;
  int since = 0;

  Result operator()(Arguments... arguments) const {
    return reinterpret_cast<Result (*)(Arguments...)>(entry(table, index, name, since))(arguments...);
  }
};

template <class... Arguments>
using Fallible = Function<OrtStatus*(Arguments...)>;  ///< returns a status: hand it to check()

enum class ElementType : int32_t { undefined = 0, string = 8 };  ///< ONNXTensorElementDataType; the rest in a table
enum class ValueKind : int32_t { unknown, tensor, sequence, map, opaque, sparse_tensor, optional };  ///< ONNXType
enum class LoggingLevel : int32_t { verbose, info, warning, error, fatal };
enum class AllocatorType : int32_t { device = 0, arena = 1 };
enum class MemoryType : int32_t { standard = 0 };
enum class GraphOptimization : int32_t { none = 0, basic = 1, extended = 2, all = 99 };
enum class AttributeType : int32_t { undefined, integer, integers, real, reals, string, strings, graph, tensor };
enum class HardwareType : int32_t { cpu, gpu, npu };
enum class DeviceMemory : int32_t { standard = 0, host_accessible = 5 };
enum class MemoryDevice : int32_t { cpu, gpu, fpga, npu };

namespace api {
inline constexpr auto A = Table::api;
inline constexpr auto E = Table::model_editor;

inline constexpr Function<int32_t(const OrtStatus*)> GetErrorCode{A, 1, "GetErrorCode"};
inline constexpr Function<const char*(const OrtStatus*)> GetErrorMessage{A, 2, "GetErrorMessage"};
inline constexpr Function<void(OrtStatus*)> ReleaseStatus{A, 93, "ReleaseStatus"};

inline constexpr Fallible<LoggingLevel, const char*, const OrtThreadingOptions*, OrtEnv**>
    CreateEnvWithGlobalThreadPools{A, 119, "CreateEnvWithGlobalThreadPools"};
inline constexpr Fallible<OrtThreadingOptions**> CreateThreadingOptions{A, 121, "CreateThreadingOptions"};
inline constexpr Function<void(OrtThreadingOptions*)> ReleaseThreadingOptions{A, 122, "ReleaseThreadingOptions"};
inline constexpr Fallible<OrtThreadingOptions*, int> SetGlobalIntraOpNumThreads{A, 147, "SetGlobalIntraOpNumThreads"};
inline constexpr Fallible<OrtThreadingOptions*, int> SetGlobalInterOpNumThreads{A, 148, "SetGlobalInterOpNumThreads"};
inline constexpr Fallible<OrtThreadingOptions*, int> SetGlobalSpinControl{A, 149, "SetGlobalSpinControl"};

inline constexpr Fallible<OrtEnv*, const char*, const char*> RegisterExecutionProviderLibrary{
    A, 301, "RegisterExecutionProviderLibrary", 22};
inline constexpr Fallible<const OrtEnv*, const OrtEpDevice* const**, size_t*> GetEpDevices{A, 303, "GetEpDevices", 22};
inline constexpr Function<HardwareType(const OrtHardwareDevice*)> HardwareDevice_Type{A, 307, "HardwareDevice_Type",
                                                                                      22};
inline constexpr Function<const char*(const OrtEpDevice*)> EpDevice_EpName{A, 312, "EpDevice_EpName", 22};
inline constexpr Function<const char*(const OrtEpDevice*)> EpDevice_EpVendor{A, 313, "EpDevice_EpVendor", 22};
inline constexpr Function<const OrtHardwareDevice*(const OrtEpDevice*)> EpDevice_Device{A, 316, "EpDevice_Device", 22};
inline constexpr Function<const OrtMemoryInfo*(const OrtEpDevice*, DeviceMemory)> EpDevice_MemoryInfo{
    A, 374, "EpDevice_MemoryInfo", 23};
inline constexpr Fallible<const OrtEpDevice*, const OrtKeyValuePairs*, OrtSyncStream**> CreateSyncStreamForEpDevice{
    A, 383, "CreateSyncStreamForEpDevice", 23};
inline constexpr Function<void(OrtSyncStream*)> ReleaseSyncStream{A, 385, "ReleaseSyncStream", 23};

inline constexpr Fallible<OrtSessionOptions**> CreateSessionOptions{A, 10, "CreateSessionOptions"};
inline constexpr Function<void(OrtSessionOptions*)> ReleaseSessionOptions{A, 100, "ReleaseSessionOptions"};
inline constexpr Fallible<const OrtSessionOptions*, OrtSessionOptions**> CloneSessionOptions{A, 12,
                                                                                             "CloneSessionOptions"};
inline constexpr Fallible<OrtSessionOptions*, const char*> SetOptimizedModelFilePath{A, 11,
                                                                                     "SetOptimizedModelFilePath"};
inline constexpr Fallible<OrtSessionOptions*, const char*> EnableProfiling{A, 14, "EnableProfiling"};
inline constexpr Fallible<OrtSessionOptions*, int> SetInterOpNumThreads{A, 25, "SetInterOpNumThreads"};
inline constexpr Fallible<OrtSessionOptions*, const char*, int64_t> AddFreeDimensionOverrideByName{
    A, 124, "AddFreeDimensionOverrideByName"};
inline constexpr Fallible<OrtSessionOptions*, const char*, const OrtValue*> AddInitializer{A, 150, "AddInitializer"};
inline constexpr Fallible<OrtSessionOptions*, const char* const*, const OrtValue* const*, size_t>
    AddExternalInitializers{A, 210, "AddExternalInitializers", 12};
inline constexpr Fallible<OrtSessionOptions*, const char*> RegisterCustomOpsLibrary_V2{
    A, 228, "RegisterCustomOpsLibrary_V2", 14};
inline constexpr Fallible<OrtSessionOptions*> DisablePerSessionThreads{A, 120, "DisablePerSessionThreads"};
inline constexpr Fallible<OrtSessionOptions*> DisableMemPattern{A, 17, "DisableMemPattern"};
inline constexpr Fallible<OrtSessionOptions*, int> SetSessionLogSeverityLevel{A, 22, "SetSessionLogSeverityLevel"};
inline constexpr Fallible<OrtSessionOptions*, GraphOptimization> SetSessionGraphOptimizationLevel{
    A, 23, "SetSessionGraphOptimizationLevel"};
inline constexpr Fallible<OrtSessionOptions*, int> SetIntraOpNumThreads{A, 24, "SetIntraOpNumThreads"};
inline constexpr Fallible<OrtSessionOptions*, const char*, const char*> AddSessionConfigEntry{A, 130,
                                                                                              "AddSessionConfigEntry"};
inline constexpr Fallible<OrtSessionOptions*, OrtEnv*, const OrtEpDevice* const*, size_t, const char* const*,
                          const char* const*, size_t>
    SessionOptionsAppendExecutionProvider_V2{A, 304, "SessionOptionsAppendExecutionProvider_V2", 22};

inline constexpr Fallible<const OrtEnv*, const char*, const OrtSessionOptions*, OrtSession**> CreateSession{
    A, 7, "CreateSession"};
inline constexpr Fallible<const OrtEnv*, const void*, size_t, const OrtSessionOptions*, OrtSession**>
    CreateSessionFromArray{A, 8, "CreateSessionFromArray"};
inline constexpr Function<void(OrtSession*)> ReleaseSession{A, 95, "ReleaseSession"};
inline constexpr Fallible<const OrtSession*, size_t*> SessionGetInputCount{A, 30, "SessionGetInputCount"};
inline constexpr Fallible<const OrtSession*, size_t*> SessionGetOutputCount{A, 31, "SessionGetOutputCount"};
inline constexpr Fallible<const OrtSession*, size_t*> SessionGetOverridableInitializerCount{
    A, 32, "SessionGetOverridableInitializerCount"};
inline constexpr Fallible<const OrtSession*, size_t, OrtTypeInfo**> SessionGetInputTypeInfo{A, 33,
                                                                                            "SessionGetInputTypeInfo"};
inline constexpr Fallible<const OrtSession*, size_t, OrtTypeInfo**> SessionGetOutputTypeInfo{
    A, 34, "SessionGetOutputTypeInfo"};
inline constexpr Fallible<const OrtSession*, size_t, OrtTypeInfo**> SessionGetOverridableInitializerTypeInfo{
    A, 35, "SessionGetOverridableInitializerTypeInfo"};
inline constexpr Fallible<const OrtSession*, size_t, OrtAllocator*, char**> SessionGetInputName{A, 36,
                                                                                                "SessionGetInputName"};
inline constexpr Fallible<const OrtSession*, size_t, OrtAllocator*, char**> SessionGetOutputName{
    A, 37, "SessionGetOutputName"};
inline constexpr Fallible<const OrtSession*, size_t, OrtAllocator*, char**> SessionGetOverridableInitializerName{
    A, 38, "SessionGetOverridableInitializerName"};
inline constexpr Fallible<OrtSession*, OrtAllocator*, char**> SessionEndProfiling{A, 110, "SessionEndProfiling"};

inline constexpr Fallible<OrtRunOptions**> CreateRunOptions{A, 39, "CreateRunOptions"};
inline constexpr Fallible<OrtRunOptions*, int> RunOptionsSetRunLogSeverityLevel{A, 41,
                                                                                "RunOptionsSetRunLogSeverityLevel"};
inline constexpr Fallible<OrtRunOptions*, const char*> RunOptionsSetRunTag{A, 42, "RunOptionsSetRunTag"};
inline constexpr Fallible<OrtRunOptions*> RunOptionsSetTerminate{A, 46, "RunOptionsSetTerminate"};
inline constexpr Fallible<OrtRunOptions*> RunOptionsUnsetTerminate{A, 47, "RunOptionsUnsetTerminate"};
inline constexpr Fallible<OrtRunOptions*, const char*, const char*> AddRunConfigEntry{A, 165, "AddRunConfigEntry"};
inline constexpr Function<void(OrtRunOptions*)> ReleaseRunOptions{A, 97, "ReleaseRunOptions"};
inline constexpr Fallible<OrtSession*, const OrtRunOptions*, const char* const*, const OrtValue* const*, size_t,
                          const char* const*, size_t, OrtValue**>
    Run{A, 9, "Run"};

inline constexpr Fallible<AllocatorType, MemoryType, OrtMemoryInfo**> CreateCpuMemoryInfo{A, 69, "CreateCpuMemoryInfo"};
inline constexpr Fallible<const OrtMemoryInfo*, void*, size_t, const int64_t*, size_t, ElementType, OrtValue**>
    CreateTensorWithDataAsOrtValue{A, 49, "CreateTensorWithDataAsOrtValue"};
inline constexpr Function<void(OrtValue*)> ReleaseValue{A, 96, "ReleaseValue"};
inline constexpr Fallible<OrtAllocator*, const int64_t*, size_t, ElementType, OrtValue**> CreateTensorAsOrtValue{
    A, 48, "CreateTensorAsOrtValue"};
inline constexpr Fallible<const OrtValue* const*, size_t, ValueKind, OrtValue**> CreateValue{A, 82, "CreateValue"};
inline constexpr Fallible<const OrtValue*, ValueKind*> GetValueType{A, 67, "GetValueType"};
inline constexpr Fallible<const OrtValue*, int*> HasValue{A, 192, "HasValue"};
inline constexpr Fallible<OrtValue*, void**> GetTensorMutableData{A, 51, "GetTensorMutableData"};
inline constexpr Fallible<const OrtValue*, OrtTensorTypeAndShapeInfo**> GetTensorTypeAndShape{A, 65,
                                                                                              "GetTensorTypeAndShape"};
inline constexpr Fallible<const OrtValue*, ElementType*, const int64_t**, size_t*>
    GetTensorElementTypeAndShapeDataReference{A, 414, "GetTensorElementTypeAndShapeDataReference", 24};
inline constexpr Fallible<const OrtValue*, const OrtMemoryInfo**> GetTensorMemoryInfo{A, 194, "GetTensorMemoryInfo"};
inline constexpr Fallible<const OrtValue*, size_t*> GetStringTensorDataLength{A, 53, "GetStringTensorDataLength"};
inline constexpr Fallible<const OrtValue*, void*, size_t, size_t*, size_t> GetStringTensorContent{
    A, 54, "GetStringTensorContent"};
inline constexpr Fallible<OrtValue*, size_t, size_t, char**> GetResizedStringTensorElementBuffer{
    A, 252, "GetResizedStringTensorElementBuffer", 15};
inline constexpr Fallible<const OrtValue*, size_t*> GetValueCount{A, 81, "GetValueCount"};
inline constexpr Fallible<const OrtValue*, int, OrtAllocator*, OrtValue**> GetValue{A, 80, "GetValue"};

inline constexpr Fallible<OrtAllocator**> GetAllocatorWithDefaultOptions{A, 78, "GetAllocatorWithDefaultOptions"};
inline constexpr Fallible<OrtAllocator*, size_t, void**> AllocatorAlloc{A, 75, "AllocatorAlloc"};
inline constexpr Fallible<OrtAllocator*, void*> AllocatorFree{A, 76, "AllocatorFree"};
inline constexpr Fallible<OrtEnv*, const OrtEpDevice*, DeviceMemory, AllocatorType, const OrtKeyValuePairs*,
                          OrtAllocator**>
    CreateSharedAllocator{A, 375, "CreateSharedAllocator", 23};
inline constexpr Fallible<const OrtEnv*, const OrtValue* const*, OrtValue* const*, OrtSyncStream*, size_t> CopyTensors{
    A, 386, "CopyTensors", 23};
inline constexpr Function<void(const OrtMemoryInfo*, MemoryDevice*)> MemoryInfoGetDeviceType{
    A, 225, "MemoryInfoGetDeviceType", 13};
inline constexpr Fallible<const OrtMemoryInfo*, int*> MemoryInfoGetId{A, 72, "MemoryInfoGetId"};
inline constexpr Function<uint32_t(const OrtMemoryInfo*)> MemoryInfoGetVendorId{A, 322, "MemoryInfoGetVendorId", 23};

inline constexpr Fallible<const OrtTypeInfo*, ValueKind*> GetOnnxTypeFromTypeInfo{A, 56, "GetOnnxTypeFromTypeInfo"};
inline constexpr Fallible<const OrtTypeInfo*, const OrtTensorTypeAndShapeInfo**> CastTypeInfoToTensorInfo{
    A, 55, "CastTypeInfoToTensorInfo"};
inline constexpr Fallible<const OrtTypeInfo*, const OrtMapTypeInfo**> CastTypeInfoToMapTypeInfo{
    A, 103, "CastTypeInfoToMapTypeInfo"};
inline constexpr Fallible<const OrtTypeInfo*, const OrtSequenceTypeInfo**> CastTypeInfoToSequenceTypeInfo{
    A, 104, "CastTypeInfoToSequenceTypeInfo"};
inline constexpr Fallible<const OrtTypeInfo*, const OrtOptionalTypeInfo**> CastTypeInfoToOptionalTypeInfo{
    A, 250, "CastTypeInfoToOptionalTypeInfo", 15};
inline constexpr Fallible<const OrtMapTypeInfo*, ElementType*> GetMapKeyType{A, 105, "GetMapKeyType"};
inline constexpr Fallible<const OrtMapTypeInfo*, OrtTypeInfo**> GetMapValueType{A, 106, "GetMapValueType"};
inline constexpr Fallible<const OrtSequenceTypeInfo*, OrtTypeInfo**> GetSequenceElementType{A, 107,
                                                                                            "GetSequenceElementType"};
inline constexpr Fallible<const OrtOptionalTypeInfo*, OrtTypeInfo**> GetOptionalContainedTypeInfo{
    A, 251, "GetOptionalContainedTypeInfo", 15};
inline constexpr Function<bool(const OrtTensorTypeAndShapeInfo*)> TensorTypeAndShape_HasShape{
    A, 390, "TensorTypeAndShape_HasShape", 24};
inline constexpr Fallible<const OrtTensorTypeAndShapeInfo*, ElementType*> GetTensorElementType{A, 60,
                                                                                               "GetTensorElementType"};
inline constexpr Fallible<const OrtTensorTypeAndShapeInfo*, size_t*> GetDimensionsCount{A, 61, "GetDimensionsCount"};
inline constexpr Fallible<const OrtTensorTypeAndShapeInfo*, int64_t*, size_t> GetDimensions{A, 62, "GetDimensions"};
inline constexpr Fallible<const OrtTensorTypeAndShapeInfo*, const char**, size_t> GetSymbolicDimensions{
    A, 63, "GetSymbolicDimensions"};

inline constexpr Fallible<OrtTensorTypeAndShapeInfo**> CreateTensorTypeAndShapeInfo{A, 57,
                                                                                    "CreateTensorTypeAndShapeInfo"};
inline constexpr Fallible<OrtTensorTypeAndShapeInfo*, ElementType> SetTensorElementType{A, 58, "SetTensorElementType"};
inline constexpr Fallible<OrtTensorTypeAndShapeInfo*, const int64_t*, size_t> SetDimensions{A, 59, "SetDimensions"};
inline constexpr Function<void(OrtTensorTypeAndShapeInfo*)> ReleaseTensorTypeAndShapeInfo{
    A, 99, "ReleaseTensorTypeAndShapeInfo"};
inline constexpr Function<void(OrtTypeInfo*)> ReleaseTypeInfo{A, 98, "ReleaseTypeInfo"};
inline constexpr Fallible<const char*, const void*, int, AttributeType, OrtOpAttr**> CreateOpAttr{A, 211,
                                                                                                  "CreateOpAttr", 12};
inline constexpr Function<void(OrtOpAttr*)> ReleaseOpAttr{A, 212, "ReleaseOpAttr", 12};
inline constexpr Function<void(OrtValueInfo*)> ReleaseValueInfo{A, 285, "ReleaseValueInfo", 22};
inline constexpr Function<void(OrtNode*)> ReleaseNode{A, 286, "ReleaseNode", 22};
inline constexpr Function<void(OrtGraph*)> ReleaseGraph{A, 287, "ReleaseGraph", 22};
inline constexpr Function<void(OrtModel*)> ReleaseModel{A, 288, "ReleaseModel", 22};

inline constexpr Fallible<const OrtTensorTypeAndShapeInfo*, OrtTypeInfo**> CreateTensorTypeInfo{
    E, 0, "CreateTensorTypeInfo", 22};
inline constexpr Fallible<const char*, const OrtTypeInfo*, OrtValueInfo**> CreateValueInfo{E, 5, "CreateValueInfo", 22};
inline constexpr Fallible<const char*, const char*, const char*, const char* const*, size_t, const char* const*, size_t,
                          OrtOpAttr**, size_t, OrtNode**>
    CreateNode{E, 6, "CreateNode", 22};
inline constexpr Fallible<OrtGraph**> CreateGraph{E, 7, "CreateGraph", 22};
inline constexpr Fallible<OrtGraph*, OrtValueInfo**, size_t> SetGraphInputs{E, 8, "SetGraphInputs", 22};
inline constexpr Fallible<OrtGraph*, OrtValueInfo**, size_t> SetGraphOutputs{E, 9, "SetGraphOutputs", 22};
inline constexpr Fallible<OrtGraph*, const char*, OrtValue*, bool> AddInitializerToGraph{E, 10, "AddInitializerToGraph",
                                                                                         22};
inline constexpr Fallible<OrtGraph*, OrtNode*> AddNodeToGraph{E, 11, "AddNodeToGraph", 22};
inline constexpr Fallible<const char* const*, const int*, size_t, OrtModel**> CreateModel{E, 12, "CreateModel", 22};
inline constexpr Fallible<OrtModel*, OrtGraph*> AddGraphToModel{E, 13, "AddGraphToModel", 22};
inline constexpr Fallible<const OrtEnv*, const OrtModel*, const OrtSessionOptions*, OrtSession**>
    CreateSessionFromModel{E, 14, "CreateSessionFromModel", 22};
}  // namespace api

/// What a status says: OrtErrorCode, all of ONNX Runtime's words, and those without the places in its source.
struct Failure {
  int32_t code;
  std::string text;
  std::string reason;
};

/// Reads and releases `status`, which is not null.
Failure read_failure(OrtStatus* status);

/// Reads and releases `status`; nothing for a null one, which means success.
inline std::optional<Failure> failure(OrtStatus* status) {
  return status ? std::optional(read_failure(status)) : std::nullopt;
}

/// Throws what `status`, which is not null, says as an Error whose message starts with `doing`; releases it.
[[noreturn]] void fail(OrtStatus* status, const char* doing);

/// The same where the status says anything.
inline void check(OrtStatus* status, const char* doing) {
  if (status) [[unlikely]]
    fail(status, doing);
}

/// Owns a handle of the C API and releases it with the API's own function.
template <class T, const auto& release>
struct Releaser {
  void operator()(T* handle) const { release(handle); }
};
template <class T, const auto& release>
using Handle = std::unique_ptr<T, Releaser<T, release>>;

using SessionOptionsHandle = Handle<OrtSessionOptions, api::ReleaseSessionOptions>;
using SessionHandle = Handle<OrtSession, api::ReleaseSession>;
using ValueHandle = Handle<OrtValue, api::ReleaseValue>;
using ValueInfoHandle = Handle<OrtValueInfo, api::ReleaseValueInfo>;
using TypeInfoHandle = Handle<OrtTypeInfo, api::ReleaseTypeInfo>;
using TensorInfoHandle = Handle<OrtTensorTypeAndShapeInfo, api::ReleaseTensorTypeAndShapeInfo>;
using AttributeHandle = Handle<OrtOpAttr, api::ReleaseOpAttr>;
using NodeHandle = Handle<OrtNode, api::ReleaseNode>;
using GraphHandle = Handle<OrtGraph, api::ReleaseGraph>;
using ModelHandle = Handle<OrtModel, api::ReleaseModel>;
using RunOptionsHandle = Handle<OrtRunOptions, api::ReleaseRunOptions>;
using SyncStreamHandle = Handle<OrtSyncStream, api::ReleaseSyncStream>;
using ThreadingOptionsHandle = Handle<OrtThreadingOptions, api::ReleaseThreadingOptions>;

/// Calls `function(arguments..., &out)` and owns what it made.
template <class HandleType, class Creator, class... Arguments>
HandleType create(const Creator& function, Arguments... arguments) {
  typename HandleType::pointer out = nullptr;
  check(function(arguments..., &out), function.name);
  return HandleType(out);
}

}  // namespace dlport::ort
