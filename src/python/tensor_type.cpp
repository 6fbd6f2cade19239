#include "python/tensor_type.hpp"

#include <cstddef>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dlport/driver.hpp"
#include "dlport/error.hpp"
#include "python/arguments.hpp"
#include "python/buffer.hpp"
#include "python/driver.hpp"
#include "python/errors.hpp"
#include "python/exchange_api.hpp"
#include "python/export.hpp"
#include "python/framework.hpp"

namespace dlport::python {
namespace {

/// Objects that died, for the next ones to reuse; guarded by the GIL.
TensorObject* free_objects[64];
size_t free_count = 0;

void deallocate(PyObject* self) {
  auto* object = reinterpret_cast<TensorObject*>(self);
  if (object->weak_references) PyObject_ClearWeakRefs(self);
  object->tensor.~Tensor();
  if (free_count < std::size(free_objects)) {
    free_objects[free_count++] = object;
  } else {
    PyObject_Free(self);
  }
}

PyObject* text(const std::string& value) {
  return PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size()));
}

PyObject* tuple_of(Shape values) {
  Reference tuple(require(PyTuple_New(static_cast<Py_ssize_t>(values.size()))));
  for (size_t i = 0; i < values.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), require(PyLong_FromLongLong(values[i])));
  }
  return tuple.release();
}

/// The integers of a sequence, or of the arguments themselves: reshape(2, 3) and reshape((2, 3)) mean the same.
std::vector<int64_t> integers(PyObject* arguments) {
  PyObject* source = arguments;
  if (PyTuple_GET_SIZE(arguments) == 1 && !PyIndex_Check(PyTuple_GET_ITEM(arguments, 0))) {
    source = PyTuple_GET_ITEM(arguments, 0);
  }
  Reference sequence(require(PySequence_Fast(source, "expected integers or a sequence of integers")));
  std::vector<int64_t> values;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.get()); ++i) {
    const int64_t value = PyLong_AsLongLong(PySequence_Fast_GET_ITEM(sequence.get(), i));
    if (value == -1 && PyErr_Occurred()) throw PythonError{};
    values.push_back(value);
  }
  return values;
}

/// DLPack's stream rules. Host memory is always ready, so it has no streams; elsewhere the data is made ready on the
/// consumer's stream, or waited for where none is given. -1 asks for neither.
void check_stream(PyObject* stream, const Tensor& tensor) {
  if (!stream || stream == Py_None) return make_ready(tensor);
  const long value = PyLong_AsLong(stream);
  if (value == -1 && PyErr_Occurred()) throw PythonError{};
  if (value == -1) return;
  const DLDeviceType type = tensor.physical_device().device_type;
  if (value > 0 && (type == kDLCUDA || type == kDLROCM)) {  // a pointer, or a small number for a default stream
    return make_ready(tensor, reinterpret_cast<dlport_stream>(value));
  }
  throw Error(ErrorCode::invalid_argument, "stream = " + std::to_string(value) + " was given for a tensor on " +
                                               to_string(tensor.device()) + ", which has no streams; pass None");
}

bool is_versioned(PyObject* max_version) {
  if (!max_version || max_version == Py_None) return false;
  if (PyTuple_Check(max_version) && PyTuple_GET_SIZE(max_version) == 2) {
    const long major = PyLong_AsLong(PyTuple_GET_ITEM(max_version, 0));
    if (!PyErr_Occurred()) return major >= 1;
    PyErr_Clear();
  }
  throw Error(ErrorCode::invalid_argument, "max_version is a tuple of two integers, as in (1, 0)");
}

/// __dlpack__, without a binding library or format strings in between: consumers call it once an exchange.
PyObject* dlpack(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    static const Keywords names("__dlpack__", {"stream", "max_version", "dl_device", "copy"});
    PyObject* values[4] = {};
    names.read(arguments, count, keywords, values);
    const Tensor& tensor = tensor_in(self);
    check_stream(values[0], tensor);
    return export_capsule(tensor, {is_versioned(values[1]), device_argument(values[2]), copy_argument(values[3])});
  });
}

PyObject* dlpack_device(PyObject* self, PyObject*) {
  const Device device = tensor_in(self).physical_device();
  return Py_BuildValue("(ii)", static_cast<int>(device.device_type), static_cast<int>(device.device_id));
}

PyObject* reshape(PyObject* self, PyObject* arguments) {
  return guarded([&] { return wrap(tensor_in(self).reshape(integers(arguments))); });
}

