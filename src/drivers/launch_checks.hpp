// What every driver asks of a launch and of an operator's source.
#pragma once

#include <span>

#include "dlport/driver.h"

namespace dlport::drivers {

/// Throws Error{invalid_argument} where the source has no name or is shorter than its first version.
void check_source(const dlport_operator_source* source);

/// Throws Error{invalid_argument} for missing arguments, tensors on another device than `device`, and items or groups
/// that are not positive or do not divide. Returns the arguments.
std::span<const dlport_argument> check_launch(DLDevice device, const dlport_launch* launch);

}  // namespace dlport::drivers
