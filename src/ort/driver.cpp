// ONNX Runtime behind the driver interface: memory, streams and events are those of the physical device's own driver,
// operators are ONNX's.
#include "dlport/driver.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "dlport/ort.h"
#include "dlport/ort.hpp"
#include "dlport/ort_session.hpp"
#include "drivers/handles.hpp"
#include "drivers/launch_checks.hpp"
#include "drivers/status.hpp"
#include "ort/devices.hpp"
#include "ort/operator_text.hpp"

namespace dlport::ort {
namespace {

using drivers::guarded, drivers::require;

Device behind(DLDevice device) {
  if (device.device_type != kORT) {
    throw Error(ErrorCode::invalid_argument, to_string(Device(device)) + " is not a device of the driver 'ort'");
  }
  return device_info(device.device_id).physical;
}

dlport_region behind(dlport_region region) {
  region.device = region.device.device_type == kORT ? behind(region.device) : region.device;
  return region;
}

/// Calls the function `member` of the driver that serves `device`; its failure becomes ours.
template <class Member, class... Arguments>
void forward(Device device, Member member, Arguments... arguments) {
  const dlport_driver& driver = driver_for(device);
  dlport::check(driver, (driver.*member)(arguments...));
}

/// A function of the table that takes the device first, served by the physical device's driver.
template <auto member>
struct Forwarded;
template <class... Arguments, dlport_status (*dlport_driver::*member)(DLDevice, Arguments...)>
struct Forwarded<member> {
  static dlport_status call(DLDevice device, Arguments... arguments) {
    return guarded([&] { forward(behind(device), member, DLDevice(behind(device)), arguments...); });
  }
};

dlport_status read(void* host, dlport_region src, uint64_t size, dlport_stream stream) {
  return guarded([&] { forward(behind(src).device, &dlport_driver::read, host, behind(src), size, stream); });
}
dlport_status write(dlport_region dst, const void* host, uint64_t size, dlport_stream stream) {
  return guarded([&] { forward(behind(dst).device, &dlport_driver::write, behind(dst), host, size, stream); });
}
dlport_status copy_bytes(dlport_region dst, dlport_region src, uint64_t size, dlport_stream stream) {
  return guarded([&] { forward(behind(dst).device, &dlport_driver::copy, behind(dst), behind(src), size, stream); });
}
dlport_status fill(dlport_region dst, const void* pattern, size_t pattern_size, uint64_t size, dlport_stream stream) {
  return guarded(
      [&] { forward(behind(dst).device, &dlport_driver::fill, behind(dst), pattern, pattern_size, size, stream); });
}

dlport_status device_count(int32_t* count) {
  return guarded([&] {
    require(count, "count");
    *count = static_cast<int32_t>(devices().size());
  });
}

dlport_status device_properties(int32_t index, dlport_device_properties* properties) {
  return guarded([&] {
    require(properties, "properties");
    const DeviceInfo info = device_info(index);
    dlport_device_properties found{};
    for (const DeviceEntry& entry : list_devices()) {
      if (entry.device == info.physical) found = entry.properties;
    }
    found.device = Device(kORT, index);
    found.capabilities |= DLPORT_DEVICE_OPERATORS;
    const std::string name = info.provider + " on " + info.hardware;
    std::snprintf(found.name, sizeof found.name, "%s", name.c_str());
    std::snprintf(found.operator_format, sizeof found.operator_format, "onnx");
    const size_t size = std::min(properties->size, sizeof found);
    found.size = properties->size;
    std::memcpy(properties, &found, size);
  });
}

/// An operator of ONNX's, or a whole model.
class OnnxOperator {
 public:
  OnnxOperator(int device, const dlport_operator_source& source) {
    if (source.code) {
      const SessionOptions options{.device = device};
      session_.emplace(Session::from_bytes({static_cast<const std::byte*>(source.code), source.code_size}, options));
    } else {
      text_.emplace(source.name, source.options ? source.options : "", device);
    }
  }

