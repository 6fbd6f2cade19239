#include "dlport/layout.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace dlport {
namespace {

using Values = std::vector<int64_t>;
constexpr int64_t kHuge = int64_t{1} << 62;

TEST(Numel, IsOneWithoutDimensionsAndZeroWithAnEmptyOne) {
  EXPECT_EQ(checked_numel(Values{}), 1);
  EXPECT_EQ(checked_numel(Values{3, 4}), 12);
  EXPECT_EQ(checked_numel(Values{kHuge, 0, kHuge}), 0);
}

TEST(Numel, OfNegativeOrOverflowingDimensionsIsNothing) {
  EXPECT_EQ(checked_numel(Values{3, -1}), std::nullopt);
  EXPECT_EQ(checked_numel(Values{0, -1}), std::nullopt);
  EXPECT_EQ(checked_numel(Values{kHuge, 2}), std::nullopt);
}

TEST(Strides, AreRowMajorWithEmptyDimensionsCountedAsOne) {
  Values strides(3);
  row_major_strides(Values{2, 0, 5}, strides.data());
  EXPECT_EQ(strides, (Values{5, 5, 1}));
}

TEST(Contiguity, LooksPastAxesOfLengthOneAndLayoutsWithoutElements) {
  EXPECT_TRUE(is_contiguous(Values{2, 3}, Values{3, 1}));
  EXPECT_TRUE(is_contiguous(Values{2, 1, 3}, Values{3, -77, 1}));
  EXPECT_TRUE(is_contiguous(Values{2, 0}, Values{-5, 9}));
  EXPECT_TRUE(is_contiguous(Values{2, 3}, {}));
  EXPECT_TRUE(is_contiguous({}, {}));
  EXPECT_FALSE(is_contiguous(Values{2, 3}, Values{1, 2}));
  EXPECT_FALSE(is_contiguous(Values{2, 3}, Values{4, 1}));
  EXPECT_FALSE(is_contiguous(Values{3}, Values{-1}));
}

TEST(ExtentOfALayout, SpansFromItsLowestToItsHighestElement) {
  const auto both_ways = *extent(Values{3, 4}, Values{-8, 2});
  EXPECT_EQ(both_ways.low, -16);
  EXPECT_EQ(both_ways.high, 6);
  EXPECT_EQ(extent(Values{5, 6}, {})->high, 29);
  EXPECT_TRUE(extent(Values{0, 6}, Values{kHuge, kHuge})->empty());
  EXPECT_FALSE(extent({}, {})->empty());
}

TEST(ExtentOfALayout, ThatLeavesInt64IsNothing) {
  EXPECT_EQ(extent(Values{4}, Values{kHuge}), std::nullopt);
  EXPECT_EQ(extent(Values{4, 4}, Values{-kHuge / 2, -kHuge / 2}), std::nullopt);
}

/// All offsets of a layout, counted out.
std::multiset<int64_t> offsets(const Values& shape, const Values& strides) {
  std::multiset<int64_t> result = {0};
  for (size_t i = 0; i < shape.size(); ++i) {
    std::multiset<int64_t> next;
    for (int64_t offset : result) {
      for (int64_t k = 0; k < shape[i]; ++k) next.insert(offset + k * strides[i]);
    }
    result.swap(next);
  }
  return result;
}

TEST(Layout, AgreesWithCountingOutItsOffsets) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    Values shape(random() % 4), strides(shape.size());
    for (int64_t& dim : shape) dim = random() % 5;
    for (int64_t& stride : strides) stride = static_cast<int64_t>(random() % 25) - 12;
    const auto all = offsets(shape, strides);
    const auto spanned = extent(shape, strides);
    ASSERT_TRUE(spanned);
    ASSERT_EQ(spanned->empty(), all.empty());
    if (all.empty()) continue;
    ASSERT_EQ(*spanned, (Extent{*all.begin(), *all.rbegin()}));
    const std::set<int64_t> distinct(all.begin(), all.end());
    if (distinct.size() < all.size()) {
      ASSERT_TRUE(may_self_overlap(shape, strides)) << to_string(shape) << to_string(strides);
    }
  }
}

TEST(SelfOverlap, IsExactWhereAxesNest) {
  EXPECT_FALSE(may_self_overlap(Values{3, 4}, Values{4, 1}));
  EXPECT_FALSE(may_self_overlap(Values{3, 4}, Values{-1, 3}));
  EXPECT_FALSE(may_self_overlap(Values{3, 4}, {}));
  EXPECT_FALSE(may_self_overlap(Values{1, 4}, Values{0, 1}));
  EXPECT_FALSE(may_self_overlap(Values{3, 0}, Values{0, 0}));
  EXPECT_TRUE(may_self_overlap(Values{3, 4}, Values{0, 1}));
  EXPECT_TRUE(may_self_overlap(Values{3, 4}, Values{1, 1}));
}

TEST(Broadcast, FollowsNumpy) {
  EXPECT_EQ(broadcast(Values{3, 1}, Values{4}), (Values{3, 4}));
  EXPECT_EQ(broadcast(Values{4}, Values{3, 1}), (Values{3, 4}));
  EXPECT_EQ(broadcast(Values{1}, Values{0}), (Values{0}));
  EXPECT_EQ(broadcast({}, Values{2, 2}), (Values{2, 2}));
  EXPECT_EQ(broadcast(Values{2}, Values{3}), std::nullopt);
}

TEST(ShapeText, IsWrittenAsPythonWritesATuple) {
  EXPECT_EQ(to_string(Shape{}), "()");
  EXPECT_EQ(to_string(Shape(Values{3})), "(3,)");
  EXPECT_EQ(to_string(Shape(Values{3, -4})), "(3, -4)");
}

}  // namespace
}  // namespace dlport
