#include "torch/variant.hpp"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <string>

namespace dlport::pytorch {
namespace {

bool is_written(const c10::Argument& argument) {
  return argument.alias_info() && argument.alias_info()->isWrite();
}

bool is_out(const c10::Argument& argument) {
  return is_written(argument) && argument.kwarg_only();
}

/// The entry for `name` whose operator takes the same arguments as `schema` does without those for the results.
const Entry* functional_entry(const std::string& name, const c10::FunctionSchema& schema, size_t count) {
  const auto& entries = table();
  for (auto entry = entries.lower_bound(name); entry != entries.end(); ++entry) {
    const std::string& candidate = entry->first;
    if (!candidate.starts_with(name)) break;
    if (candidate.size() > name.size() && candidate[name.size()] != '.') continue;
    const std::string overload = candidate.size() > name.size() ? candidate.substr(name.size() + 1) : "";
    const auto op = c10::Dispatcher::singleton().findSchema({name, overload});
    if (!op) continue;
    const auto& arguments = op->schema().arguments();
    if (arguments.size() != count || std::ranges::any_of(arguments, is_written)) continue;
    const auto same = [](const c10::Argument& a, const c10::Argument& b) {
      return a.name() == b.name() && *a.type() == *b.type();
    };
    if (std::equal(arguments.begin(), arguments.end(), schema.arguments().begin(), same)) return &entry->second;
  }
  return nullptr;
}

}  // namespace

Variant find_variant(const c10::FunctionSchema& schema) {
  Variant variant;
  variant.arguments = schema.arguments().size();
  variant.returns = schema.returns().size();
  variant.returns_list = variant.returns == 1 && schema.returns()[0].type()->kind() == c10::TypeKind::ListType;
  size_t outs = 0;
  for (uint32_t i = 0; i < variant.arguments; ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    if (!is_written(argument)) continue;
    variant.targets.push_back(i);
    outs += is_out(argument);
  }
  variant.is_out = outs > 0;
  const std::string& name = schema.name();
  const std::string full = c10::toString(schema.operator_name());
  if (const auto entry = table().find(full); entry != table().end()) {
    variant.entry = &entry->second;
  } else if (outs > 0 && outs == variant.targets.size()) {
    variant.entry = functional_entry(name, schema, variant.arguments - outs);
  } else if (outs == 0 && !variant.targets.empty() && name.ends_with('_')) {
    variant.entry = functional_entry(name.substr(0, name.size() - 1), schema, variant.arguments);
  }
  if (variant.entry && variant.entry->kinds.size() + outs != variant.arguments) variant.entry = nullptr;
  return variant;
}

}  // namespace dlport::pytorch
