// Tests the extrapolated differences on functions whose derivatives are known.
#include "core/analysis/differences.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kinloop {
namespace {

/// The derivative at 0 of a function of one number.
Derivative derivative_of(const std::function<double(double)>& f, double first) {
  const MovedBy moved = [&](double h) -> Result<VectorX> { return VectorX(VectorX::Constant(1, f(h))); };
  return std::move(derivative(moved, VectorX::Constant(1, f(0.0)), first)).value();
}

TEST(Differences, SmoothFunctionsAreDifferentiatedToRounding) {
  const Derivative result = derivative_of([](double h) { return std::exp(std::sin(h) + 0.3); }, 0.02);

  EXPECT_NEAR(result.value[0], std::exp(0.3), 1e-12);
  EXPECT_LT(result.error[0], 1e-11);
  EXPECT_FALSE(result.has_kink);
}

TEST(Differences, WhatIsSharpIsSeenByTheSmallSteps) {
  const Derivative result = derivative_of([](double h) { return 1.0 + 1e-3 * std::tanh(h / 1e-4); }, 0.02);

  EXPECT_NEAR(result.value[0], 10.0, 1e-6);
  EXPECT_FALSE(result.has_kink);
}

TEST(Differences, NoiseIsKeptOutByTheLargeSteps) {
  const auto noisy = [](double h) { return std::sin(h) + 1e-11 * std::sin(1e9 * h); };

  const Derivative result = derivative_of(noisy, 0.02);

  EXPECT_NEAR(result.value[0], 1.0, 5e-8);  // 1e-11 over the third of the steps
}

TEST(Differences, AKinkGivesTheMeanAndSaysSo) {
  const Derivative result = derivative_of([](double h) { return 0.7 + 2.0 * std::max(h, 0.0) + h * h; }, 0.02);

  EXPECT_NEAR(result.value[0], 1.0, 1e-10);
  EXPECT_TRUE(result.has_kink);
}

TEST(Differences, ACurvatureThatJumpsDoesNoHarm) {
  const Derivative result =
      derivative_of([](double h) { return 1.0 + 3.0 * h + (h > 0.0 ? 50.0 * h * h : 0.0); }, 0.02);

  EXPECT_NEAR(result.value[0], 3.0, 1e-10);
  EXPECT_FALSE(result.has_kink);
}

TEST(Differences, AStrongCurveIsNoKink) {
  EXPECT_FALSE(derivative_of([](double h) { return 1.0 + 1e6 * h * h; }, 0.02).has_kink);
}

TEST(Differences, StartsSmallerWhereTheFirstStepCannotBeHad) {
  const MovedBy f = [](double h) -> Result<VectorX> {
    if (std::abs(h) > 1e-3) return Error{"f", "too far"};
    return VectorX(VectorX::Constant(1, std::sin(h)));
  };

  const Result<Derivative> result = derivative(f, VectorX::Zero(1), 0.02);

  ASSERT_TRUE(result);
  EXPECT_NEAR(result->value[0], 1.0, 1e-12);
}

TEST(Differences, AnErrorThatStaysIsTheErrorOfAll) {
  const MovedBy f = [](double) -> Result<VectorX> { return Error{"f", "nowhere"}; };

  EXPECT_EQ(derivative(f, VectorX::Zero(1), 0.02).error().what, "nowhere");
}

}  // namespace
}  // namespace kinloop
