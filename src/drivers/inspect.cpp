#include "drivers/inspect.hpp"

#include <cstring>
#include <string>

#include "dlport/error.hpp"

namespace dlport::drivers {
namespace {

constexpr int32_t kMostDevices = 1024;

[[noreturn]] void refuse(const std::string& reason) {
  throw Error(ErrorCode::device, reason);
}

struct Function {
  const char* name;
  size_t offset;
};

#define DLPORT_FUNCTION(name) {#name, offsetof(dlport_driver, name)}
constexpr Function kRequired[] = {
    DLPORT_FUNCTION(last_error),
    DLPORT_FUNCTION(device_count),
    DLPORT_FUNCTION(device_properties),
    DLPORT_FUNCTION(allocate),
    DLPORT_FUNCTION(free),
    DLPORT_FUNCTION(read),
    DLPORT_FUNCTION(write),
    DLPORT_FUNCTION(copy),
    DLPORT_FUNCTION(fill),
    DLPORT_FUNCTION(stream_create),
    DLPORT_FUNCTION(stream_destroy),
    DLPORT_FUNCTION(stream_synchronise),
    DLPORT_FUNCTION(stream_wait),
    DLPORT_FUNCTION(event_create),
    DLPORT_FUNCTION(event_destroy),
    DLPORT_FUNCTION(event_record),
    DLPORT_FUNCTION(event_synchronise),
    DLPORT_FUNCTION(event_elapsed),
    DLPORT_FUNCTION(operator_create),
    DLPORT_FUNCTION(operator_destroy),
    DLPORT_FUNCTION(operator_launch),
};
#undef DLPORT_FUNCTION

void check_table(const dlport_driver* table) {
  if (!table) refuse("its entry point returned no table: the driver cannot work here");
  if (table->size < DLPORT_DRIVER_REQUIRED_SIZE) {
    refuse("its table has " + std::to_string(table->size) + " bytes, fewer than the " +
           std::to_string(DLPORT_DRIVER_REQUIRED_SIZE) + " that every driver has");
  }
  if (table->abi_version != DLPORT_DRIVER_ABI) {
    refuse("it is made for version " + std::to_string(table->abi_version) + " of the driver interface, and this is " +
           std::to_string(DLPORT_DRIVER_ABI));
  }
  for (const Function& function : kRequired) {
    void* pointer = nullptr;
    std::memcpy(&pointer, reinterpret_cast<const char*>(table) + function.offset, sizeof(pointer));
    if (!pointer) refuse(std::string("its table lacks ") + function.name);
  }
  if (!table->name || table->name[0] == '\0' || strnlen(table->name, 64) == 64) {
    refuse("its name is missing or longer than 63 bytes");
  }
}

dlport_device_properties properties_of(const dlport_driver& table, int32_t index) {
  dlport_device_properties properties{};
  properties.size = sizeof(properties);
  const std::string which = "device " + std::to_string(index) + " of its devices ";
  if (table.device_properties(index, &properties) != DLPORT_OK)
    refuse(which + "has no properties: " + last_error_of(table));
  if (!memchr(properties.name, '\0', sizeof(properties.name)) || properties.name[0] == '\0') {
    refuse(which + "has no zero-terminated name");
  }
  if (!memchr(properties.operator_format, '\0', sizeof(properties.operator_format))) {
    refuse(which + "has no zero-terminated operator_format");
  }
  const Device device = properties.device;
  if (!is_known(device.type()) || device.index() < 0)
    refuse(which + "is " + to_string(device) + ", which DLPack does not define");
  const uint32_t alignment = properties.alignment;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    refuse(which + "has alignment " + std::to_string(alignment) + ", which is not a power of two");
  }
  return properties;
}

}  // namespace

std::string last_error_of(const dlport_driver& table) {
  try {
    const char* sentence = table.last_error();
    return sentence ? sentence : "";
  } catch (...) {
    return "";
  }
}

Inspection inspect(const dlport_driver* table) {
  try {
    check_table(table);
    int32_t count = -1;
    if (table->device_count(&count) != DLPORT_OK) refuse("its devices cannot be counted: " + last_error_of(*table));
    if (count < 0 || count > kMostDevices) refuse("it claims to have " + std::to_string(count) + " devices");
    Inspection found;
    for (int32_t index = 0; index < count; ++index) {
      const dlport_device_properties properties = properties_of(*table, index);
      for (const dlport_device_properties& other : found.devices) {
        if (Device(other.device) == Device(properties.device)) {
          refuse("it lists " + to_string(Device(properties.device)) + " twice");
        }
      }
      found.devices.push_back(properties);
    }
    return found;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    refuse(std::string("it threw an exception: ") + error.what());
  } catch (...) {
    refuse("it threw something that is not an exception");
  }
}

}  // namespace dlport::drivers
