/// Errors: one exception type, a code that a program can act on and a sentence that a person can.
#pragma once

#include <stdexcept>
#include <string>

#include "dlport/export.h"

namespace dlport {

/// What went wrong. In Python each code becomes the exception named beside it.
enum class ErrorCode {
  invalid_tensor,    ///< a tensor breaks DLPack's rules or its memory's bounds: `BufferError`
  invalid_argument,  ///< a caller's value is out of range or of the wrong kind: `ValueError`
  unsupported,       ///< well formed, but this part cannot express it: `NotImplementedError`
  would_copy,        ///< only a copy could do it, and the caller forbade one: `BufferError`
  device,            ///< a driver or a runtime reported a failure: `RuntimeError`
  out_of_memory,     ///< an allocation failed: `MemoryError`
  not_found,         ///< a library, device, operator or file is not there: `RuntimeError`
  internal,          ///< a broken invariant of dlport itself, worth a bug report: `RuntimeError`
};

/// Returns the code's name as spelled above ("invalid_tensor", ...).
DLPORT_API const char* to_string(ErrorCode code) noexcept;

/// The one exception that dlport throws. `what()` is a single sentence that names the offending value.
class DLPORT_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ~Error() override;

  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace dlport
