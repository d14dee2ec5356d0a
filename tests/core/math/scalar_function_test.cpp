// Functions of one variable: values, derivatives, what is refused.
#include "core/math/scalar_function.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kinloop {
namespace {

constexpr double kTwoPi = 6.283185307179586;

FunctionSpec periodic_table() {
  FunctionSpec spec;
  for (int i = 0; i < 24; ++i) {
    spec.table_x.push_back(kTwoPi * i / 24.0);
    spec.table_y.push_back(0.2 + 0.05 * std::cos(kTwoPi * i / 24.0));
  }
  spec.table_period = kTwoPi;
  return spec;
}

void expect_consistent_derivatives(const ScalarFunction& f, double x) {
  constexpr double kStep = 1e-5;
  const FunctionValue before = f(x - kStep);
  const FunctionValue now = f(x);
  const FunctionValue after = f(x + kStep);
  EXPECT_NEAR(now.d1, (after.f - before.f) / (2.0 * kStep), 1e-8 * (10.0 + std::abs(now.f))) << x;
  EXPECT_NEAR(now.d2, (after.d1 - before.d1) / (2.0 * kStep), 1e-8 * (10.0 + std::abs(now.d1))) << x;
}

TEST(ScalarFunction, HasTheDerivativesOfItsSum) {
  FunctionSpec spec = periodic_table();
  spec.polynomial = {1.0, -2.0, 0.5, 0.25};
  spec.frequency_rad = 1.7;
  spec.harmonics = {{0.3, -0.1}, {0.0, 0.2}};
  const auto f = ScalarFunction::make(spec, "f");
  ASSERT_TRUE(f);

  for (const double x : {-9.1, -0.3, 0.0, 0.11, 2.9, 6.2, 6.3, 40.0}) expect_consistent_derivatives(*f, x);
}

TEST(ScalarFunction, RepeatsAPeriodicTableSmoothly) {
  const auto f = ScalarFunction::make(periodic_table(), "f");
  ASSERT_TRUE(f);

  EXPECT_NEAR((*f)(0.3).f, (*f)(0.3 - 3.0 * kTwoPi).f, 1e-13);
  EXPECT_NEAR((*f)(1e-9).d2, (*f)(-1e-9).d2, 1e-6);
  EXPECT_NEAR((*f)(0.4).f, 0.2 + 0.05 * std::cos(0.4), 1e-5);  // a spline through 24 points of a cosine
}

TEST(ScalarFunction, GoesOnStraightBeyondATable) {
  FunctionSpec spec;
  spec.table_x = {0.0, 1.0, 2.0};
  spec.table_y = {0.0, 1.0, 0.0};
  const auto f = ScalarFunction::make(spec, "f");
  ASSERT_TRUE(f);

  EXPECT_NEAR((*f)(3.0).f, (*f)(2.0).f + (*f)(2.0).d1, 1e-12);
  EXPECT_EQ((*f)(3.0).d2, 0.0);
  EXPECT_NEAR((*f)(1.0).f, 1.0, 1e-14);
}

TEST(ScalarFunction, RefusesATableThatDoesNotIncrease) {
  FunctionSpec spec;
  spec.table_x = {0.0, 1.0, 1.0};
  spec.table_y = {0.0, 1.0, 2.0};

  const auto f = ScalarFunction::make(spec, "joints[0].profile");

  ASSERT_FALSE(f);
  EXPECT_EQ(f.error(), (Error{"joints[0].profile.table", "arguments must increase strictly"}));
}

TEST(ScalarFunction, RefusesAPeriodicTableThatRepeatsItsFirstKnot) {
  FunctionSpec spec = periodic_table();
  spec.table_x.push_back(kTwoPi);
  spec.table_y.push_back(0.25);

  EXPECT_FALSE(ScalarFunction::make(spec, "f"));
}

}  // namespace
}  // namespace kinloop
