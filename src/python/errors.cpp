#include "python/errors.hpp"

#include <new>

namespace dlport::python {
namespace {

PyObject* exception_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_tensor:
    case ErrorCode::would_copy:
      return PyExc_BufferError;
    case ErrorCode::invalid_argument:
      return PyExc_ValueError;
    case ErrorCode::unsupported:
      return PyExc_NotImplementedError;
    case ErrorCode::out_of_memory:
      return PyExc_MemoryError;
    case ErrorCode::device:
    case ErrorCode::not_found:
    case ErrorCode::internal:
      break;
  }
  return PyExc_RuntimeError;
}

/// Makes `text`, as a RuntimeError, the cause of the error that is set.
void set_cause(const char* text) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (PyObject* cause = PyObject_CallFunction(PyExc_RuntimeError, "s", text)) {
    PyException_SetCause(value, cause);  // takes the reference
  } else {
    PyErr_Clear();
  }
  PyErr_Restore(type, value, trace);
}

}  // namespace

void set_python_error() noexcept {
  try {
    throw;
  } catch (const PythonError&) {
  } catch (const Error& error) {
    PyErr_SetString(exception_of(error.code()), error.what());
    if (*error.cause()) set_cause(error.cause());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

}  // namespace dlport::python