PyObject* permute(PyObject* self, PyObject* arguments) {
  return guarded([&] {
    const Tensor& tensor = tensor_in(self);
    std::vector<int> axes;
    for (int64_t axis : integers(arguments)) {
      if (!std::in_range<int>(axis)) {
        throw Error(ErrorCode::invalid_argument, "axis " + std::to_string(axis) + " is out of range for a tensor of " +
                                                     std::to_string(tensor.ndim()) + " dimensions");
      }
      axes.push_back(static_cast<int>(axis));
    }
    return wrap(tensor.permute(axes));
  });
}

PyObject* broadcast_to(PyObject* self, PyObject* arguments) {
  return guarded([&] { return wrap(tensor_in(self).broadcast_to(integers(arguments))); });
}

PyObject* copy(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(copied(tensor_in(self))); });
}

DType dtype_argument(PyObject* dtype) {
  const char* name = PyUnicode_AsUTF8(dtype);
  if (!name) throw PythonError{};
  return parse_dtype(name);
}

PyObject* astype(PyObject* self, PyObject* dtype) {
  return guarded([&] {
    const Tensor& tensor = tensor_in(self);
    const Device device = tensor.physical_device().is_host() ? cpu : tensor.device();
    Tensor result = empty(tensor.shape(), dtype_argument(dtype), device);
    dlport::copy(result, tensor);
    return wrap(std::move(result));
  });
}

PyObject* view(PyObject* self, PyObject* dtype) {
  return guarded([&] {
    const Tensor& tensor = tensor_in(self);
    const DType target = dtype_argument(dtype);
    if (target.element_bits() != tensor.dtype().element_bits()) {
      throw Error(ErrorCode::invalid_argument, "elements of " + to_string(tensor.dtype()) + " cannot be viewed as " +
                                                   to_string(target) + ", which are of another size");
    }
    DLTensor described = tensor.dltensor();
    described.dtype = target;
    return wrap(Tensor::from_dltensor(
        described, new Tensor(tensor), [](void* held) { delete static_cast<Tensor*>(held); }, tensor.flags()));
  });
}

PyObject* to(PyObject* self, PyObject* target) {
  return guarded([&] {
    if (!PyUnicode_Check(target) && !PyTuple_Check(target)) return to_framework(tensor_in(self), self, target);
    return wrap(dlport::to(tensor_in(self), required_device(target)));
  });
}

PyObject* copy_to(PyObject* self, PyObject* arguments, PyObject* keywords) {
  static const char* names[] = {"device", "stream", nullptr};
  PyObject *device = nullptr, *stream = Py_None;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O:copy_to", const_cast<char**>(names), &device, &stream)) {
    return nullptr;
  }
  return guarded([&] { return wrap(moved(copied_to, tensor_in(self), device, stream)); });
}

PyObject* array(PyObject* self, PyObject* arguments, PyObject* keywords) {
  static const char* names[] = {"dtype", "copy", nullptr};
  PyObject *dtype = Py_None, *copied = Py_None;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OO:__array__", const_cast<char**>(names), &dtype, &copied)) {
    return nullptr;
  }
  return guarded([&] {
    Reference module(require(PyImport_ImportModule("dlport._numpy")));
    return require(PyObject_CallMethod(module.get(), "as_array", "OOO", self, dtype, copied));
  });
}

PyObject* item_at(const Tensor& tensor, PyObject* key) {
  // Python's indexing by integers, slices, Ellipsis and tuples of them; all of it is a view.
  Reference keys(PyTuple_Check(key) ? Py_NewRef(key) : require(PyTuple_Pack(1, key)));
  const Py_ssize_t count = PyTuple_GET_SIZE(keys.get());
  Py_ssize_t named = 0;
  for (Py_ssize_t i = 0; i < count; ++i) named += PyTuple_GET_ITEM(keys.get(), i) != Py_Ellipsis;
  if (count - named > 1) {
    PyErr_SetString(PyExc_IndexError, "an index can only have one ellipsis ('...')");
    throw PythonError{};
  }
  if (named > tensor.ndim()) {
    PyErr_Format(PyExc_IndexError, "%zd indices were given for a tensor of %d dimensions", named, tensor.ndim());
    throw PythonError{};
  }
  Tensor result = tensor;
  int axis = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* part = PyTuple_GET_ITEM(keys.get(), i);
    if (part == Py_Ellipsis) {
      axis = result.ndim() - static_cast<int>(count - i - 1);
    } else if (PySlice_Check(part)) {
      Py_ssize_t start, stop, step;
      if (PySlice_Unpack(part, &start, &stop, &step) < 0) throw PythonError{};
      const Py_ssize_t length =
          PySlice_AdjustIndices(static_cast<Py_ssize_t>(result.shape()[axis]), &start, &stop, step);
      std::vector<int64_t> shape(result.shape().begin(), result.shape().end());
      std::vector<int64_t> strides(result.strides().begin(), result.strides().end());
      const int64_t offset = length > 0 ? start * strides[axis] : 0;
      shape[axis] = length;
      if (length > 1) strides[axis] *= step;
      result = result.as_strided(shape, strides, offset);
      ++axis;
    } else if (PyIndex_Check(part) && !PyBool_Check(part)) {  // a bool is a mask, as in NumPy
      const Py_ssize_t index = PyNumber_AsSsize_t(part, PyExc_IndexError);
      if (index == -1 && PyErr_Occurred()) throw PythonError{};
      const int64_t dim = result.shape()[axis];
      if (index < -dim || index >= dim) {
        PyErr_Format(PyExc_IndexError, "index %zd is out of range for axis %d of length %lld", index, axis,
                     static_cast<long long>(dim));
        throw PythonError{};
      }
      result = result.select(axis, index);
    } else {
      PyErr_Format(PyExc_TypeError, "a tensor is indexed by integers, slices and ..., not by %.100s",
                   Py_TYPE(part)->tp_name);
      throw PythonError{};
    }
  }
  return wrap(std::move(result));
}

