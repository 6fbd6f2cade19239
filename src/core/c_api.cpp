#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "dlport/dlport.h"
#include "dlport/error.hpp"
#include "dlport/exchange.hpp"
#include "dlport/tensor.hpp"

struct dlport_tensor {
  dlport::Tensor tensor;
};

namespace {

using dlport::Error;
using dlport::ErrorCode;
using dlport::Tensor;

thread_local std::string last_error;

dlport_status status_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_tensor:
      return DLPORT_INVALID_TENSOR;
    case ErrorCode::invalid_argument:
      return DLPORT_INVALID_ARGUMENT;
    case ErrorCode::unsupported:
      return DLPORT_UNSUPPORTED;
    case ErrorCode::would_copy:
      return DLPORT_WOULD_COPY;
    case ErrorCode::device:
      return DLPORT_DEVICE;
    case ErrorCode::out_of_memory:
      return DLPORT_OUT_OF_MEMORY;
    case ErrorCode::not_found:
      return DLPORT_NOT_FOUND;
    case ErrorCode::internal:
      return DLPORT_INTERNAL;
  }
  return DLPORT_INTERNAL;
}

/// Runs `work`, turning what it throws into a status.
template <class Work>
dlport_status guarded(Work work) noexcept {
  try {
    work();
    return DLPORT_OK;
  } catch (const Error& error) {
    last_error = error.what();
    return status_of(error.code());
  } catch (const std::bad_alloc&) {
    last_error = "out of memory";
    return DLPORT_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    last_error = error.what();
    return DLPORT_INTERNAL;
  }
}

template <class Pointer>
void require(Pointer pointer, const char* name) {
  if (!pointer) throw Error(ErrorCode::invalid_argument, std::string(name) + " is a null pointer");
}

/// Stores what `make` returns as a new reference.
template <class Make>
dlport_status store(dlport_tensor** out, Make make) noexcept {
  return guarded([&] {
    Tensor tensor = make();  // first: it takes over its argument whatever `out` is
    require(out, "out");
    *out = new dlport_tensor{std::move(tensor)};
  });
}

}  // namespace

const char* dlport_version(void) {
  return DLPORT_VERSION;
}

const char* dlport_last_error(void) {
  return last_error.c_str();
}

dlport_status dlport_validate(const DLTensor* tensor, uint64_t flags) {
  return guarded([&] {
    require(tensor, "tensor");
    dlport::validate(*tensor, flags);
  });
}

dlport_status dlport_empty(int32_t ndim, const int64_t* shape, DLDataType dtype, dlport_tensor** out) {
  return store(out, [&] {
    if (ndim < 0) throw Error(ErrorCode::invalid_argument, "ndim = " + std::to_string(ndim) + " is negative");
    if (ndim > 0) require(shape, "shape");
    return Tensor::empty({shape, static_cast<size_t>(ndim)}, dtype);
  });
}

dlport_status dlport_import(DLManagedTensorVersioned* managed, dlport_tensor** out) {
  return store(out, [&] { return Tensor::from_managed(managed); });
}

dlport_status dlport_import_legacy(DLManagedTensor* managed, dlport_tensor** out) {
  return store(out, [&] { return Tensor::from_managed_legacy(managed); });
}

dlport_status dlport_export(const dlport_tensor* tensor, DLManagedTensorVersioned** out) {
  return guarded([&] {
    require(tensor, "tensor");
    require(out, "out");
    *out = tensor->tensor.to_managed();
  });
}

dlport_status dlport_export_legacy(const dlport_tensor* tensor, DLManagedTensor** out) {
  return guarded([&] {
    require(tensor, "tensor");
    require(out, "out");
    *out = tensor->tensor.to_managed_legacy();
  });
}

const DLTensor* dlport_dltensor(const dlport_tensor* tensor) {
  return &tensor->tensor.dltensor();
}

uint64_t dlport_flags(const dlport_tensor* tensor) {
  return tensor->tensor.flags();
}

DLDevice dlport_device(const dlport_tensor* tensor) {
  return tensor->tensor.device();
}

void dlport_release(dlport_tensor* tensor) {
  delete tensor;
}

dlport_status dlport_copy(const DLTensor* dst, const DLTensor* src) {
  return guarded([&] {
    require(dst, "dst");
    require(src, "src");
    dlport::validate(*dst);
    dlport::validate(*src);
    dlport::copy_cast(*dst, *src);
  });
}

size_t dlport_describe(const DLTensor* tensor, uint64_t flags, char* buffer, size_t size) {
  std::string text;
  const dlport_status status = guarded([&] {
    require(tensor, "tensor");
    dlport::validate(*tensor, flags);
    text = to_string(dlport::TensorView(*tensor, flags));
  });
  if (status != DLPORT_OK) text.clear();
  if (size > 0) {
    const size_t length = std::min(text.size(), size - 1);
    std::memcpy(buffer, text.data(), length);
    buffer[length] = '\0';
  }
  return text.size();
}
