#include "torch/interchange.hpp"

#include <ATen/DLConvertor.h>
#include <torch/csrc/autograd/python_variable.h>

#include <exception>

#include "torch/buffer.hpp"

namespace dlport::pytorch {
namespace {

constexpr const char* kApiCapsule = "dlpack_exchange_api";

const DLPackExchangeAPI* original = nullptr;  // PyTorch's own table, which lives as long as the process

/// Runs `body`, turning a C++ exception into a Python error as the exchange API asks.
template <class Body>
int guarded(const Body& body) {
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_BufferError, error.what());
    return -1;
  }
}

const at::Tensor* ort_tensor_in(void* object) {
  auto* python = static_cast<PyObject*>(object);
  if (!THPVariable_Check(python)) return nullptr;
  const at::Tensor& tensor = THPVariable_Unpack(python);
  return is_ort(tensor) ? &tensor : nullptr;
}

int managed_tensor_from(void* object, DLManagedTensorVersioned** out) {
  const at::Tensor* tensor = ort_tensor_in(object);
  if (!tensor) return original->managed_tensor_from_py_object_no_sync(object, out);
  return guarded([&] { *out = at::toDLPackVersioned(physical_tensor(*tensor)); });
}

int borrowed_tensor_from(void* object, DLTensor* out) {
  const at::Tensor* tensor = ort_tensor_in(object);
  if (!tensor) return original->dltensor_from_py_object_no_sync(object, out);
  return guarded([&] {
    const c10::Storage physical = physical_storage(tensor->storage());
    at::toDLPackNonOwning(*tensor, out);  // shape and strides stay the tensor's own arrays
    out->device = at::torchDeviceToDLDevice(physical.device());
  });
}

template <class Managed>
PyObject* capsule_of(Managed* managed, const char* name) {
  auto destroy = [](PyObject* capsule) {
    const char* unused = at::DLPackTraits<Managed>::capsule;
    if (!PyCapsule_IsValid(capsule, unused)) return;  // a consumer took it over
    auto* held = static_cast<Managed*>(PyCapsule_GetPointer(capsule, unused));
    held->deleter(held);
  };
  PyObject* capsule = PyCapsule_New(managed, name, destroy);
  if (!capsule) managed->deleter(managed);
  return capsule;
}

}  // namespace

PyObject* wrap_exchange_api(PyObject* capsule) {
  original = static_cast<const DLPackExchangeAPI*>(PyCapsule_GetPointer(capsule, kApiCapsule));
  if (!original) return nullptr;
  static DLPackExchangeAPI table;
  table = *original;
  table.managed_tensor_from_py_object_no_sync = managed_tensor_from;
  table.dltensor_from_py_object_no_sync = borrowed_tensor_from;
  return PyCapsule_New(&table, kApiCapsule, nullptr);
}

PyObject* virtual_capsule(const at::Tensor& tensor, int index, bool versioned) {
  if (index != tensor.device().index()) {
    PyErr_Format(PyExc_BufferError, "the tensor is on ort:%d and cannot be exported as ort:%d without a copy",
                 static_cast<int>(tensor.device().index()), index);
    return nullptr;
  }
  PyObject* capsule = nullptr;
  const int failed = guarded([&] {
    capsule = versioned ? capsule_of(at::toDLPackVersioned(tensor), at::DLPackTraits<DLManagedTensorVersioned>::capsule)
                        : capsule_of(at::toDLPack(tensor), at::DLPackTraits<DLManagedTensor>::capsule);
  });
  return failed ? nullptr : capsule;
}

}  // namespace dlport::pytorch