PyObject* get_item(PyObject* self, PyObject* key) {
  return guarded([&] { return item_at(tensor_in(self), key); });
}

Py_ssize_t length(PyObject* self) {
  const Tensor& tensor = tensor_in(self);
  if (tensor.ndim() > 0) return static_cast<Py_ssize_t>(tensor.shape()[0]);
  PyErr_SetString(PyExc_TypeError, "a tensor of 0 dimensions has no length");
  return -1;
}

PyObject* repr(PyObject* self) {
  return guarded([&] {
    const Tensor& tensor = tensor_in(self);
    std::string shown = "dlport.Tensor(shape=" + to_string(tensor.shape()) + ", dtype=" + to_string(tensor.dtype()) +
                        ", device=" + to_string(tensor.device());
    if (!tensor.is_contiguous()) shown += ", strides=" + to_string(tensor.strides());
    if (tensor.read_only()) shown += ", read_only=True";
    return text(shown + ")");
  });
}

template <auto get>
PyObject* getter(PyObject* self, void*) {
  return guarded([&]() -> PyObject* { return get(tensor_in(self)); });
}

PyObject* boolean_of(bool value) {
  return Py_NewRef(value ? Py_True : Py_False);
}

PyObject* transposed(const Tensor& tensor) {
  std::vector<int> axes;
  for (int axis = tensor.ndim(); axis-- > 0;) axes.push_back(axis);
  return wrap(tensor.permute(axes));
}

