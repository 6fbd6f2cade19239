// Drivers that no host should keep: each library is this file compiled with another BROKEN_AS.
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "dlport/driver.h"

namespace {

enum Kind {
  kNull,
  kShort,
  kOtherVersion,
  kMissingFunction,
  kNoName,
  kThrows,
  kCountThrows,
  kManyDevices,
  kUnnamedDevice,
  kUnknownType,
  kTwice,
  kCrashes,
  kExits,
  kHostDevice,
};

const char* last_error() {
  return "told so";
}

dlport_status count(int32_t* out) {
  if (BROKEN_AS == kCountThrows) throw std::runtime_error("out of sorts");
  *out = BROKEN_AS == kManyDevices ? 1 << 20 : BROKEN_AS == kTwice ? 2 : 1;
  return DLPORT_OK;
}

dlport_status properties(int32_t, dlport_device_properties* out) {
  out->device = {BROKEN_AS == kHostDevice ? kDLCPU : kDLVPI, 0};
  if (BROKEN_AS == kUnknownType) out->device.device_type = static_cast<DLDeviceType>(4242);
  for (char& c : out->name) c = 'x';
  if (BROKEN_AS != kUnnamedDevice) out->name[1] = '\0';
  out->alignment = 64;
  return DLPORT_OK;
}

template <class... Arguments>
dlport_status unsupported(Arguments...) {
  return DLPORT_UNSUPPORTED;
}

dlport_driver make() {
  dlport_driver table{sizeof(dlport_driver),
                      DLPORT_DRIVER_ABI,
                      0,
                      "broken",
                      "1",
                      last_error,
                      count,
                      properties,
                      unsupported,
                      unsupported,
                      unsupported,
                      unsupported,
                      unsupported,
                      unsupported,
                      unsupported,
                      unsupported,
                      unsupported,
                      unsupported,
                      unsupported,
                      unsupported,
                      unsupported,
                      unsupported,
                      unsupported,
                      unsupported,
                      unsupported,
                      unsupported,
                      nullptr};
  if (BROKEN_AS == kShort) table.size = 64;
  if (BROKEN_AS == kOtherVersion) table.abi_version = 99;
  if (BROKEN_AS == kMissingFunction) table.write = nullptr;
  if (BROKEN_AS == kNoName) table.name = "";
  return table;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const dlport_driver* dlport_driver_entry() {
  static const dlport_driver table = make();
  if (BROKEN_AS == kThrows) throw 42;
  if (BROKEN_AS == kCrashes) {
    auto* volatile nowhere = reinterpret_cast<volatile int*>(alignof(int));  // the sanitizers catch null themselves
    *nowhere = 1;
  }
  if (BROKEN_AS == kExits) _exit(0);
  return BROKEN_AS == kNull ? nullptr : &table;
}
