// The devices configured as ort:0, ort:1, ...
#pragma once

#include "dlport/ort.hpp"
#include "ort/api.hpp"

namespace dlport::ort {

/// Fresh session options with the provider of ort:`device`; everything else is left at its default.
/// Throws Error{not_found} for an index that is not configured.
SessionOptionsHandle session_options(int device);

/// Session options with the provider of ort:`device`, for a graph of a few nodes. Shared: do not change them.
const OrtSessionOptions* launch_options(int device);

/// What ort:`device` stands for.
DeviceInfo device_info(int device);

/// The provider's device behind ort:`device`; owned by the environment.
const OrtEpDevice* ep_device(int device);

/// The first configured device that computes on `physical`. Throws Error{unsupported} where none does.
const OrtEpDevice* ep_device_on(Device physical);

}  // namespace dlport::ort
