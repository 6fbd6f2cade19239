// The cpu driver's operators: functions registered by name.
#pragma once

#include <memory>
#include <string>

#include "dlport/driver.hpp"

namespace dlport::drivers {

/// The function registered under `name`, or null. Thread-safe.
std::shared_ptr<const HostFunction> find_host_operator(const std::string& name);

}  // namespace dlport::drivers
