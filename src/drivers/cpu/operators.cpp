#include "drivers/cpu/operators.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "dlport/error.hpp"

namespace dlport {
namespace {

struct Table {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const HostFunction>> functions;
};

Table& table() {
  static auto* instance = new Table;
  return *instance;
}

}  // namespace

void register_host_operator(const std::string& name, HostFunction function) {
  if (!function) throw Error(ErrorCode::invalid_argument, "the host operator '" + name + "' was given no function");
  auto shared = std::make_shared<const HostFunction>(std::move(function));
  const std::lock_guard lock(table().mutex);
  table().functions.insert_or_assign(name, std::move(shared));
}

std::shared_ptr<const HostFunction> drivers::find_host_operator(const std::string& name) {
  const std::lock_guard lock(table().mutex);
  const auto found = table().functions.find(name);
  return found == table().functions.end() ? nullptr : found->second;
}

}  // namespace dlport
