#include "python/export.hpp"

#include <string>

#include "dlport/driver.hpp"
#include "dlport/exchange.hpp"
#include "python/errors.hpp"

namespace dlport::python {
namespace {

constexpr const char* kVersioned = "dltensor_versioned";
constexpr const char* kLegacy = "dltensor";

bool has_negative_stride(const Tensor& tensor) {
  for (size_t i = 0; i < tensor.shape().size(); ++i) {
    if (tensor.strides()[i] < 0 && tensor.shape()[i] > 1) return true;
  }
  return false;
}

/// Whether only a move to the host gives the consumer what it asked for.
bool moves_to_host(const Tensor& tensor, const Request& request) {
  return request.device && *request.device == cpu && !tensor.physical_device().is_host();
}

/// Why `tensor` cannot be shared as the request asks; null where it can.
const char* obstacle(const Tensor& tensor, const Request& request) {
  if (has_negative_stride(tensor)) {
    return "has negative strides, which DLPack's consumers do not all survive (numpy.asarray(tensor) shares them)";
  }
  if (moves_to_host(tensor, request)) return "is on a device, and was asked for in host memory";
  if (!request.versioned && tensor.read_only()) {
    return "is read-only, which a consumer of DLPack before 1.0 cannot be told (ask for max_version=(1, 0))";
  }
  return nullptr;
}

/// A row-major copy on `device`.
Tensor copy_for_export(const Tensor& tensor, Device device) {
  if (device.is_host() && tensor.physical_device().is_host()) return contiguous_copy(tensor);
  const Tensor result =
      empty(tensor.shape(), tensor.dtype(), device, nullptr, tensor.flags() & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED);
  copy(result, tensor);
  return result;
}

void check_device(const Tensor& tensor, const Request& request) {
  if (!request.device || *request.device == tensor.physical_device() || *request.device == tensor.device()) return;
  if (*request.device == cpu) return;  // shared, or moved
  throw Error(ErrorCode::would_copy, "the tensor is on " + to_string(tensor.device()) + " and was asked for on " +
                                         to_string(*request.device) + "; copy it there with dlport.to first");
}

template <class Managed>
PyObject* capsule_of(Managed* managed, const char* name, PyCapsule_Destructor destroy) {
  PyObject* capsule = PyCapsule_New(managed, name, destroy);
  if (!capsule) {
    managed->deleter(managed);
    throw PythonError{};
  }
  return capsule;
}

template <class Managed>
void drop(PyObject* capsule, const char* name) {
  if (!PyCapsule_IsValid(capsule, name)) return;  // consumed: the consumer calls the deleter
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}

/// An export that claims to be on the virtual device itself, for a consumer that asked for it by name.
DLManagedTensorVersioned* export_virtual(const Tensor& tensor) {
  struct Export {
    DLManagedTensorVersioned managed;
    Tensor tensor;
  };
  auto* made = new Export{{}, tensor};
  DLManagedTensorVersioned& managed = made->managed;
  managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed.flags = tensor.flags();
  managed.dl_tensor = tensor.dltensor();
  managed.dl_tensor.device = tensor.device();
  managed.manager_ctx = made;
  managed.deleter = [](DLManagedTensorVersioned* self) { delete static_cast<Export*>(self->manager_ctx); };
  return &managed;
}

}  // namespace

PyObject* export_capsule(const Tensor& source, const Request& request) {
  check_device(source, request);
  const char* reason = obstacle(source, request);
  if (reason && request.copy == Copy::never) {
    throw Error(ErrorCode::would_copy, std::string("the tensor ") + reason + ", and copy=False forbids a copy");
  }
  const bool copied = reason || request.copy == Copy::always;
  const Device target = moves_to_host(source, request) ? cpu : source.physical_device();
  const Tensor tensor = copied ? copy_for_export(source, target) : source;
  if (!request.versioned) {
    return capsule_of(tensor.to_managed_legacy(), kLegacy,
                      [](PyObject* capsule) { drop<DLManagedTensor>(capsule, kLegacy); });
  }
  const bool as_virtual = request.device && is_virtual(*request.device) && !copied;
  DLManagedTensorVersioned* managed = as_virtual ? export_virtual(tensor) : tensor.to_managed(copied);
  return capsule_of(managed, kVersioned,
                    [](PyObject* capsule) { drop<DLManagedTensorVersioned>(capsule, kVersioned); });
}

DLManagedTensorVersioned* export_managed(const Tensor& tensor) {
  return has_negative_stride(tensor) ? copy_for_export(tensor, tensor.physical_device()).to_managed(/*copied=*/true) : tensor.to_managed();
}

}  // namespace dlport::python
