// dlport::Error as Python exceptions.
#pragma once

#include <Python.h>

#include <exception>
#include <utility>

#include "dlport/error.hpp"

namespace dlport::python {

/// A Python error is already set; unwinds to guarded().
struct PythonError {};

/// Sets the Python error for the exception in flight, by the table in error.hpp. Call it from a catch block.
void set_python_error() noexcept;

/// Runs `body` and returns its result; where it throws, sets the Python error and returns `failed`.
template <class Body, class Result = decltype(std::declval<Body>()())>
Result guarded(const Body& body, Result failed = Result{}) noexcept {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return failed;
  }
}

/// Passes an owned or borrowed reference on; throws PythonError for null.
inline PyObject* require(PyObject* object) {
  if (!object) throw PythonError{};
  return object;
}

/// Owns a reference.
class Reference {
 public:
  Reference() noexcept = default;
  explicit Reference(PyObject* owned) noexcept : object_(owned) {}
  Reference(Reference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Reference& operator=(Reference&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Reference() { Py_XDECREF(object_); }
  PyObject* get() const noexcept { return object_; }
  PyObject* release() noexcept { return std::exchange(object_, nullptr); }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace dlport::python
