#include "python/exchange_api.hpp"

#include "dlport/error.hpp"
#include "dlport/tensor.hpp"
#include "python/errors.hpp"
#include "python/export.hpp"
#include "python/tensor_type.hpp"

namespace dlport::python {
namespace {

const Tensor& checked(void* object) {
  auto* python = static_cast<PyObject*>(object);
  if (!is_tensor(python)) {
    PyErr_Format(PyExc_TypeError, "expected a dlport.Tensor, got %.100s", Py_TYPE(python)->tp_name);
    throw PythonError{};
  }
  return tensor_in(python);
}

int allocate(DLTensor* prototype, DLManagedTensorVersioned** out, void* error_context,
             void (*set_error)(void*, const char*, const char*)) {
  try {
    const Shape shape(prototype->shape, static_cast<size_t>(prototype->ndim));
    if (!(Device(prototype->device) == cpu)) {
      throw Error(ErrorCode::unsupported,
                  "dlport allocates on cpu:0 here, not on " + to_string(Device(prototype->device)));
    }
    *out = Tensor::empty(shape, prototype->dtype).to_managed();
    return 0;
  } catch (const std::exception& error) {
    set_error(error_context, "BufferError", error.what());
    return -1;
  }
}

int managed_from_object(void* object, DLManagedTensorVersioned** out) {
  return guarded([&] { return *out = export_managed(checked(object)), 0; }, -1);
}

int managed_to_object(DLManagedTensorVersioned* managed, void** out) {
  return guarded([&] { return *out = require(wrap(Tensor::from_managed(managed))), 0; }, -1);
}

int borrowed_from_object(void* object, DLTensor* out) {
  return guarded([&] { return *out = checked(object).dltensor(), 0; }, -1);
}

int current_stream(DLDeviceType, int32_t, void** out) {
  *out = nullptr;  // host memory has no streams
  return 0;
}

constexpr DLPackExchangeAPI kTable = {
    {{DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}, nullptr},
    allocate,
    managed_from_object,
    managed_to_object,
    borrowed_from_object,
    current_stream,
};

}  // namespace

PyObject* exchange_api_capsule() {
  return PyCapsule_New(const_cast<DLPackExchangeAPI*>(&kTable), "dlpack_exchange_api", nullptr);
}

}  // namespace dlport::python
