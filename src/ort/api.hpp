// ONNX Runtime's C ABI, as far as we use it. Its tables are append-only, so an entry is an index, a signature and the
// release that added it; the indices are those of the release's public header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

struct OrtAllocator;
struct OrtEnv;
struct OrtEpDevice;
struct OrtGraph;
struct OrtHardwareDevice;
struct OrtKeyValuePairs;
struct OrtMemoryInfo;
struct OrtModel;
struct OrtNode;
struct OrtOpAttr;
struct OrtRunOptions;
struct OrtSession;
struct OrtSessionOptions;
struct OrtStatus;
struct OrtTensorTypeAndShapeInfo;
struct OrtThreadingOptions;
struct OrtTypeInfo;
struct OrtValue;
struct OrtValueInfo;

namespace dlport::ort {

/// The tables of functions that the library hands out.
enum class Table { api, model_editor };

/// The address of entry `index`. Throws Error{unsupported} naming the function and the release (1.`since`) that has it
/// where the library at hand is older; opens the library on first use.
void* entry(Table table, int index, const char* name, int since);

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

enum class ElementType : int32_t { undefined = 0 };  ///< ONNXTensorElementDataType
enum class LoggingLevel : int32_t { verbose, info, warning, error, fatal };
enum class AllocatorType : int32_t { device = 0, arena = 1 };
enum class MemoryType : int32_t { standard = 0 };
enum class GraphOptimization : int32_t { none = 0, basic = 1, extended = 2, all = 99 };
enum class AttributeType : int32_t { undefined, integer, integers, real, reals, string, strings, graph, tensor };
enum class HardwareType : int32_t { cpu, gpu, npu };

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

inline constexpr Fallible<OrtSessionOptions**> CreateSessionOptions{A, 10, "CreateSessionOptions"};
inline constexpr Function<void(OrtSessionOptions*)> ReleaseSessionOptions{A, 100, "ReleaseSessionOptions"};
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

inline constexpr Function<void(OrtSession*)> ReleaseSession{A, 95, "ReleaseSession"};
inline constexpr Fallible<OrtSession*, const OrtRunOptions*, const char* const*, const OrtValue* const*, size_t,
                          const char* const*, size_t, OrtValue**>
    Run{A, 9, "Run"};

inline constexpr Fallible<AllocatorType, MemoryType, OrtMemoryInfo**> CreateCpuMemoryInfo{A, 69, "CreateCpuMemoryInfo"};
inline constexpr Fallible<const OrtMemoryInfo*, void*, size_t, const int64_t*, size_t, ElementType, OrtValue**>
    CreateTensorWithDataAsOrtValue{A, 49, "CreateTensorWithDataAsOrtValue"};
inline constexpr Function<void(OrtValue*)> ReleaseValue{A, 96, "ReleaseValue"};

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

/// Throws what `status` says, if anything, as an Error whose message starts with `doing`; releases it either way.
void check(OrtStatus* status, const char* doing);

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
using ThreadingOptionsHandle = Handle<OrtThreadingOptions, api::ReleaseThreadingOptions>;

/// Calls `function(arguments..., &out)` and owns what it made.
template <class HandleType, class Creator, class... Arguments>
HandleType create(const Creator& function, Arguments... arguments) {
  typename HandleType::pointer out = nullptr;
  check(function(arguments..., &out), function.name);
  return HandleType(out);
}

}  // namespace dlport::ort
