// Values of every ONNX kind from Python and back.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "dlport/ort_session.hpp"

namespace dlport::python {

/// `object` as a value of `type`: tensors through DLPack, strings from str or arrays of them, sequences from lists,
/// maps from dicts, None for an optional without a value. Raises ValueError naming `what`, its type and what it was
/// given.
ort::Datum datum_from_python(nanobind::handle object, const ort::ValueType& type, const std::string& what);

/// A dlport.Tensor, an array of str objects, a list, a dict or None.
nanobind::object datum_to_python(ort::Datum datum);

/// Any DLPack producer, or what is one already.
Tensor tensor_from_python(nanobind::handle object);

nanobind::object tensor_to_python(Tensor tensor);

}  // namespace dlport::python
