#include "drivers/cuda/api.hpp"

#include <string>

#include "dlport/error.hpp"
#include "drivers/shared_library.hpp"

namespace dlport::drivers::cuda {
namespace {

struct Kind {
  CUresult result;
  ErrorCode code;
};

constexpr Kind kKinds[] = {
    {CUDA_ERROR_INVALID_VALUE, ErrorCode::invalid_argument},
    {CUDA_ERROR_INVALID_HANDLE, ErrorCode::invalid_argument},
    {CUDA_ERROR_OUT_OF_MEMORY, ErrorCode::out_of_memory},
    {CUDA_ERROR_NO_DEVICE, ErrorCode::not_found},
    {CUDA_ERROR_NOT_FOUND, ErrorCode::not_found},
    {CUDA_ERROR_INVALID_IMAGE, ErrorCode::invalid_argument},
    {CUDA_ERROR_INVALID_PTX, ErrorCode::invalid_argument},
    {CUDA_ERROR_INVALID_SOURCE, ErrorCode::invalid_argument},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, ErrorCode::invalid_argument},
    {CUDA_ERROR_NOT_SUPPORTED, ErrorCode::unsupported},
};

void check_with(const Api& functions, CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  ErrorCode code = ErrorCode::device;
  for (const Kind& kind : kKinds) {
    if (kind.result == result) code = kind.code;
  }
  const char *name = nullptr, *sentence = nullptr;
  functions.GetErrorName(result, &name);
  functions.GetErrorString(result, &sentence);
  throw Error(code, std::string(call) + " failed: " + (name ? name : "CUDA error " + std::to_string(result)) +
                        (sentence ? std::string(" (") + sentence + ")" : ""));
}

Api load() {
  const SharedLibrary library("DLPORT_CUDA_LIBRARY", "libcuda.so.1", "install NVIDIA's driver");
  Api functions;
#define DLPORT_LOAD(name, symbol, parameters) \
  functions.name = reinterpret_cast<decltype(functions.name)>(library.function(#symbol));
  DLPORT_CUDA_FUNCTIONS(DLPORT_LOAD)
#undef DLPORT_LOAD
  check_with(functions, functions.Init(0), "cuInit");
  return functions;
}

}  // namespace

const Api& api() {
  static const Api functions = load();
  return functions;
}

void check(CUresult result, const char* call) {
  check_with(api(), result, call);
}

}  // namespace dlport::drivers::cuda
