#include "ort/empty_sequence.hpp"

#include "dlport/error.hpp"
#include "ort/devices.hpp"
#include "ort/element_type.hpp"
#include "ort/environment.hpp"
#include "ort/protobuf.hpp"
#include "ort/value_type.hpp"

namespace dlport::ort {
namespace {

int64_t element_number(const ValueType& tensor) {
  return static_cast<int64_t>(tensor.dtype ? element_type(*tensor.dtype) : ElementType::string);
}

}  // namespace

ValueHandle empty_sequence(const ValueType& element) {
  if (element.kind != Kind::tensor) {
    throw Error(ErrorCode::unsupported, "an empty sequence of " + to_string(element) + " cannot be made");
  }
  const Message dtype = Message().text(1, "dtype").integer(3, element_number(element)).integer(20, 2);
  const Message node = Message().text(2, "y").text(4, "SequenceEmpty").message(5, dtype);
  const Message graph = Message().message(1, node).text(2, "empty").message(12, Message().text(1, "y"));
  const Message opset = Message().text(1, "").integer(2, Graph::kOpset);
  const std::string model = Message().integer(1, 10).message(8, opset).message(7, graph).bytes();
  const auto session = create<SessionHandle>(api::CreateSessionFromArray, environment(),
                                             static_cast<const void*>(model.data()), model.size(), launch_options(0));
  const char* name = "y";
  OrtValue* result = nullptr;
  check(api::Run(session.get(), nullptr, nullptr, nullptr, 0, &name, 1, &result), "making an empty sequence");
  return ValueHandle(result);
}

}  // namespace dlport::ort
