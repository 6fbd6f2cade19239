// Errors at the C boundary of the built-in drivers, and back.
#pragma once

#include <new>
#include <string>

#include "dlport/driver.h"
#include "dlport/error.hpp"

namespace dlport::drivers {

// The two enumerations say the same; C has OK in front.
static_assert(static_cast<int>(ErrorCode::invalid_tensor) + 1 == DLPORT_INVALID_TENSOR);
static_assert(static_cast<int>(ErrorCode::internal) + 1 == DLPORT_INTERNAL);

constexpr dlport_status status_of(ErrorCode code) noexcept {
  return static_cast<dlport_status>(static_cast<int>(code) + 1);
}

/// The code of a status, which comes from a driver and may be anything.
constexpr ErrorCode code_of(dlport_status status) noexcept {
  const bool known = status >= DLPORT_INVALID_TENSOR && status <= DLPORT_INTERNAL;
  return known ? static_cast<ErrorCode>(static_cast<int>(status) - 1) : ErrorCode::device;
}

/// The last failure of this thread in any built-in driver.
inline thread_local std::string last_failure;

inline const char* last_error() noexcept {
  return last_failure.c_str();
}

/// Runs the body of a driver's function, turning what it throws into a status.
template <class Work>
dlport_status guarded(const Work& work) noexcept {
  try {
    work();
    return DLPORT_OK;
  } catch (const Error& error) {
    last_failure = error.what();
    return status_of(error.code());
  } catch (const std::bad_alloc&) {
    last_failure = "no host memory left";
    return DLPORT_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    last_failure = error.what();
    return DLPORT_INTERNAL;
  } catch (...) {
    last_failure = "an exception of unknown type";
    return DLPORT_INTERNAL;
  }
}

/// Throws Error{invalid_argument} naming a null pointer.
inline void require(const void* pointer, const char* name) {
  if (!pointer) throw Error(ErrorCode::invalid_argument, std::string(name) + " is a null pointer");
}

}  // namespace dlport::drivers
