// Looking a driver's table over before anybody relies on it.
#pragma once

#include <vector>

#include "dlport/device.hpp"
#include "dlport/driver.h"

namespace dlport::drivers {

/// What a table says about itself, found plausible.
struct Inspection {
  std::vector<dlport_device_properties> devices;
};

/// Checks everything that can be checked without using a device: size, version, required functions, name, devices.
/// Throws Error{device} with the reason to leave the driver out. Calls the driver, which may do anything.
Inspection inspect(const dlport_driver* table);

/// The driver's last error as a copy, "" where it has none; never throws what the driver throws.
std::string last_error_of(const dlport_driver& table);

/// Opens the library at `path` and returns what its entry point returns; the library stays open.
/// Throws Error{not_found} or Error{device}.
const dlport_driver* open_plugin(const std::string& path);

/// open_plugin and inspect in a child process. Throws Error{not_found} or Error{device} with what went wrong there:
/// a refusal, an exception, a signal, an exit, or no answer in ten seconds.
void try_plugin_out(const std::string& path);

}  // namespace dlport::drivers
