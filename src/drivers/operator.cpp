// Operators in C++: a handle with its driver.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "dlport/driver.hpp"
#include "dlport/error.hpp"

namespace dlport {

Operator::Operator(Device device, const std::string& name, std::string_view code, const std::string& options)
    : device_(physical(device)), driver_(&driver_for(device_)) {
  const dlport_operator_source source{sizeof(source), name.c_str(), code.empty() ? nullptr : code.data(), code.size(),
                                      options.c_str()};
  check(*driver_, driver_->operator_create(device_, &source, &handle_));
}

Operator::~Operator() {
  if (handle_) driver_->operator_destroy(device_, handle_);
}

Operator::Operator(Operator&& other) noexcept
    : device_(other.device_), driver_(other.driver_), handle_(std::exchange(other.handle_, nullptr)) {}

void Operator::launch(std::span<const Argument> arguments, const Grid& grid, const Stream* stream) const {
  constexpr size_t kInline = 16;
  std::array<dlport_argument, kInline> few;
  std::vector<dlport_argument> many(arguments.size() > kInline ? arguments.size() : 0);
  dlport_argument* lent = many.empty() ? few.data() : many.data();
  for (size_t i = 0; i < arguments.size(); ++i) {
    lent[i] = arguments[i].lend();
    if (stream && lent[i].tensor) record_stream(*lent[i].tensor, *stream);
  }
  dlport_launch launch{sizeof(launch), lent, static_cast<uint32_t>(arguments.size()), grid.shared_memory, {}, {}};
  std::copy_n(grid.global, 3, launch.global);
  std::copy_n(grid.local, 3, launch.local);
  check(*driver_, driver_->operator_launch(device_, handle_, &launch, stream ? stream->handle() : nullptr));
}

}  // namespace dlport
