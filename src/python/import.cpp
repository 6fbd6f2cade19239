#include "python/import.hpp"

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "dlport/driver.hpp"
#include "python/capsule.hpp"
#include "python/errors.hpp"
#include "python/tensor_type.hpp"
#include "torch_probe/probe.hpp"

namespace dlport::python {
namespace {

PyObject *name_dlpack, *name_exchange_api, *name_is_neg, *name_is_conj;
PyObject *max_version, *kw_max_version, *kw_max_version_copy;

/// What `dlport._torch_probe` offers where it was built for the PyTorch that is loaded; null elsewhere.
const TorchProbe* torch_probe() {
  static PyObject* capsule = nullptr;  // or None; nothing until PyTorch is loaded
  if (!capsule) {
    Reference module(PyImport_ImportModule("dlport._probe"));
    if (module) capsule = PyObject_GetAttrString(module.get(), "probe");
    PyErr_Clear();
  }
  const bool found = capsule && PyCapsule_CheckExact(capsule);
  return found ? static_cast<const TorchProbe*>(PyCapsule_GetPointer(capsule, nullptr)) : nullptr;
}

/// What the type offers as `__dlpack_c_exchange_api__`; null where there is nothing of a version that is known.
const DLPackExchangeAPI* find_exchange_api(PyTypeObject* type) {
  Reference capsule(PyObject_GetAttr(reinterpret_cast<PyObject*>(type), name_exchange_api));
  if (!capsule) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw PythonError{};
    PyErr_Clear();
    return nullptr;
  }
  if (!PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api")) return nullptr;
  auto* header = static_cast<DLPackExchangeAPIHeader*>(PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  while (header && header->version.major != DLPACK_MAJOR_VERSION) header = header->prev_api;
  return reinterpret_cast<const DLPackExchangeAPI*>(header);
}

/// How tensors of one type are taken.
struct Producer {
  PyTypeObject* type = nullptr;            // kept alive, so that its address is not reused
  unsigned int version = 0;                // of the type's attributes; CPython changes it when they change
  const DLPackExchangeAPI* api = nullptr;  // null: through the Python methods
  const TorchProbe* torch = nullptr;       // for PyTorch's tensors
  bool has_lazy_bits = false;              // PyTorch: a view may be pending conjugation or negation
  bool is_numpy = false;
};

/// A small direct-mapped cache, guarded by the GIL. A type's entry is looked up again where another took its place, or
/// where the type was given other attributes.
const Producer& producer_of(PyTypeObject* type) {
  static Producer cache[64];
  Producer& entry = cache[(reinterpret_cast<uintptr_t>(type) >> 5) % std::size(cache)];
  if (entry.type == type && entry.version == type->tp_version_tag && entry.version != 0) return entry;
  Producer found;
  found.api = find_exchange_api(type);
  found.has_lazy_bits = found.api && PyObject_HasAttr(reinterpret_cast<PyObject*>(type), name_is_neg);
  if (found.has_lazy_bits && torch_probe() && torch_probe()->is_tensor_type(type)) found.torch = torch_probe();
  found.is_numpy = std::string_view(type->tp_name) == "numpy.ndarray";
  found.type = reinterpret_cast<PyTypeObject*>(Py_NewRef(type));
  found.version = type->tp_version_tag;  // behind the lookups, which assign one
  Reference replaced(reinterpret_cast<PyObject*>(std::exchange(entry, found).type));
  return entry;
}

/// Takes what a capsule holds and marks it as consumed.
Tensor take_capsule(PyObject* capsule) {
  if (auto* managed = take_over<DLManagedTensorVersioned>(capsule)) return Tensor::from_managed(managed);
  if (auto* managed = take_over<DLManagedTensor>(capsule)) return Tensor::from_managed_legacy(managed);
  const char* name = PyCapsule_GetName(capsule);
  PyErr_Clear();
  std::string shown(name ? name : "");
  for (char& c : shown) c = c >= ' ' && c <= '~' ? c : '?';
  const bool used = name && std::string_view(name).starts_with("used_dltensor");
  throw Error(ErrorCode::invalid_tensor,
              used ? "the capsule ('" + shown + "') was consumed before; ask the producer for another one"
                   : "the capsule is named '" + shown + "', not 'dltensor_versioned' or 'dltensor'");
}

/// PyTorch's exchange API hands out the memory of a view whose conjugation or negation is still pending. Its Python
/// method refuses those that are conjugate; both are refused here.
void check_lazy_bits(PyObject* object, bool complex) {
  Reference negative(require(PyObject_CallMethodNoArgs(object, name_is_neg)));
  bool pending = negative.get() == Py_True;
  const char* what = "negation";
  if (!pending && complex) {
    Reference conjugate(require(PyObject_CallMethodNoArgs(object, name_is_conj)));
    pending = conjugate.get() == Py_True;
    what = "conjugation";
  }
  if (pending) {
    throw Error(ErrorCode::invalid_tensor, std::string("the tensor is a view whose ") + what +
                                               " is still pending, so its memory holds other values; resolve it first "
                                               "(resolve_conj, resolve_neg)");
  }
}

Tensor import_through_api(PyObject* object, const Producer& producer) {
  if (producer.torch && producer.api->dltensor_from_py_object_no_sync) {  // PyTorch need not allocate an export
    DLTensor borrowed;
    if (producer.api->dltensor_from_py_object_no_sync(object, &borrowed) != 0) throw PythonError{};
    if (void* storage = producer.torch->retain_storage(object)) {
      return Tensor::from_dltensor(borrowed, storage, producer.torch->release_storage);
    }
  }
  DLManagedTensorVersioned* managed = nullptr;
  if (producer.api->managed_tensor_from_py_object_no_sync(object, &managed) != 0) throw PythonError{};
  Tensor tensor = Tensor::from_managed(managed);
  if (producer.has_lazy_bits) check_lazy_bits(object, tensor.dtype().code == kDLComplex);
  return tensor;
}

/// What `__dlpack__` returned has to be a capsule.
Tensor take_result(Reference capsule, PyObject* producer) {
  if (PyCapsule_CheckExact(capsule.get())) return take_capsule(capsule.get());
  PyErr_Format(PyExc_TypeError, "%.100s.__dlpack__ returned %.100s instead of a capsule", Py_TYPE(producer)->tp_name,
               Py_TYPE(capsule.get())->tp_name);
  throw PythonError{};
}

/// True, with the error cleared, where a producer of before 1.0 does not know the keywords.
bool knows_no_keywords() {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  Reference text(value ? PyObject_Str(value) : nullptr);
  const char* message = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  const bool unknown = message && std::string_view(message).find("keyword argument") != std::string_view::npos;
  if (!unknown) {
    PyErr_Restore(type, value, trace);
    return false;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  PyErr_Clear();
  return true;
}

/// Calls `__dlpack__` with the keywords of 1.0; null with a Python error set.
PyObject* call_dlpack(PyObject* object, Copy copy) {
  PyObject* arguments[] = {object, max_version, copy == Copy::always ? Py_True : Py_False};
  PyObject* keywords = copy == Copy::if_needed ? kw_max_version : kw_max_version_copy;
  constexpr size_t kSelf = 1 | PY_VECTORCALL_ARGUMENTS_OFFSET;
  return PyObject_VectorcallMethod(name_dlpack, arguments, kSelf, keywords);
}

Tensor import_through_method(PyObject* object, Copy copy) {
  Reference capsule(call_dlpack(object, copy));
  if (!capsule && PyErr_ExceptionMatches(PyExc_AttributeError)) {
    if (!PyObject_HasAttr(object, name_dlpack)) {
      PyErr_Format(PyExc_TypeError, "%.100s has no __dlpack__ and is not a DLPack capsule", Py_TYPE(object)->tp_name);
    }
    throw PythonError{};
  }
  if (!capsule) {
    if (!knows_no_keywords()) throw PythonError{};
    capsule = Reference(require(PyObject_CallMethodNoArgs(object, name_dlpack)));
  }
  return take_result(std::move(capsule), object);
}

/// An array whose element type NumPy cannot name in DLPack, with its BufferError set: if ml_dtypes made the type
/// (bfloat16, float8, int4), we can. Otherwise the error stands.
Tensor import_foreign_elements(PyObject* array) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  Reference module(require(PyImport_ImportModule("dlport._numpy")));
  Reference tensor(require(PyObject_CallMethod(module.get(), "from_ml_dtypes", "O", array)));
  if (is_tensor(tensor.get())) {
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return tensor_in(tensor.get());
  }
  PyErr_Restore(type, value, trace);
  throw PythonError{};
}

/// NumPy's arrays, without keywords: reading them is a fifth of what the whole exchange costs. What a capsule of before
/// 1.0 cannot say, that the array is read-only, NumPy refuses to put into one; it is then asked again with keywords.
Tensor import_numpy(PyObject* object) {
  constexpr size_t kSelf = 1 | PY_VECTORCALL_ARGUMENTS_OFFSET;
  Reference capsule(PyObject_VectorcallMethod(name_dlpack, &object, kSelf, nullptr));
  if (capsule) return take_result(std::move(capsule), object);
  if (!PyErr_ExceptionMatches(PyExc_BufferError)) throw PythonError{};
  PyErr_Clear();
  capsule = Reference(call_dlpack(object, Copy::if_needed));
  if (capsule) return take_result(std::move(capsule), object);
  if (!PyErr_ExceptionMatches(PyExc_BufferError)) throw PythonError{};
  return import_foreign_elements(object);
}

/// Memory that the producer promises not to change, though its DLPack export does not say so.
bool is_immutable(PyObject* object) {
  return std::string_view(Py_TYPE(object)->tp_name) == "jaxlib._jax.ArrayImpl";  // JAX values are constants
}

Tensor import_any(PyObject* object, Copy copy) {
  if (is_tensor(object)) return tensor_in(object);
  if (PyCapsule_CheckExact(object)) return take_capsule(object);
  const Producer& producer = producer_of(Py_TYPE(object));
  if (producer.api) return import_through_api(object, producer);
  if (producer.is_numpy) return import_numpy(object);  // its export never copies unless asked to
  Tensor tensor = import_through_method(object, copy == Copy::always ? Copy::if_needed : copy);
  return is_immutable(object) ? tensor.as_read_only() : tensor;
}

/// A tensor on a device that is not here could only be handed on to somebody who would take its address for real.
bool is_here(Device device) {
  return device.is_host() || find_driver(device);
}

PyObject* intern(const char* text) {
  return PyUnicode_InternFromString(text);
}

}  // namespace

const DLPackExchangeAPI* exchange_api_of(PyTypeObject* type) {
  return producer_of(type).api;
}

Tensor import_object(PyObject* object, Copy copy, std::optional<Device> device) {
  Tensor tensor = import_any(object, copy);
  if (!is_here(tensor.physical_device())) {
    throw Error(ErrorCode::invalid_tensor, "the tensor is on " + to_string(tensor.physical_device()) +
                                               ", a device that no driver in this process serves");
  }
  if (device && !(*device == tensor.device())) {
    const Device target = physical(*device);
    const bool shared = target == tensor.physical_device() || (target == cpu && tensor.physical_device().is_host());
    if (!shared && (copy == Copy::never || !find_driver(target))) {
      throw Error(ErrorCode::would_copy, "the tensor is on " + to_string(tensor.device()) + ", not on " +
                                             to_string(*device) + "; copy it there with dlport.to");
    }
    tensor = to(tensor, *device);
    if (!shared) return tensor;
  }
  return copy == Copy::always ? copied(tensor) : tensor;
}

bool init_import() {
  name_dlpack = intern("__dlpack__");
  name_exchange_api = intern("__dlpack_c_exchange_api__");
  name_is_neg = intern("is_neg");
  name_is_conj = intern("is_conj");
  max_version = Py_BuildValue("(ii)", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION);
  kw_max_version = Py_BuildValue("(s)", "max_version");
  kw_max_version_copy = Py_BuildValue("(ss)", "max_version", "copy");
  return kw_max_version_copy != nullptr && max_version != nullptr;
}

}  // namespace dlport::python
