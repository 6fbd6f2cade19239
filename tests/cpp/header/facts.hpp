// What a dlpack.h says, as text that can be compared with what another one says.
#pragma once

#include <map>
#include <string>

namespace dlport::testing {

using Facts = std::map<std::string, std::string>;

/// The facts of each copy and order of inclusion that this program was built with, by name ("ours", "torch, ours").
std::map<std::string, Facts>& collected_facts();

}  // namespace dlport::testing
