#include "python/buffer.hpp"

#include <memory>
#include <string>
#include <vector>

#include "dlport/error.hpp"
#include "python/errors.hpp"
#include "python/tensor_type.hpp"

namespace dlport::python {
namespace {

struct Format {
  DType dtype;
  const char* code;
};

constexpr Format kFormats[] = {
    {boolean, "?"}, {int8, "b"},    {int16, "h"},      {int32, "i"},       {int64, "q"},
    {uint8, "B"},   {uint16, "H"},  {uint32, "I"},     {uint64, "Q"},      {float16, "e"},
    {float32, "f"}, {float64, "d"}, {complex64, "Zf"}, {complex128, "Zd"},
};

const char* format_of(DType dtype) {
  for (const Format& format : kFormats) {
    if (format.dtype == dtype) return format.code;
  }
  throw Error(ErrorCode::invalid_tensor,
              "the buffer protocol has no format for " + to_string(dtype) + "; exchange the tensor through DLPack");
}

/// What a buffer needs to live as long as it does: the tensor's arrays, in bytes.
struct Arrays {
  std::vector<Py_ssize_t> shape, strides;
};

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_tensor, message);
}

int fill(PyObject* object, Py_buffer* view, int flags) {
  const Tensor& tensor = tensor_in(object);
  if (!tensor.physical_device().is_host()) refuse("a tensor on " + to_string(tensor.device()) + " has no host buffer");
  if ((flags & PyBUF_WRITABLE) == PyBUF_WRITABLE && tensor.read_only()) refuse("the tensor is read-only");
  const char* format = format_of(tensor.dtype());
  const bool contiguous = tensor.is_contiguous();
  if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !contiguous) refuse("the tensor is not row-major contiguous");
  if ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS && !contiguous)
    refuse("the tensor is not row-major contiguous");

  auto arrays = std::make_unique<Arrays>();
  arrays->shape.assign(tensor.shape().begin(), tensor.shape().end());
  for (int64_t stride : tensor.strides()) arrays->strides.push_back(stride * tensor.dtype().itemsize());
  static char nothing;
  view->buf = tensor.dltensor().data ? tensor.data() : &nothing;
  view->len = tensor.numel() * tensor.dtype().itemsize();
  view->itemsize = tensor.dtype().itemsize();
  view->readonly = tensor.read_only();
  view->ndim = tensor.ndim();
  view->format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT ? const_cast<char*>(format) : nullptr;
  view->shape = (flags & PyBUF_ND) == PyBUF_ND ? arrays->shape.data() : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? arrays->strides.data() : nullptr;
  view->suboffsets = nullptr;
  view->internal = arrays.release();
  view->obj = object;
  Py_INCREF(object);
  return 0;
}

}  // namespace

int get_buffer(PyObject* object, Py_buffer* view, int flags) {
  view->obj = nullptr;
  return guarded([&] { return fill(object, view, flags); }, -1);
}

void release_buffer(PyObject*, Py_buffer* view) {
  delete static_cast<Arrays*>(view->internal);
}

}  // namespace dlport::python
