#include "python/stream.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <utility>
#include <vector>

#include "python/arguments.hpp"
#include "python/errors.hpp"
#include "python/import.hpp"

namespace nb = nanobind;

namespace dlport::python {

void HoldingStream::hold(const Tensor& tensor) {
  {
    const std::lock_guard lock(mutex_);
    held_.push_back(tensor);
    if (held_.size() < kMost) return;
  }
  synchronize();
}

void HoldingStream::synchronize() {
  std::vector<Tensor> done;  // released behind the lock: what frees them may be anything
  {
    const std::lock_guard lock(mutex_);
    done.swap(held_);
  }
  stream_.synchronise();
}

HoldingStream* stream_argument(nb::handle value) {
  if (!value.is_valid() || value.is_none()) return nullptr;
  if (HoldingStream* stream = nullptr; nb::try_cast(value, stream)) return stream;
  PyErr_Format(PyExc_TypeError, "stream is a dlport.drivers.Stream or None, not %.100s", Py_TYPE(value.ptr())->tp_name);
  throw PythonError{};
}

namespace {

/// Work items in up to three directions, from an integer or a tuple.
void read_grid(nb::handle value, const char* name, uint64_t (&sizes)[3]) {
  if (value.is_none()) return;
  const nb::object items = PyTuple_Check(value.ptr()) ? nb::borrow(value) : nb::object(nb::make_tuple(value));
  const auto count = static_cast<size_t>(PyTuple_GET_SIZE(items.ptr()));
  if (count < 1 || count > 3) {
    throw Error(ErrorCode::invalid_argument, std::string(name) + " has " + std::to_string(count) +
                                                 " directions; work items lie in one, two or three");
  }
  for (size_t i = 0; i < count; ++i) {
    const Py_ssize_t size = PyNumber_AsSsize_t(PyTuple_GET_ITEM(items.ptr(), static_cast<Py_ssize_t>(i)), nullptr);
    if (size == -1 && PyErr_Occurred()) throw PythonError{};
    if (size < 0) throw Error(ErrorCode::invalid_argument, std::string(name) + " has a negative size");
    sizes[i] = static_cast<uint64_t>(size);
  }
}

/// The bytes of a NumPy scalar or a ctypes object: kernels take numbers of a certain width, which Python's own lack.
std::vector<std::byte> scalar_bytes(nb::handle value) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(value.ptr(), &buffer, PyBUF_SIMPLE) != 0) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError,
                 "an operator's argument is a tensor, or a number of a certain width such as numpy.float32(0.5), not "
                 "%.100s",
                 Py_TYPE(value.ptr())->tp_name);
    throw PythonError{};
  }
  const auto* data = static_cast<const std::byte*>(buffer.buf);
  std::vector<std::byte> bytes(data, data + buffer.len);
  PyBuffer_Release(&buffer);
  return bytes;
}

/// What an operator is launched with, kept until the launch has been made.
struct Arguments {
  std::vector<Tensor> tensors;
  std::vector<std::vector<std::byte>> scalars;
  std::vector<Argument> lent;

  explicit Arguments(nb::args values) {
    tensors.reserve(values.size());
    scalars.reserve(values.size());
    for (nb::handle value : values) {
      if (!nb::hasattr(value, "__dlpack__")) {
        lent.emplace_back(std::span<const std::byte>(scalars.emplace_back(scalar_bytes(value))));
      } else {
        lent.emplace_back(tensors.emplace_back(import_object(value.ptr())));
      }
    }
  }
};

void launch(const Operator& op, nb::args values, nb::handle grid, nb::handle group, uint32_t shared_memory,
            nb::handle stream) {
  const Arguments arguments(values);
  Grid sizes;
  read_grid(grid, "grid", sizes.global);
  read_grid(group, "group", sizes.local);
  sizes.shared_memory = shared_memory;
  HoldingStream* on = stream_argument(stream);
  {
    const nb::gil_scoped_release waiting;
    op.launch(arguments.lent, sizes, on ? &on->stream() : nullptr);
  }
  for (const Tensor& tensor : arguments.tensors) {
    if (on) on->hold(tensor);
  }
}

}  // namespace

void bind_stream(nb::module_& module) {
  nb::class_<HoldingStream>(module, "Stream",
                            "A queue of work on a device: copies and launches given to it run in order, and may still "
                            "be under way\nwhen the call returns. What they read and write is kept alive until they "
                            "are done. Thread-safe.")
      .def(
          "__init__",
          [](HoldingStream* self, nb::handle device) { new (self) HoldingStream(required_device(device.ptr())); },
          nb::arg("device"), "A new stream of `device`, e.g. 'cuda:0' or 'opencl:0'.")
      .def_prop_ro("device", [](const HoldingStream& self) { return to_string(self.stream().device()); })
      .def_prop_ro(
          "handle", [](const HoldingStream& self) { return reinterpret_cast<uintptr_t>(self.stream().handle()); },
          "The driver's own handle: what DLPack's `stream` argument takes on CUDA.")
      .def("synchronize", &HoldingStream::synchronize, nb::call_guard<nb::gil_scoped_release>(),
           "Waits for everything given so far. Raises RuntimeError where any of it failed.");
  nb::class_<Event>(module, "Event", "A point in a stream's work.")
      .def(
          "__init__", [](Event* self, nb::handle device) { new (self) Event(required_device(device.ptr())); },
          nb::arg("device"))
      .def(
          "record", [](Event& self, const HoldingStream& stream) { self.record(stream.stream()); }, nb::arg("stream"),
          "Marks the end of what `stream` has been given so far.")
      .def(
          "wait", [](const Event& self, const HoldingStream& stream) { self.wait(stream.stream()); }, nb::arg("stream"),
          "Holds what `stream` is given from now on until the event has been reached.")
      .def("synchronize", &Event::synchronise, nb::call_guard<nb::gil_scoped_release>(),
           "Waits until the event has been reached.")
      .def(
          "elapsed_time", [](const Event& self, const Event& end) { return end.seconds_since(self) * 1e3; },
          nb::arg("end_event"), nb::call_guard<nb::gil_scoped_release>(),
          "Milliseconds on the device's own clock from this event to `end_event`; waits for both.");
  nb::class_<Operator>(module, "Operator", "A computation of a device, ready to launch. Thread-safe.")
      .def(
          "__init__",
          [](Operator* self, nb::handle device, const std::string& name, const std::string& code,
             const std::string& options) {
            const Device target = required_device(device.ptr());
            const nb::gil_scoped_release compiling;
            new (self) Operator(target, name, code, options);
          },
          nb::arg("device"), nb::arg("name"), nb::arg("code") = "", nb::arg("options") = "",
          "`name` in `code`, which is in the device's format (dlport.devices() says which: OpenCL C, PTX, ...); "
          "without "
          "code, an operator\nthat the driver has. Raises ValueError with the compiler's log where it does not "
          "compile.")
      .def("__call__", launch, nb::arg("arguments"), nb::kw_only(), nb::arg("grid") = 1, nb::arg("group") = nb::none(),
           nb::arg("shared_memory") = 0, nb::arg("stream") = nb::none(),
           "Launches it on tensors (of any framework, on its device) and numbers of a certain width "
           "(numpy.float32(0.5)).\n\ngrid: work items, one to three directions. group: work items of a group; the "
           "driver's choice by default. Without a stream\nthe work is done when this returns.");
}

}  // namespace dlport::python