  void launch(std::span<const dlport_argument> arguments) const {
    std::vector<Operand> tensors;
    for (const dlport_argument& argument : arguments) tensors.push_back(operand(argument));
    const size_t outputs = session_ ? session_->outputs().size() : text_->outputs();
    if (tensors.size() < outputs) {
      throw Error(ErrorCode::invalid_argument, "the operator has " + std::to_string(outputs) +
                                                   " outputs, but was given " + std::to_string(tensors.size()) +
                                                   " arguments");
    }
    std::vector<TensorView> results;
    for (size_t i = tensors.size() - outputs; i < tensors.size(); ++i) results.push_back(tensors[i].value());
    tensors.resize(tensors.size() - outputs);
    if (text_) return text_->launch(tensors, results);
    std::vector<TensorView> inputs;
    for (const Operand& tensor : tensors) inputs.push_back(tensor.value());
    session_->run(inputs, results);
  }

 private:
  /// The tensor under its physical device; nothing for an argument that is neither tensor nor value.
  static Operand operand(const dlport_argument& argument) {
    if (argument.size) {
      throw Error(ErrorCode::invalid_argument, "ONNX operators take tensors, but an argument is a value of " +
                                                   std::to_string(argument.size) + " bytes");
    }
    if (!argument.tensor) return std::nullopt;
    DLTensor tensor = *argument.tensor;
    if (tensor.device.device_type == kORT) tensor.device = behind(tensor.device);
    return TensorView(tensor);
  }

  std::optional<Session> session_;
  std::optional<OperatorText> text_;
};

dlport_status operator_create(DLDevice device, const dlport_operator_source* source, dlport_operator* op) {
  return guarded([&] {
    behind(device);
    drivers::check_source(source);
    require(op, "op");
    *op = drivers::give<dlport_operator>(std::make_unique<OnnxOperator>(device.device_id, *source));
  });
}

dlport_status operator_destroy(DLDevice, dlport_operator op) {
  return guarded([&] {
    require(op, "op");
    drivers::take<OnnxOperator>(op);
  });
}

dlport_status operator_launch(DLDevice device, dlport_operator op, const dlport_launch* launch, dlport_stream stream) {
  return guarded([&] {
    behind(device);
    require(launch, "launch");
    const auto& computation = drivers::object_of<OnnxOperator>(op, "op");
    if (stream) forward(behind(device), &dlport_driver::stream_synchronise, DLDevice(behind(device)), stream);
    computation.launch({launch->arguments, launch->argument_count});
  });
}

constexpr dlport_driver kDriver = {
    .size = sizeof(dlport_driver),
    .abi_version = DLPORT_DRIVER_ABI,
    .reserved = 0,
    .name = "ort",
    .version = "1",
    .last_error = drivers::last_error,
    .device_count = device_count,
    .device_properties = device_properties,
    .allocate = Forwarded<&dlport_driver::allocate>::call,
    .free = Forwarded<&dlport_driver::free>::call,
    .read = read,
    .write = write,
    .copy = copy_bytes,
    .fill = fill,
    .stream_create = Forwarded<&dlport_driver::stream_create>::call,
    .stream_destroy = Forwarded<&dlport_driver::stream_destroy>::call,
    .stream_synchronise = Forwarded<&dlport_driver::stream_synchronise>::call,
    .stream_wait = Forwarded<&dlport_driver::stream_wait>::call,
    .event_create = Forwarded<&dlport_driver::event_create>::call,
    .event_destroy = Forwarded<&dlport_driver::event_destroy>::call,
    .event_record = Forwarded<&dlport_driver::event_record>::call,
    .event_synchronise = Forwarded<&dlport_driver::event_synchronise>::call,
    .event_elapsed = Forwarded<&dlport_driver::event_elapsed>::call,
    .operator_create = operator_create,
    .operator_destroy = operator_destroy,
    .operator_launch = operator_launch,
    .copy_rows = nullptr,
};

}  // namespace
}  // namespace dlport::ort

const dlport_driver* dlport_ort_driver(void) {
  return &dlport::ort::kDriver;
}
