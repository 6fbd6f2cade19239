#include "ort/executable.hpp"

#include <utility>

#include "dlport/error.hpp"
#include "ort/environment.hpp"
#include "ort/memory.hpp"

namespace dlport::ort {

Executable::~Executable() = default;

ErrorCode run_error(const Failure& failure) {
  constexpr int32_t kInvalidArgument = 2;
  const bool shape = failure.text.find("shape verification failed") != std::string::npos;
  return shape || failure.code == kInvalidArgument ? ErrorCode::invalid_argument : ErrorCode::device;
}

CompiledGraph::CompiledGraph(SessionHandle session, std::vector<std::string> inputs, std::vector<std::string> outputs,
                             std::vector<Tensor> constants)
    : generation_(generation()),
      constants_(std::move(constants)),
      session_(std::move(session)),
      names_(std::move(inputs)),
      input_count_(names_.size()) {
  for (std::string& name : outputs) names_.push_back(std::move(name));
  for (const std::string& name : names_) name_pointers_.push_back(name.c_str());
}

void CompiledGraph::check_count(size_t inputs, size_t outputs) const {
  if (inputs == input_count_ && inputs + outputs == names_.size()) return;
  throw Error(ErrorCode::invalid_argument, "the graph has " + std::to_string(input_count_) + " inputs and " +
                                               std::to_string(names_.size() - input_count_) +
                                               " outputs, but was given " + std::to_string(inputs) + " and " +
                                               std::to_string(outputs));
}

void CompiledGraph::run(Values& values) const {
  check_generation(generation_, "compiled graph");
  const auto failed = failure(api::Run(session_.get(), nullptr, name_pointers_.data(), values.data(), input_count_,
                                       name_pointers_.data() + input_count_, names_.size() - input_count_,
                                       values.data() + input_count_));
  if (failed) throw Error(run_error(*failed), "running the graph: " + failed->reason, failed->text);
}

void CompiledGraph::run(std::span<const TensorView> inputs, std::span<const TensorView> outputs) const {
  check_count(inputs.size(), outputs.size());
  Values values(names_.size());
  for (const TensorView& tensor : inputs) values.add(make_value(tensor));
  for (const TensorView& tensor : outputs) values.add(make_value(tensor));
  run(values);
}

std::vector<Tensor> CompiledGraph::run(std::span<const TensorView> inputs) const {
  const size_t outputs = names_.size() - input_count_;
  check_count(inputs.size(), outputs);
  Values values(names_.size());
  for (const TensorView& tensor : inputs) values.add(make_value(tensor));
  for (size_t i = 0; i < outputs; ++i) values.add(nullptr);
  run(values);
  std::vector<Tensor> results;
  for (size_t i = 0; i < outputs; ++i) {
    results.push_back(take_tensor(values.take(input_count_ + i), shared_from_this()));
  }
  return results;
}

}  // namespace dlport::ort
