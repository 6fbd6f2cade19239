/// Errors: one exception type, a code that a program can act on and a sentence that a person can.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

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
  /// `cause` is what a library below said in its own words.
  Error(ErrorCode code, const std::string& message, std::string cause = {}) : std::runtime_error(message), code_(code) {
    if (!cause.empty()) cause_ = std::make_shared<const std::string>(std::move(cause));
  }
  ~Error() override;

  ErrorCode code() const noexcept { return code_; }
  /// Empty where nothing below said anything. In Python it is the exception's `__cause__`.
  const char* cause() const noexcept { return cause_ ? cause_->c_str() : ""; }

 private:
  ErrorCode code_;
  std::shared_ptr<const std::string> cause_;  // shared, because exceptions are copied without throwing
};

}  // namespace dlport