PyGetSetDef attributes[] = {
    {"shape", getter<[](const Tensor& t) { return tuple_of(t.shape()); }>, nullptr, "The dimensions.", nullptr},
    {"strides", getter<[](const Tensor& t) { return tuple_of(t.strides()); }>, nullptr,
     "Steps from one element to the next along each axis, in elements.", nullptr},
    {"dtype", getter<[](const Tensor& t) { return text(to_string(t.dtype())); }>, nullptr,
     "The element type by name, e.g. 'float32' or 'bfloat16'.", nullptr},
    {"device", getter<[](const Tensor& t) { return text(to_string(t.device())); }>, nullptr,
     "The device that the tensor was made on, e.g. 'cpu:0' or 'ort:0'.", nullptr},
    {"physical_device", getter<[](const Tensor& t) { return text(to_string(t.physical_device())); }>, nullptr,
     "The device whose memory it is; what every export hands out.", nullptr},
    {"ndim", getter<[](const Tensor& t) { return PyLong_FromLong(t.ndim()); }>, nullptr, "The number of dimensions.",
     nullptr},
    {"size", getter<[](const Tensor& t) { return PyLong_FromLongLong(t.numel()); }>, nullptr, "The number of elements.",
     nullptr},
    {"itemsize", getter<[](const Tensor& t) { return PyLong_FromLongLong(t.dtype().itemsize()); }>, nullptr,
     "Bytes of one element, rounded up.", nullptr},
    {"nbytes", getter<[](const Tensor& t) { return PyLong_FromLongLong(t.nbytes()); }>, nullptr,
     "Bytes of the elements, packed.", nullptr},
    {"data_ptr", getter<[](const Tensor& t) { return PyLong_FromVoidPtr(t.data()); }>, nullptr,
     "The address of the first element.", nullptr},
    {"read_only", getter<[](const Tensor& t) { return boolean_of(t.read_only()); }>, nullptr,
     "True where the producer forbids writing to the memory.", nullptr},
    {"is_contiguous", getter<[](const Tensor& t) { return boolean_of(t.is_contiguous()); }>, nullptr,
     "True where the elements lie row-major without gaps.", nullptr},
    {"is_aligned", getter<[](const Tensor& t) { return boolean_of(t.is_aligned()); }>, nullptr,
     "True where the first element lies at a multiple of its own alignment.", nullptr},
    {"T", getter<[](const Tensor& t) { return transposed(t); }>, nullptr, "The tensor with its axes reversed.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

template <class Function>
PyCFunction method(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef methods[] = {
    {"__dlpack__", method(dlpack), METH_FASTCALL | METH_KEYWORDS,
     "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "A DLPack capsule of the tensor, on its physical device unless dl_device names the virtual one.\n\n"
     "Raises BufferError where only a copy would do and copy=False forbids one."},
    {"__dlpack_device__", dlpack_device, METH_NOARGS,
     "__dlpack_device__($self, /)\n--\n\nThe physical device, as DLPack's (device_type, device_id)."},
    {"__array__", method(array), METH_VARARGS | METH_KEYWORDS,
     "__array__($self, /, dtype=None, copy=None)\n--\n\nA NumPy array over the same memory; ml_dtypes' types "
     "included."},
    {"to", to, METH_O,
     "to($self, target, /)\n--\n\nThe tensor as a framework's own, where `target` is a module (torch, numpy, "
     "jax, tensorflow, ...) or a\n"
     "tensor type: shares the memory; a read-only tensor is copied for a framework that cannot say read-only.\n"
     "The tensor on a device, where `target` is a name such as 'cuda:0': itself, or a row-major copy."},
    {"copy_to", method(copy_to), METH_VARARGS | METH_KEYWORDS,
     "copy_to($self, device, stream=None)\n--\n\nA row-major copy in fresh memory of `device`. With a stream (of the "
     "one that is not the host) it may still be under\nway when this returns."},
    {"reshape", reshape, METH_VARARGS,
     "reshape($self, /, *shape)\n--\n\nA view of another shape; one dimension may be -1. Raises BufferError where it "
     "takes a copy."},
    {"permute", permute, METH_VARARGS, "permute($self, /, *axes)\n--\n\nA view with its axes in another order."},
    {"broadcast_to", broadcast_to, METH_VARARGS,
     "broadcast_to($self, /, *shape)\n--\n\nA view repeated along axes of length 1."},
    {"view", view, METH_O,
     "view($self, dtype, /)\n--\n\nThe same bytes as elements of another dtype of the same size."},
    {"astype", astype, METH_O,
     "astype($self, dtype, /)\n--\n\nA row-major copy in host memory whose elements are converted: a float that "
     "becomes\n"
     "an integer is cut off, one that becomes a smaller float is rounded to the nearest."},
    {"copy", copy, METH_NOARGS, "copy($self, /)\n--\n\nA row-major copy in memory of its own."},
    {nullptr, nullptr, 0, nullptr},
};

PyMappingMethods mapping = {length, get_item, nullptr};
PyBufferProcs buffer = {get_buffer, release_buffer};

}  // namespace

PyTypeObject tensor_type;  // filled in by add_tensor_type

PyObject* wrap(Tensor tensor) {
  void* memory = free_count > 0 ? free_objects[--free_count] : PyObject_Malloc(sizeof(TensorObject));
  if (!memory) return PyErr_NoMemory();
  auto* object = static_cast<TensorObject*>(memory);
  PyObject_Init(reinterpret_cast<PyObject*>(object), &tensor_type);
  object->weak_references = nullptr;
  new (&object->tensor) Tensor(std::move(tensor));
  return reinterpret_cast<PyObject*>(object);
}

bool add_tensor_type(PyObject* module) {
  tensor_type.tp_name = "dlport.Tensor";
  tensor_type.tp_doc = "A tensor of any framework, over that framework's own memory. Made by from_dlpack.";
  tensor_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  tensor_type.tp_basicsize = sizeof(TensorObject);
  tensor_type.tp_weaklistoffset = offsetof(TensorObject, weak_references);
  tensor_type.tp_dealloc = deallocate;
  tensor_type.tp_repr = repr;
  tensor_type.tp_as_mapping = &mapping;
  tensor_type.tp_as_buffer = &buffer;
  tensor_type.tp_methods = methods;
  tensor_type.tp_getset = attributes;
  if (PyType_Ready(&tensor_type) < 0) return false;
  Reference capsule(exchange_api_capsule());
  if (!capsule || PyDict_SetItemString(tensor_type.tp_dict, "__dlpack_c_exchange_api__", capsule.get()) < 0)
    return false;
  PyType_Modified(&tensor_type);
  return PyModule_AddObjectRef(module, "Tensor", reinterpret_cast<PyObject*>(&tensor_type)) == 0;
}

}  // namespace dlport::python
