#include "dlport/ort_session.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "dlport/error.hpp"
#include "python/errors.hpp"
#include "python/ort.hpp"
#include "python/ort_values.hpp"

namespace nb = nanobind;

namespace dlport::python {
namespace {

/// A session until it is closed. A run holds a handle of its own, so closing during one is safe.
class ClosableSession {
 public:
  explicit ClosableSession(ort::Session session) : session_(std::move(session)) {}

  ort::Session get() const {
    if (!session_) throw Error(ErrorCode::invalid_argument, "this session is closed; make a new one");
    return *session_;
  }
  void close() { session_.reset(); }

 private:
  std::optional<ort::Session> session_;
};

std::string quoted(const char* what, const ort::ValueInfo& info) {
  return std::string(what) + " '" + info.name + "'";
}

/// Inputs by position, from a dict by name or a sequence.
std::vector<ort::Datum> read_inputs(const ort::Session& session, nb::handle inputs) {
  const auto infos = session.inputs();
  const auto read = [&](size_t index, nb::handle value) {
    return datum_from_python(value, infos[index].type, quoted("input", infos[index]));
  };
  std::vector<ort::Datum> data;
  if (PyDict_Check(inputs.ptr())) {
    data.resize(infos.size());
    for (const auto& [name, value] : nb::borrow<nb::dict>(inputs)) {
      const size_t index = session.input_index(nb::cast<std::string_view>(name));
      data[index] = read(index, value);
    }
    return data;
  }
  if (!PyList_Check(inputs.ptr()) && !PyTuple_Check(inputs.ptr())) {
    throw nb::type_error("inputs are a dict by name or a list by position");
  }
  if (nb::len(inputs) > infos.size()) {
    throw Error(ErrorCode::invalid_argument, "the model takes " + std::to_string(infos.size()) +
                                                 " inputs, but was given " + std::to_string(nb::len(inputs)));
  }
  for (nb::handle value : inputs) data.push_back(read(data.size(), value));
  return data;
}

/// The tensor that an output is to be written into.
Tensor target_from_python(const ort::ValueInfo& info, nb::handle value) {
  const ort::Datum datum = datum_from_python(value, info.type, quoted("output", info));
  if (const auto* tensor = std::get_if<Tensor>(&datum)) return *tensor;
  throw Error(ErrorCode::invalid_argument,
              quoted("output", info) + " is " + to_string(info.type) + ", and only tensors of numbers can be given");
}

/// The wanted outputs: all, or those named; and the tensors of `out` to write them into, from a dict by name or a
/// sequence in the order of the wanted ones.
std::vector<ort::Output> read_outputs(const ort::Session& session, nb::handle names, nb::handle out) {
  const auto infos = session.outputs();
  std::vector<ort::Output> outputs;
  if (names.is_none()) {
    for (size_t i = 0; i < infos.size(); ++i) outputs.push_back({i, {}});
  } else {
    for (nb::handle name : names) outputs.push_back({session.output_index(nb::cast<std::string_view>(name)), {}});
  }
  if (out.is_none()) return outputs;
  if (PyDict_Check(out.ptr())) {
    for (const auto& [name, value] : nb::borrow<nb::dict>(out)) {
      const size_t index = session.output_index(nb::cast<std::string_view>(name));
      const auto wanted = std::ranges::find(outputs, index, &ort::Output::index);
      if (wanted == outputs.end()) {
        throw Error(ErrorCode::invalid_argument, "a tensor was given for " + quoted("output", infos[index]) +
                                                     ", which is not among the outputs asked for");
      }
      wanted->into = target_from_python(infos[index], value);
    }
    return outputs;
  }
  if (!PyList_Check(out.ptr()) && !PyTuple_Check(out.ptr())) {
    throw nb::type_error("out is a dict of tensors by name or a list of them by position");
  }
  if (nb::len(out) != outputs.size()) {
    throw Error(ErrorCode::invalid_argument, std::to_string(outputs.size()) + " outputs were asked for, but out has " +
                                                 std::to_string(nb::len(out)) + " tensors");
  }
  size_t position = 0;
  for (nb::handle value : out) {
    ort::Output& output = outputs[position++];
    if (!value.is_none()) output.into = target_from_python(infos[output.index], value);
  }
  return outputs;
}

nb::list run(const ClosableSession& closable, nb::handle inputs, nb::handle names, nb::handle out,
             const ort::RunOptions* options) {
  const ort::Session session = closable.get();
  const auto data = read_inputs(session, inputs);
  const auto wanted = read_outputs(session, names, out);
  std::vector<ort::Datum> results;
  {
    nb::gil_scoped_release released;
    results = session.run(data, wanted, options);
  }
  nb::list list;
  for (ort::Datum& result : results) list.append(datum_to_python(std::move(result)));
  return list;
}

/// A model's own text, which may be no UTF-8.
nb::object text_of(const std::string& text) {
  return nb::steal(require(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace")));
}

nb::list infos_to_python(std::span<const ort::ValueInfo> infos) {
  nb::list result;
  for (const ort::ValueInfo& info : infos) {
    nb::object dtype = nb::none(), shape = nb::none();
    if (info.type.kind == ort::Kind::tensor) {
      dtype = nb::cast(info.type.dtype ? dlport::to_string(*info.type.dtype) : "string");
      if (info.type.ranked) {
        nb::list dims;
        for (size_t i = 0; i < info.type.shape.size(); ++i) {
          const bool named = info.type.shape[i] < 0 && !info.type.dim_names[i].empty();
          dims.append(info.type.shape[i] >= 0 ? nb::cast(info.type.shape[i])
                      : named                 ? text_of(info.type.dim_names[i])
                                              : nb::none());
        }
        shape = nb::tuple(dims);
      }
    }
    result.append(nb::make_tuple(text_of(info.name), text_of(to_string(info.type)), dtype, shape));
  }
  return result;
}

ort::Session load(nb::handle model, const ort::SessionOptions& options) {
  if (nb::isinstance<ort::Graph>(model)) return ort::Session::from_graph(nb::cast<const ort::Graph&>(model), options);
  if (PyUnicode_Check(model.ptr())) {
    const auto path = nb::cast<std::string>(model);
    nb::gil_scoped_release released;
    return ort::Session::from_file(path, options);
  }
  const auto bytes = nb::cast<nb::bytes>(model);
  nb::gil_scoped_release released;
  return ort::Session::from_bytes({static_cast<const std::byte*>(bytes.data()), bytes.size()}, options);
}

void construct(ClosableSession* self, nb::handle model, int device, int threads, int optimization, int log_level,
               const std::string& optimized_model_path, const std::string& profile_prefix,
               const std::vector<std::string>& custom_op_libraries, nb::dict initializers,
               const std::map<std::string, int64_t>& dimensions, nb::dict config) {
  ort::SessionOptions options;
  options.device = device;
  options.threads = threads;
  options.optimization = optimization;
  options.log_level = log_level;
  options.optimized_model_path = optimized_model_path;
  options.profile_prefix = profile_prefix;
  options.custom_op_libraries = custom_op_libraries;
  options.dimensions = dimensions;
  options.config = options_from_python(config);
  for (const auto& [name, tensor] : initializers) {
    options.initializers[nb::cast<std::string>(name)] = tensor_from_python(tensor);
  }
  new (self) ClosableSession(load(model, options));
}

}  // namespace

void bind_ort_session(nb::module_& m) {
  nb::class_<ort::RunOptions>(m, "RunOptions")
      .def("__init__", [](ort::RunOptions* self, nb::dict config,
                          const std::string& tag) { new (self) ort::RunOptions(options_from_python(config), tag); })
      .def("cancel", &ort::RunOptions::cancel, "Stops the runs that were given these options, from any thread.")
      .def("reset", &ort::RunOptions::reset, "Allows runs again after cancel().");
  nb::class_<ClosableSession>(m, "Session")
      .def("__init__", &construct)
      .def("run", &run, nb::arg("inputs"), nb::arg("outputs").none() = nb::none(), nb::kw_only(),
           nb::arg("out").none() = nb::none(), nb::arg("options").none() = nb::none(),
           "Runs on inputs, a dict by name or a list by position, and returns a list of the outputs.\n\n"
           "inputs: DLPack tensors of any framework, shared where they lie row-major; strings as NumPy arrays or\n"
           "    lists, sequences as lists, maps as dicts, None for an optional input left out.\n"
           "outputs: the names of those to return, in that order; all of the model's by default.\n"
           "out: row-major tensors to write outputs into, a dict by name or a list in the order of `outputs`;\n"
           "    None where ONNX Runtime is to allocate.\n\n"
           "ValueError names the input or output that does not fit, what it takes and what was given. Thread-safe.")
      .def("inputs", [](const ClosableSession& it) { return infos_to_python(it.get().inputs()); })
      .def(
          "required_inputs", [](const ClosableSession& it) { return it.get().required_inputs(); },
          "How many of the inputs have to be given; the rest are initializers that may be.")
      .def("outputs", [](const ClosableSession& it) { return infos_to_python(it.get().outputs()); })
      .def("device_index", [](const ClosableSession& it) { return it.get().device().index; })
      .def(
          "end_profiling", [](const ClosableSession& it) { return it.get().end_profiling(); },
          "Ends what profile_prefix began and returns the path of the file.")
      .def("close", &ClosableSession::close, "Lets the model go; a run in flight ends first.");
}

}  // namespace dlport::python
