// A runtime's library, opened at run time.
#pragma once

#include <string>

namespace dlport::drivers {

/// A library that stays open. Not closed: the code of a runtime may be running on threads of its own.
class SharedLibrary {
 public:
  /// Opens what the environment's `variable` names, else `soname`. Throws Error{not_found} with `advice` where it
  /// cannot.
  SharedLibrary(const char* variable, const char* soname, const char* advice);

  /// Throws Error{not_found} naming the function where the library lacks it.
  void* function(const std::string& name) const;

 private:
  std::string path_;
  void* handle_;
};

}  // namespace dlport::drivers
