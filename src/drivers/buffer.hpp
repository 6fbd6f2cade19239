// Memory made by empty(): freed by its driver, behind the work of the stream that used it last.
#pragma once

#include <memory>

#include "dlport/driver.hpp"

namespace dlport {

struct Stream::State {
  Device device;
  const dlport_driver* driver;
  dlport_stream handle;

  explicit State(Device device);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

namespace drivers {

/// The stream that `tensor`'s memory was last used on; null where there was none or the memory is not empty()'s.
std::shared_ptr<Stream::State> last_stream(const TensorView& tensor);

}  // namespace drivers
}  // namespace dlport
