#include "python/export.hpp"

#include <string>

#include "dlport/driver.hpp"
#include "python/capsule.hpp"
#include "python/errors.hpp"

namespace dlport::python {
namespace {

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

void check_device(const Tensor& tensor, const Request& request) {
  if (!request.device || *request.device == tensor.physical_device() || *request.device == tensor.device()) return;
  if (*request.device == cpu) return;  // shared, or moved
  throw Error(ErrorCode::would_copy, "the tensor is on " + to_string(tensor.device()) + " and was asked for on " +
                                         to_string(*request.device) + "; copy it there with dlport.to first");
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
  const bool as_copy = reason || request.copy == Copy::always;
  const bool as_cpu = request.device && *request.device == cpu && !(source.physical_device() == cpu);
  const Tensor tensor = as_copy  ? (as_cpu ? copied_to(source, cpu) : copied(source))
                        : as_cpu ? source.on(cpu)  // host memory of another kind
                                 : source;
  if (!request.versioned) return make_capsule(tensor.to_managed_legacy());
  const bool as_virtual = request.device && is_virtual(*request.device) && !as_copy;
  return make_capsule(as_virtual ? export_virtual(tensor) : tensor.to_managed(as_copy));
}

DLManagedTensorVersioned* export_managed(const Tensor& tensor) {
  return has_negative_stride(tensor) ? copied(tensor).to_managed(/*copied=*/true) : tensor.to_managed();
}

}  // namespace dlport::python
