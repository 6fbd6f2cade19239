#include "drivers/opencl/vendors.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace dlport::drivers::opencl {

void open_vendors() noexcept {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which intercept functions by their names
  try {
    // The folder of the ICD loader's specification (cl_khr_icd); the variable is the loader's.
    const char* named = std::getenv("OCL_ICD_VENDORS");
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(named ? named : "/etc/OpenCL/vendors", missing)) {
      if (entry.path().extension() != ".icd") continue;
      std::string library;
      std::ifstream(entry.path()) >> library;
      if (!library.empty()) dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    }
  } catch (...) {  // the loader says what is wrong with a platform
  }
#endif
}

}  // namespace dlport::drivers::opencl
