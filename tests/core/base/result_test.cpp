// Tests Result and require, the two answers to errors.
#include "core/base/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "core/base/require.hpp"

namespace kinloop {
namespace {

Result<double> checked_mass(double mass_kg) {
  if (mass_kg <= 0.0) return Error{"bodies[2].mass", "must be positive"};
  return mass_kg;
}

TEST(Result, HoldsTheValue) {
  const Result<double> result = checked_mass(2.5);

  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result);
  EXPECT_EQ(result.value(), 2.5);
  EXPECT_EQ(*result, 2.5);
}

TEST(Result, HoldsTheError) {
  const Result<double> result = checked_mass(-1.0);

  ASSERT_FALSE(result.has_value());
  EXPECT_FALSE(result);
  EXPECT_EQ(result.error(), (Error{"bodies[2].mass", "must be positive"}));
}

TEST(Result, MovesAValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);

  const std::unique_ptr<int> owner = std::move(result).value();

  EXPECT_EQ(*owner, 7);
}

TEST(Result, GivesAccessToMembers) {
  Result<std::string> result = std::string("boom");

  result->append(" arm");

  EXPECT_EQ(*result, "boom arm");
}

TEST(Result, TellsValueFromErrorWhereBothHaveOneType) {
  const Result<int, long> value = 1;
  const Result<int, long> error = 1L;

  EXPECT_TRUE(value.has_value());
  EXPECT_FALSE(error.has_value());
}

TEST(ResultDeathTest, AbortsOnTheValueOfAnError) {
  const Result<double> result = checked_mass(-1.0);

  EXPECT_DEATH(static_cast<void>(result.value()), "broken precondition: Result holds a value");
}

TEST(ResultDeathTest, AbortsOnTheErrorOfAValue) {
  const Result<double> result = checked_mass(1.0);

  EXPECT_DEATH(static_cast<void>(result.error()), "broken precondition: Result holds an error");
}

TEST(Require, PassesWhatHolds) { require(true, "one equals one"); }

TEST(RequireDeathTest, AbortsWithTheCallersPlace) {
  EXPECT_DEATH(require(false, "tau has nv entries"),
               "result_test\\.cpp:[0-9]+: broken precondition: tau has nv entries");
}

}  // namespace
}  // namespace kinloop
