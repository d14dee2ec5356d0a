// Tests the line of `sim` that tells where the energy went: what creates some is named, and never called a loss.
#include "services/cli/balance_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinloop::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(BalanceText, NamesAnElementThatCreatesEnergy) {
  EnergyBalance balance;
  balance.dissipated.dampers = 3.0;
  balance.dissipated.ropes = -0.7;
  balance.rest_J = -0.1;

  const std::string text = balance_text(balance, "rk4");

  EXPECT_THAT(text, HasSubstr(", 3.0e+00 J lost in dampers"));
  EXPECT_THAT(text, HasSubstr("; 7.0e-01 J created by ropes"));
  EXPECT_THAT(text, HasSubstr("; 1.0e-01 J lost by rk4"));
  EXPECT_THAT(text, Not(HasSubstr("lost in ropes")));
  EXPECT_THAT(text, Not(HasSubstr("most of it")));
}

TEST(BalanceText, OfSeveralSourcesNamesTheLargest) {
  EnergyBalance balance;
  balance.dissipated.contacts = -0.2;
  balance.projection_J = 0.5;
  balance.rest_J = 0.1;

  const std::string text = balance_text(balance, "heun");

  EXPECT_THAT(
      text,
      HasSubstr("; 2.0e-01 J created by contacts; 5.0e-01 J created by the projection; 1.0e-01 J created by heun"));
  EXPECT_THAT(text, HasSubstr("; most of it by the projection"));
}

}  // namespace
}  // namespace kinloop::cli
