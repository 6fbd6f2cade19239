#include "drivers/shared_library.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "dlport/error.hpp"

namespace dlport::drivers {

SharedLibrary::SharedLibrary(const char* variable, const char* soname, const char* advice) {
  const char* named = std::getenv(variable);
  path_ = named && *named ? named : soname;
  handle_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_) {
    throw Error(ErrorCode::not_found,
                "there is no " + path_ + " (" + dlerror() + "): " + advice + ", or name another with " + variable);
  }
}

void* SharedLibrary::function(const std::string& name) const {
  void* found = dlsym(handle_, name.c_str());
  if (!found) throw Error(ErrorCode::not_found, path_ + " has no " + name + ": it is too old, or another library");
  return found;
}

}  // namespace dlport::drivers
