// A driver's own objects behind the opaque handles of the C table.
#pragma once

#include <memory>

#include "drivers/status.hpp"

namespace dlport::drivers {

/// The object behind a handle; throws Error{invalid_argument} naming a null one. Objects are types of the driver's own
/// and not the struct that the handle points to in C: several drivers live in one library.
template <class Object, class Handle>
Object& object_of(Handle* handle, const char* name) {
  require(handle, name);
  return *reinterpret_cast<Object*>(handle);
}

/// Hands an object out; take() ends it.
template <class Handle, class Object>
Handle give(std::unique_ptr<Object> object) noexcept {
  return reinterpret_cast<Handle>(object.release());
}

template <class Object, class Handle>
std::unique_ptr<Object> take(Handle* handle) noexcept {
  return std::unique_ptr<Object>(reinterpret_cast<Object*>(handle));
}

}  // namespace dlport::drivers
