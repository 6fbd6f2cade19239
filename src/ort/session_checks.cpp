#include "ort/session_checks.hpp"

#include <string>
#include <variant>

#include "dlport/error.hpp"
#include "dlport/exchange.hpp"
#include "ort/datum.hpp"
#include "ort/session_impl.hpp"

namespace dlport::ort {
namespace {

[[noreturn]] void refuse(const char* what, const ValueInfo& info, const std::string& given) {
  throw Error(ErrorCode::invalid_argument,
              std::string(what) + " '" + info.name + "' takes " + to_string(info.type) + ", but was given " + given);
}

bool fits(const ValueType& type, Shape shape) {
  if (!type.ranked) return true;
  if (shape.size() != type.shape.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (type.shape[i] >= 0 && type.shape[i] != shape[i]) return false;
  }
  return true;
}

/// Whether the two may touch at all: exact for row-major tensors, and quick, because it is asked in every run.
bool near(const TensorView& output, const TensorView& input) {
  if (!input.is_contiguous()) return true;
  const auto* first = static_cast<const char*>(output.data());
  const auto* other = static_cast<const char*>(input.data());
  return first < other + input.nbytes() && other < first + output.nbytes();
}

/// Sparse tensors and opaque values exist inside of ONNX Runtime alone.
void check_dense(const char* what, const ValueInfo& info) {
  if (info.type.kind != Kind::sparse_tensor && info.type.kind != Kind::opaque) return;
  throw Error(ErrorCode::unsupported, std::string(what) + " '" + info.name + "' is a " + to_string(info.type) +
                                          ", which has no DLPack form; make it dense in the model");
}

void check_tensor(const char* what, const ValueInfo& info, const TensorView& tensor, const DeviceInfo& device) {
  check_dense(what, info);
  const ValueType& type = info.type.kind == Kind::optional ? info.type.element[0] : info.type;
  if (type.kind != Kind::tensor || !type.dtype || !(*type.dtype == tensor.dtype()) || !fits(type, tensor.shape())) {
    refuse(what, info, dlport::to_string(tensor.dtype()) + " " + dlport::to_string(tensor.shape()));
  }
  if (!tensor.device().is_host() && !(tensor.device() == device.physical)) {
    throw Error(ErrorCode::invalid_argument, std::string(what) + " '" + info.name + "' is on " +
                                                 dlport::to_string(tensor.device()) + ", but the session computes on " +
                                                 dlport::to_string(device.physical) + "; copy it there first");
  }
}

}  // namespace

void check_input(const ValueInfo& info, const TensorView& tensor, const DeviceInfo& device) {
  check_tensor("input", info, tensor, device);
}

void check_output(const ValueInfo& info, const TensorView& tensor, const DeviceInfo& device,
                  std::span<const TensorView> inputs) {
  check_tensor("output", info, tensor, device);
  check_writable(info.name, tensor, inputs);
}

void check_writable(std::string_view what, const TensorView& tensor, std::span<const TensorView> inputs) {
  const auto unfit = [&](const char* why) {
    throw Error(ErrorCode::invalid_argument, "the tensor given for output '" + std::string(what) + "' " + why);
  };
  if (tensor.read_only()) unfit("is read-only");
  if (!tensor.is_contiguous()) unfit("is not row-major; give one that is, or let it be allocated");
  if (tensor.is_padded()) unfit("pads its elements to bytes, and ONNX Runtime packs them");
  for (const TensorView& input : inputs) {
    if (near(tensor, input) && may_share_memory(tensor, input))
      unfit("shares memory with an input; give one of its own");
  }
}

void check_readable(const ValueInfo& info) {
  check_dense("output", info);
}

void check_kind(const ValueInfo& info, const Datum& datum) {
  const ValueType& type = info.type.kind == Kind::optional && !std::holds_alternative<std::monostate>(datum)
                              ? info.type.element[0]
                              : info.type;
  check_dense("input", info);
  bool fitting = false;
  if (const auto* strings = std::get_if<Strings>(&datum)) {
    fitting = type.kind == Kind::tensor && !type.dtype && fits(type, strings->shape);
  } else if (std::holds_alternative<Sequence>(datum)) {
    fitting = type.kind == Kind::sequence;
  } else {
    fitting = type.kind == Kind::map;
  }
  if (!fitting) refuse("input", info, describe(datum));
}

void check_given(const Session::Impl& session, std::span<const Datum> inputs) {
  if (inputs.size() > session.inputs.size()) {
    throw Error(ErrorCode::invalid_argument, "the model takes " + std::to_string(session.inputs.size()) +
                                                 " inputs, but was given " + std::to_string(inputs.size()));
  }
  for (size_t i = 0; i < session.required; ++i) {
    const ValueInfo& info = session.inputs[i];
    if (i < inputs.size() && !std::holds_alternative<std::monostate>(inputs[i])) continue;
    if (info.type.kind != Kind::optional) refuse("input", info, "nothing");
    throw Error(ErrorCode::unsupported, "input '" + info.name + "' is an " + to_string(info.type) +
                                            ", and ONNX Runtime's C API takes none without a value");
  }
}

}  // namespace dlport::ort
