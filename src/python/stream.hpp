// Streams, events and operators of any device, in Python.
#pragma once

#include <nanobind/nanobind.h>

#include <mutex>
#include <vector>

#include "dlport/driver.hpp"

namespace dlport::python {

/// A stream that keeps what its work reads and writes alive until that is done.
class HoldingStream {
 public:
  explicit HoldingStream(Device device) : stream_(device) {}

  const Stream& stream() const noexcept { return stream_; }
  void hold(const Tensor& tensor);
  void synchronize();

 private:
  /// So many may be held before the stream is waited for, so that a loop without synchronize() does not grow.
  static constexpr size_t kMost = 256;

  Stream stream_;
  std::mutex mutex_;
  std::vector<Tensor> held_;
};

/// The Stream that a Python caller passed; null for None. Throws TypeError for anything else.
HoldingStream* stream_argument(nanobind::handle value);

/// Adds Stream, Event and Operator to `module`.
void bind_stream(nanobind::module_& module);

}  // namespace dlport::python
