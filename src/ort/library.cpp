// Finds, opens and checks the ONNX Runtime library, once a process.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

#include "dlport/error.hpp"
#include "dlport/ort.hpp"
#include "ort/api.hpp"

namespace dlport::ort {
namespace {

constexpr int kNewestApi = 29;  // the newest table layout that api.hpp was written from
constexpr int kOldestApi = 23;

struct ApiBase {
  const void* const* (*get_api)(uint32_t version);
  const char* (*get_version_string)();
};

struct Library {
  std::string path, version;
  Tables tables{};
};

std::mutex path_mutex;
std::string chosen_path;  // what use_library() was told

std::string library_path() {
  if (const char* path = std::getenv("DLPORT_ORT_LIBRARY"); path && *path) return path;
  std::lock_guard lock(path_mutex);
  return chosen_path.empty() ? "libonnxruntime.so" : chosen_path;
}

Library open_library() {
  Library library;
  library.path = library_path();
  void* handle = dlopen(library.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    throw Error(ErrorCode::not_found, "no ONNX Runtime library: " + std::string(dlerror()) +
                                          "; pip install onnxruntime, or set DLPORT_ORT_LIBRARY to its shared library");
  }
  auto get_base = reinterpret_cast<const ApiBase* (*)()>(dlsym(handle, "OrtGetApiBase"));
  if (!get_base) {
    dlclose(handle);
    throw Error(ErrorCode::not_found, library.path +
                                          " is not ONNX Runtime: it has no OrtGetApiBase; set "
                                          "DLPORT_ORT_LIBRARY to the library that the onnxruntime package ships");
  }
  const ApiBase* base = get_base();
  library.version = base->get_version_string();
  int minor = 0;
  if (std::sscanf(library.version.c_str(), "1.%d", &minor) != 1 || minor < kOldestApi) {
    throw Error(ErrorCode::unsupported, "ONNX Runtime " + library.version + " at " + library.path +
                                            " is too old: dlport needs 1." + std::to_string(kOldestApi) +
                                            " or newer; pip install -U onnxruntime");
  }
  library.tables.api_version = minor < kNewestApi ? minor : kNewestApi;
  library.tables.table[0] = base->get_api(static_cast<uint32_t>(library.tables.api_version));
  if (!library.tables.table[0]) {
    throw Error(ErrorCode::unsupported, "ONNX Runtime " + library.version + " at " + library.path +
                                            " does not hand out version " + std::to_string(library.tables.api_version) +
                                            " of its API");
  }
  constexpr int kGetModelEditorApi = 291;
  using GetTable = const void* const* (*)();
  library.tables.table[1] =
      reinterpret_cast<GetTable>(const_cast<void*>(library.tables.table[0][kGetModelEditorApi]))();
  return library;
}

const Library& library() {
  static const Library opened = open_library();  // a failure throws, and the next use tries again
  opened_tables.store(&opened.tables, std::memory_order_release);
  return opened;
}

}  // namespace

std::atomic<const Tables*> opened_tables{nullptr};

const Tables& tables_since(int since, const char* name) {
  const Library& opened = library();
  if (since > opened.tables.api_version) {
    throw Error(ErrorCode::unsupported, std::string(name) + " came with ONNX Runtime 1." + std::to_string(since) +
                                            ", but the library in use is " + opened.version +
                                            "; pip install -U onnxruntime");
  }
  return opened.tables;
}

bool has_api(int since) {
  return since <= library().tables.api_version;
}

void use_library(std::string path) {
  std::lock_guard lock(path_mutex);
  chosen_path = std::move(path);
}

std::string version() {
  return library().version;
}

}  // namespace dlport::ort
