// Expecting an Error with its code and its whole sentence.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "dlport/error.hpp"

namespace dlport::testing {

template <class Work>
void expect_error(ErrorCode code, const std::string& sentence, Work work) {
  try {
    work();
    ADD_FAILURE() << "nothing was thrown; expected: " << sentence;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << to_string(error.code());
    EXPECT_EQ(error.what(), sentence);
  }
}

}  // namespace dlport::testing
