#include "torch/lowering/table.hpp"

#include <stdexcept>

#include "torch/lowering/families.hpp"

namespace dlport::pytorch {
namespace {

std::map<std::string, Entry, std::less<>>& entries() {
  static auto* all = new std::map<std::string, Entry, std::less<>>;  // kernels run until the process ends
  return *all;
}

}  // namespace

Entry& add_entry(std::string name, Entry entry) {
  const auto [slot, is_new] = entries().try_emplace(std::move(name), std::move(entry));
  if (!is_new) throw std::logic_error(slot->first + " is lowered twice");
  return slot->second;
}

const std::map<std::string, Entry, std::less<>>& table() {
  static const bool filled = [] {
    for (const auto family : kFamilies) family();
    set_crossovers(entries());
    return true;
  }();
  static_cast<void>(filled);
  return entries();
}

}  // namespace dlport::pytorch
