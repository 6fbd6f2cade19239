#include "drivers/launch_checks.hpp"

#include <string>

#include "dlport/device.hpp"
#include "dlport/error.hpp"
#include "drivers/status.hpp"

namespace dlport::drivers {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

void check_size(size_t size, size_t expected, const char* what) {
  if (size < expected) {
    refuse(std::string(what) + ".size = " + std::to_string(size) + " is less than the " + std::to_string(expected) +
           " bytes of its first version: set it to the structure's sizeof");
  }
}

}  // namespace

void check_source(const dlport_operator_source* source) {
  require(source, "source");
  check_size(source->size, sizeof(dlport_operator_source), "source");
  require(source->name, "source.name");
  if (source->name[0] == '\0') refuse("source.name is empty");
}

std::span<const dlport_argument> check_launch(DLDevice device, const dlport_launch* launch) {
  require(launch, "launch");
  check_size(launch->size, sizeof(dlport_launch), "launch");
  if (launch->argument_count > 0) require(launch->arguments, "launch.arguments");
  const std::span arguments(launch->arguments, launch->argument_count);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const dlport_argument& argument = arguments[i];
    if (!argument.tensor && (!argument.value || argument.size == 0)) {
      refuse("argument " + std::to_string(i) + " is neither a tensor nor a value");
    }
    if (argument.tensor && !(Device(argument.tensor->device) == Device(device))) {
      refuse("argument " + std::to_string(i) + " is a tensor on " + to_string(Device(argument.tensor->device)) +
             ", and the operator is " + to_string(Device(device)) + "'s");
    }
  }
  for (int axis = 0; axis < 3; ++axis) {
    const uint64_t global = launch->global[axis], local = launch->local[axis];
    if (global == 0) refuse("launch.global[" + std::to_string(axis) + "] = 0: there is at least one work item");
    if (local != 0 && global % local != 0) {
      refuse("launch.local[" + std::to_string(axis) + "] = " + std::to_string(local) + " does not divide the " +
             std::to_string(global) + " work items");
    }
  }
  return arguments;
}

}  // namespace dlport::drivers
