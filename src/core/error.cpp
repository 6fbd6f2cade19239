#include "dlport/error.hpp"

namespace dlport {

Error::~Error() = default;

const char* to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_tensor:
      return "invalid_tensor";
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::would_copy:
      return "would_copy";
    case ErrorCode::device:
      return "device";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::internal:
      return "internal";
  }
  return "unknown";
}

}  // namespace dlport
