// Tests names that are numbered by expressions.
#include "services/files/numbered_name.hpp"

#include <gtest/gtest.h>

namespace kinloop {
namespace {

const ParameterScope kOutside;

/// The name where i is 2, or what is wrong with it and at which byte.
std::string name(std::string_view text) {
  const ParameterScope scope(kOutside, "i", 2);
  const auto result = numbered_name(text, scope);
  return result ? *result : std::to_string(result.error().offset) + ": " + result.error().what;
}

TEST(NumberedName, WholeNumbersReplaceTheExpressions) {
  EXPECT_EQ(name("bar"), "bar");
  EXPECT_EQ(name("bar<i>"), "bar2");
  EXPECT_EQ(name("<i - 1>bar< 2 * (i + 1) >x"), "1bar6x");
  EXPECT_EQ(name("a<i>_<i+1>"), "a2_3");
  EXPECT_EQ(name("a<1 - i>"), "a-1");
}

TEST(NumberedName, MistakesHaveTheirPlaceInTheText) {
  EXPECT_EQ(name("ab<i"), "2: '<' without '>'");
  EXPECT_EQ(name("a<i<i>"), "1: '<' without '>'");
  EXPECT_EQ(name("a>b"), "1: '>' without '<'");
  EXPECT_EQ(name("a<i><>"), "5: expected a number, got an empty text");
  EXPECT_EQ(name("a<1 + k>"), "6: unknown parameter 'k'");
  EXPECT_EQ(name("a<i / 4>"), "2: expected a whole number, got 0.5");
  EXPECT_EQ(name("a<3 m>"), "2: expected a number without a unit, got 'm'");
  EXPECT_EQ(name("a<1e300>"), "2: expected a whole number, got 1e+300");
}

}  // namespace
}  // namespace kinloop
