// Taking tensors from Python: any producer, by the fastest way that it offers.
#pragma once

#include <Python.h>

#include <optional>

#include "dlport/device.hpp"
#include "dlport/tensor.hpp"

namespace dlport::python {

/// What a caller of from_dlpack allows: nothing said, a copy always, a copy never.
enum class Copy { if_needed, always, never };

/// Imports `object`: through the C exchange API of its type, else through `__dlpack__` (with or without the keywords of
/// 1.0), else as the capsule that it is. Throws; exceptions of the producer come through as they are.
Tensor import_object(PyObject* object, Copy copy = Copy::if_needed, std::optional<Device> device = std::nullopt);

/// The exchange API that `type` offers in our major version, or null. Throws where looking raises.
const DLPackExchangeAPI* exchange_api_of(PyTypeObject* type);

/// Prepares interned names. False with a Python error set on failure.
bool init_import();

}  // namespace dlport::python
