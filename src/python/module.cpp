// The module `dlport._core`.
#include <nanobind/nanobind.h>

#include "dlport/device.hpp"
#include "python/arguments.hpp"
#include "python/driver.hpp"
#include "python/errors.hpp"
#include "python/import.hpp"
#include "python/ort.hpp"
#include "python/stream.hpp"
#include "python/tensor_type.hpp"

namespace dlport::python {
namespace {

/// from_dlpack(x, /, *, device=None, copy=None), called without a binding library in between: it is what an exchange
/// costs.
PyObject* from_dlpack(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  if (count == 1 && !keywords) {
    return guarded([&] { return wrap(import_object(arguments[0])); });
  }
  return guarded([&]() -> PyObject* {
    if (count != 1) {
      PyErr_Format(PyExc_TypeError, "from_dlpack takes one tensor, got %zd positional arguments", count);
      throw PythonError{};
    }
    static const Keywords names("from_dlpack", {"device", "copy"});
    PyObject* values[2] = {};
    names.read(arguments + 1, 0, keywords, values);
    return wrap(import_object(arguments[0], copy_argument(values[1]), device_argument(values[0])));
  });
}

PyMethodDef functions[] = {
    {"from_dlpack", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(from_dlpack)),
     METH_FASTCALL | METH_KEYWORDS,
     "from_dlpack(x, /, *, device=None, copy=None)\n--\n\n"
     "The memory of `x`, any framework's tensor or a DLPack capsule, as a dlport.Tensor.\n\n"
     "device: where the result has to be, e.g. 'cpu:0' or (device_type, device_id); BufferError where it is not.\n"
     "copy: None shares where possible, True always copies, False raises BufferError rather than copying.\n\n"
     "The tensor keeps the producer's memory alive. Everything that the producer says is checked first."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

NB_MODULE(_core, m) {
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error&) {
      set_python_error();
    } catch (const PythonError&) {  // it is set already
    }
  });
  if (!init_import() || !add_tensor_type(m.ptr()) || PyModule_AddFunctions(m.ptr(), functions) < 0) {
    throw nanobind::python_error();
  }
  bind_driver(m);
  bind_stream(m);
  bind_ort(m);
}

}  // namespace dlport::python
