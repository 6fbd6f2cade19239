#include <gtest/gtest.h>

#include "facts.hpp"

namespace dlport::testing {

std::map<std::string, Facts>& collected_facts() {
  static std::map<std::string, Facts> facts;
  return facts;
}

namespace {

TEST(DlpackHeader, NamesEveryStructureAndConstantOfDlpack13) {
  const Facts& ours = collected_facts().at("ours");
  EXPECT_EQ(ours.at("DLPACK_MAJOR_VERSION"), "1");
  EXPECT_EQ(ours.at("DLPACK_MINOR_VERSION"), "3");
  EXPECT_EQ(ours.at("sizeof DLTensor"), "48");
  EXPECT_EQ(ours.at("sizeof DLManagedTensorVersioned"), "80");
}

TEST(DlpackHeader, SaysWhatTheCopiesOfOtherProjectsSayInEveryOrderOfInclusion) {
  const Facts& ours = collected_facts().at("ours");
  for (const auto& [name, theirs] : collected_facts()) {
    for (const auto& [what, value] : theirs) EXPECT_EQ(ours.at(what), value) << what << " in '" << name << "'";
  }
}

}  // namespace
}  // namespace dlport::testing
