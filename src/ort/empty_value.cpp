#include "ort/empty_value.hpp"

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

/// TypeProto.
Message type_message(const ValueType& type) {
  switch (type.kind) {
    case Kind::tensor:
      return Message().message(1, Message().integer(1, element_number(type)));
    case Kind::sequence:
      return Message().message(4, Message().message(1, type_message(type.element[0])));
    default:
      throw Error(ErrorCode::unsupported, "an empty " + to_string(type) + " cannot be made");
  }
}

/// What the operator `op` without inputs gives with `attribute`.
ValueHandle result_of(const char* op, const Message& attribute) {
  const Message node = Message().text(2, "y").text(4, op).message(5, attribute);
  const Message graph = Message().message(1, node).text(2, "empty").message(12, Message().text(1, "y"));
  const Message opset = Message().text(1, "").integer(2, Graph::kOpset);
  const std::string model = Message().integer(1, 10).message(8, opset).message(7, graph).bytes();
  const auto session = create<SessionHandle>(api::CreateSessionFromArray, environment(),
                                             static_cast<const void*>(model.data()), model.size(), launch_options(0));
  const char* name = "y";
  OrtValue* result = nullptr;
  check(api::Run(session.get(), nullptr, nullptr, nullptr, 0, &name, 1, &result), op);
  return ValueHandle(result);
}

}  // namespace

ValueHandle empty_sequence(const ValueType& element) {
  if (element.kind != Kind::tensor) {
    throw Error(ErrorCode::unsupported, "an empty sequence of " + to_string(element) + " cannot be made");
  }
  return result_of("SequenceEmpty", Message().text(1, "dtype").integer(3, element_number(element)).integer(20, 2));
}

ValueHandle empty_optional(const ValueType& type) {
  const ValueType& element = type.kind == Kind::optional ? type.element[0] : type;
  return result_of("Optional", Message().text(1, "type").message(14, type_message(element)).integer(20, 13));
}

}  // namespace dlport::ort
