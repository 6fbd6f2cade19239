#include "dlport/error.hpp"

#include <gtest/gtest.h>

namespace dlport {
namespace {

TEST(Error, CarriesItsCodeAndItsSentence) {
  const Error error(ErrorCode::would_copy, "only as a copy");
  EXPECT_EQ(error.code(), ErrorCode::would_copy);
  EXPECT_STREQ(error.what(), "only as a copy");
}

TEST(Error, EveryCodeHasTheNameItIsSpelledWith) {
  EXPECT_STREQ(to_string(ErrorCode::invalid_tensor), "invalid_tensor");
  EXPECT_STREQ(to_string(ErrorCode::invalid_argument), "invalid_argument");
  EXPECT_STREQ(to_string(ErrorCode::unsupported), "unsupported");
  EXPECT_STREQ(to_string(ErrorCode::would_copy), "would_copy");
  EXPECT_STREQ(to_string(ErrorCode::device), "device");
  EXPECT_STREQ(to_string(ErrorCode::out_of_memory), "out_of_memory");
  EXPECT_STREQ(to_string(ErrorCode::not_found), "not_found");
  EXPECT_STREQ(to_string(ErrorCode::internal), "internal");
}

}  // namespace
}  // namespace dlport
