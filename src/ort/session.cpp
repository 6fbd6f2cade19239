#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "dlport/error.hpp"
#include "ort/datum.hpp"
#include "ort/devices.hpp"
#include "ort/environment.hpp"
#include "ort/executable.hpp"
#include "ort/graph.hpp"
#include "ort/initializers.hpp"
#include "ort/memory.hpp"
#include "ort/session_checks.hpp"
#include "ort/session_impl.hpp"
#include "ort/session_options.hpp"
#include "ort/value_type.hpp"

namespace dlport::ort {
namespace {

std::string take_name(const OrtSession* session, size_t index, const auto& get) {
  char* text = nullptr;
  check(get(session, index, host_allocator(), &text), "name");
  std::string name = text;
  check(api::AllocatorFree(host_allocator(), text), "name");
  return name;
}

void append_infos(std::vector<ValueInfo>& infos, const OrtSession* session, const auto& count, const auto& name,
                  const auto& type) {
  size_t length = 0;
  check(count(session, &length), "counting values");
  for (size_t i = 0; i < length; ++i) {
    infos.push_back({take_name(session, i, name), read_type(create<TypeInfoHandle>(type, session, i).get())});
  }
}

std::vector<const char*> name_pointers(const std::vector<ValueInfo>& infos) {
  std::vector<const char*> names;
  for (const ValueInfo& info : infos) names.push_back(info.name.c_str());
  return names;
}

size_t index_of(std::span<const ValueInfo> infos, std::string_view name, const char* what) {
  std::string known;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == name) return i;
    known += (i ? ", '" : "'") + infos[i].name + "'";
  }
  throw Error(ErrorCode::invalid_argument,
              "the model has no " + std::string(what) + " '" + std::string(name) + "'; it has: " + known);
}

/// Why ONNX Runtime did not load a model: what is wrong with the model is the caller's, what the library lacks is
/// unsupported.
ErrorCode load_error(const Failure& failure) {
  switch (failure.code) {  // OrtErrorCode
    case 3:                // no such file
      return ErrorCode::not_found;
    case 1:  // "fail": an operator, operator set or version that this release does not know, or a file of weights
      return failure.text.find("External ") == std::string::npos ? ErrorCode::unsupported : ErrorCode::invalid_argument;
    case 9:  // not implemented
      return ErrorCode::unsupported;
    case 11:  // the provider failed
      return ErrorCode::device;
    default:
      return ErrorCode::invalid_argument;
  }
}

/// Creates a session by `function(environment, arguments..., options, &session)`.
template <class Function, class... Arguments>
SessionHandle load(const std::string& what, const MadeOptions& options, const Function& function,
                   Arguments... arguments) {
  OrtSession* session = nullptr;
  if (const auto failed = failure(function(environment(), arguments..., options.get(), &session))) {
    throw Error(load_error(*failed), "cannot load " + what + ": " + failed->reason, failed->text);
  }
  return SessionHandle(session);
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::shared_ptr<Session::Impl> finish(SessionHandle session, const SessionOptions& options, MadeOptions made,
                                      std::vector<Tensor> constants = {}) {
  auto impl = std::make_shared<Session::Impl>();
  impl->device = device_info(options.device);
  impl->profiling = !options.profile_prefix.empty();
  impl->kept = std::move(constants);
  for (const auto& [name, tensor] : options.initializers) impl->kept.push_back(tensor);
  impl->initializers = std::move(made.initializers);
  append_infos(impl->inputs, session.get(), api::SessionGetInputCount, api::SessionGetInputName,
               api::SessionGetInputTypeInfo);
  impl->required = impl->inputs.size();
  append_infos(impl->inputs, session.get(), api::SessionGetOverridableInitializerCount,
               api::SessionGetOverridableInitializerName, api::SessionGetOverridableInitializerTypeInfo);
  append_infos(impl->outputs, session.get(), api::SessionGetOutputCount, api::SessionGetOutputName,
               api::SessionGetOutputTypeInfo);
  impl->input_names = name_pointers(impl->inputs);
  impl->output_names = name_pointers(impl->outputs);
  impl->session = std::move(session);
  return impl;
}

/// Runs; where outputs were given, a refusal tells what they were, because the shapes that the model arrives at may not
/// be known before.
void run_session(const Session::Impl& impl, const RunOptions* options, const char* const* input_names, Values& values,
                 size_t inputs, const char* const* output_names, size_t outputs, std::span<const TensorView> given) {
  check_generation(impl.made_in, "session");
  const auto failed = failure(api::Run(impl.session.get(), raw_options(options), input_names, values.data(), inputs,
                                       output_names, outputs, values.data() + inputs));
  if (!failed) return;
  std::string message = "running the model: " + failed->reason;
  for (size_t i = 0; i < given.size(); ++i) {
    message += (i ? ", " : "; the outputs given have the shapes ") + dlport::to_string(given[i].shape());
  }
  throw Error(run_error(*failed), message, failed->text);
}

}  // namespace

