// Random numbers of the ort device: those of the physical device's generator.
#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

namespace dlport::pytorch {

/// The default generator of `device`. It is the physical device's own under another name, so that a seed gives the
/// same numbers on "ort" and on "cpu", and both advance together.
const at::Generator& default_generator(c10::Device device);

/// A new generator on `device` with a state of its own.
at::Generator new_generator(c10::Device device);

/// The generator that native kernels draw from for `generator`: itself, unless it is one of ours.
at::Generator physical_generator(const at::Generator& generator);

}  // namespace dlport::pytorch
