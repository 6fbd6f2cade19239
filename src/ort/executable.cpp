#include "ort/executable.hpp"

#include <array>
#include <utility>

#include "dlport/error.hpp"
#include "ort/element_type.hpp"
#include "ort/environment.hpp"

namespace dlport::ort {
namespace {

/// The values of one run, released together. Short lists, which nearly all are, need no allocation.
class Values {
 public:
  explicit Values(size_t count) {
    if (count > inline_.size()) {
      long_.resize(count);
      values_ = long_.data();
    }
  }
  ~Values() {
    for (size_t i = 0; i < count_; ++i) api::ReleaseValue(values_[i]);
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;

  void add(const TensorView& tensor) {
    values_[count_] = make_value(tensor);
    ++count_;
  }
  OrtValue** data() { return values_; }

 private:
  std::array<OrtValue*, 16> inline_{};
  std::vector<OrtValue*> long_;
  OrtValue** values_ = inline_.data();
  size_t count_ = 0;
};

}  // namespace

Executable::~Executable() = default;

OrtValue* make_value(const TensorView& tensor) {
  static char nothing;  // ONNX Runtime wants an address even where there are no elements
  void* data = tensor.dltensor().data ? tensor.data() : &nothing;
  OrtValue* value = nullptr;
  check(api::CreateTensorWithDataAsOrtValue(host_memory(), data, static_cast<size_t>(tensor.nbytes()),
                                            tensor.shape().data(), tensor.shape().size(), element_type(tensor.dtype()),
                                            &value),
        "wrapping a tensor");
  return value;
}

CompiledGraph::CompiledGraph(SessionHandle session, std::vector<std::string> inputs, std::vector<std::string> outputs,
                             std::vector<Tensor> constants)
    : constants_(std::move(constants)),
      session_(std::move(session)),
      names_(std::move(inputs)),
      input_count_(names_.size()) {
  for (std::string& name : outputs) names_.push_back(std::move(name));
  for (const std::string& name : names_) name_pointers_.push_back(name.c_str());
}

void CompiledGraph::run(std::span<const TensorView> inputs, std::span<const TensorView> outputs) const {
  if (inputs.size() != input_count_ || inputs.size() + outputs.size() != names_.size()) {
    throw Error(ErrorCode::invalid_argument, "the graph has " + std::to_string(input_count_) + " inputs and " +
                                                 std::to_string(names_.size() - input_count_) +
                                                 " outputs, but was given " + std::to_string(inputs.size()) + " and " +
                                                 std::to_string(outputs.size()));
  }
  Values values(names_.size());
  for (const TensorView& tensor : inputs) values.add(tensor);
  for (const TensorView& tensor : outputs) values.add(tensor);
  check(api::Run(session_.get(), nullptr, name_pointers_.data(), values.data(), input_count_,
                 name_pointers_.data() + input_count_, outputs.size(), values.data() + input_count_),
        "running the graph");
}

}  // namespace dlport::ort
