// What the handles of a session share.
#pragma once

#include <vector>

#include "dlport/ort_session.hpp"
#include "ort/api.hpp"
#include "ort/environment.hpp"

namespace dlport::ort {

struct Session::Impl {
  const uint32_t made_in = generation();
  DeviceInfo device;
  bool profiling = false;
  std::vector<Tensor> kept;  // memory that the session reads; before it, so that it goes last
  std::vector<ValueHandle> initializers;
  SessionHandle session;
  std::vector<ValueInfo> inputs, outputs;
  size_t required = 0;
  std::vector<const char*> input_names, output_names;  // of the infos
};

}  // namespace dlport::ort