Session Session::from_file(const std::string& path, const SessionOptions& options) {
  if (!std::filesystem::exists(path)) throw Error(ErrorCode::not_found, "there is no file '" + path + "'");
  if (!options.initializers.empty()) check_initializers(content_of(path), options.initializers);
  MadeOptions made = make_options(options);
  SessionHandle session = load("'" + path + "'", made, api::CreateSession, path.c_str());
  return Session(finish(std::move(session), options, std::move(made)));
}

Session Session::from_bytes(std::span<const std::byte> model, const SessionOptions& options) {
  check_initializers({reinterpret_cast<const char*>(model.data()), model.size()}, options.initializers);
  MadeOptions made = make_options(options);
  const std::string what = "the model of " + std::to_string(model.size()) + " bytes";
  const void* data = model.data();
  SessionHandle session = load(what, made, api::CreateSessionFromArray, data, model.size());
  return Session(finish(std::move(session), options, std::move(made)));
}

Session Session::from_graph(const Graph& graph, const SessionOptions& options) {
  std::vector<Tensor> constants;
  for (const auto& [value, tensor] : graph.impl().constants) constants.push_back(tensor);
  MadeOptions made = make_options(options);
  SessionHandle session = build_session(graph.impl(), made.get());
  return Session(finish(std::move(session), options, std::move(made), std::move(constants)));
}

std::span<const ValueInfo> Session::inputs() const noexcept {
  return impl_->inputs;
}
size_t Session::required_inputs() const noexcept {
  return impl_->required;
}
std::span<const ValueInfo> Session::outputs() const noexcept {
  return impl_->outputs;
}
const DeviceInfo& Session::device() const noexcept {
  return impl_->device;
}

size_t Session::input_index(std::string_view name) const {
  return index_of(impl_->inputs, name, "input");
}
size_t Session::output_index(std::string_view name) const {
  return index_of(impl_->outputs, name, "output");
}

void Session::run(std::span<const TensorView> inputs, std::span<const TensorView> outputs,
                  const RunOptions* options) const {
  const std::shared_ptr<const Impl> impl = impl_;  // outlives the run whatever becomes of this handle
  if (inputs.size() != impl->required || outputs.size() != impl->outputs.size()) {
    throw Error(ErrorCode::invalid_argument, "the model has " + std::to_string(impl->required) + " inputs and " +
                                                 std::to_string(impl->outputs.size()) + " outputs, but was given " +
                                                 std::to_string(inputs.size()) + " and " +
                                                 std::to_string(outputs.size()));
  }
  Values values(inputs.size() + outputs.size());
  std::vector<Tensor> copies;
  for (size_t i = 0; i < inputs.size(); ++i) {
    check_input(impl->inputs[i], inputs[i], impl->device);
    values.add(lend(inputs[i], copies));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    check_output(impl->outputs[i], outputs[i], impl->device, inputs);
    values.add(make_value(outputs[i]));
  }
  run_session(*impl, options, impl->input_names.data(), values, inputs.size(), impl->output_names.data(),
              outputs.size(), outputs);
}

std::vector<Datum> Session::run(std::span<const Datum> inputs, std::span<const Output> outputs,
                                const RunOptions* options) const {
  const std::shared_ptr<const Impl> impl = impl_;
  check_given(*impl, inputs);
  Values values(inputs.size() + outputs.size());
  std::vector<const char*> input_names, output_names;
  std::vector<TensorView> lent, given;
  std::vector<Tensor> copies;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueInfo& info = impl->inputs[i];
    const auto* tensor = std::get_if<Tensor>(&inputs[i]);
    if (std::holds_alternative<std::monostate>(inputs[i])) continue;
    input_names.push_back(info.name.c_str());
    if (tensor) {
      lent.push_back(*tensor);
      check_input(info, *tensor, impl->device);
      values.add(lend(*tensor, copies));
    } else {
      check_kind(info, inputs[i]);
      values.add(to_value(inputs[i], info.type, copies).release());
    }
  }
  for (const Output& output : outputs) {
    const ValueInfo& info = impl->outputs.at(output.index);
    check_readable(info);
    output_names.push_back(info.name.c_str());
    if (output.into) {
      check_output(info, output.into, impl->device, lent);
      given.push_back(output.into);
      values.add(make_value(output.into));
    } else {
      values.add(nullptr);
    }
  }
  run_session(*impl, options, input_names.data(), values, input_names.size(), output_names.data(), outputs.size(),
              given);
  std::vector<Datum> results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueType& type = impl->outputs[outputs[i].index].type;
    const size_t place = input_names.size() + i;
    if (outputs[i].into) {
      results.emplace_back(outputs[i].into);
    } else if (type.kind == Kind::tensor && type.dtype) {  // nearly always
      results.emplace_back(take_tensor(values.take(place), impl));
    } else {
      results.push_back(from_value(values.take(place), impl));
    }
  }
  return results;
}

std::string Session::end_profiling() const {
  if (!impl_->profiling) {
    throw Error(ErrorCode::invalid_argument, "this session does not profile; make it with a profile prefix");
  }
  char* text = nullptr;
  check(api::SessionEndProfiling(impl_->session.get(), host_allocator(), &text), "profiling");
  std::string path = text;
  check(api::AllocatorFree(host_allocator(), text), "profiling");
  return path;
}

}  // namespace dlport::ort
