// The submodule `dlport._core.ort`, one function a file.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "dlport/ort.hpp"

namespace dlport::python {

/// Adds the submodule, with everything below in it.
void bind_ort(nanobind::module_& core);

void bind_ort_graph(nanobind::module_& m);
void bind_ort_session(nanobind::module_& m);

/// A node's attributes from a dict: int, float, str, bytes, lists of these, tensors of any framework, or Graphs.
/// Raises TypeError naming an attribute that is none of them.
std::vector<ort::Attribute> attributes_from_python(nanobind::dict attributes);

/// A dict of strings.
ort::Options options_from_python(nanobind::dict options);

}  // namespace dlport::python
