// Tests splines: they pass through their knots, and are smooth there and where a period ends.
#include "core/math/scalar_function.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace kinloop {
namespace {

constexpr double kBeside = 1e-9;  // from a knot; the third derivative times this is what a smooth function may jump
constexpr double kSmooth = 1e-6;

void expect_smooth_at(const ScalarFunction& f, double x) {
  const FunctionValue before = f(x - kBeside);
  const FunctionValue after = f(x + kBeside);
  EXPECT_NEAR(before.f, after.f, kSmooth);
  EXPECT_NEAR(before.d1, after.d1, kSmooth);
  EXPECT_NEAR(before.d2, after.d2, kSmooth);
}

TEST(Spline, ANaturalSplineIsSmoothAndEndsStraight) {
  FunctionSpec spec;
  spec.table_x = {0.0, 0.3, 1.0, 1.1, 2.0};
  spec.table_y = {1.0, -0.5, 0.7, 0.6, 2.0};

  const ScalarFunction f = ScalarFunction::make(spec, "f").value();

  for (std::size_t i = 0; i < spec.table_x.size(); ++i) EXPECT_NEAR(f(spec.table_x[i]).f, spec.table_y[i], 1e-14);
  for (const double x : spec.table_x) expect_smooth_at(f, x);
  EXPECT_DOUBLE_EQ(f(-1.0).d2, 0.0);
  EXPECT_DOUBLE_EQ(f(3.0).d2, 0.0);
}

TEST(Spline, APeriodicSplineIsSmoothWhereItCloses) {
  FunctionSpec spec;
  spec.table_x = {0.5, 1.5, 2.0, 4.0};
  spec.table_y = {1.0, 3.0, 2.5, 0.0};
  spec.table_period = 5.0;

  const ScalarFunction f = ScalarFunction::make(spec, "f").value();

  for (std::size_t i = 0; i < spec.table_x.size(); ++i) EXPECT_NEAR(f(spec.table_x[i]).f, spec.table_y[i], 1e-14);
  for (const double x : {0.5, 1.5, 2.0, 4.0, 5.5, -4.5}) expect_smooth_at(f, x);
  EXPECT_NEAR(f(0.8).f, f(5.8).f, 1e-12);
}

TEST(Spline, ThreeKnotsMakeAPeriodicSpline) {
  FunctionSpec spec;
  spec.table_x = {0.0, 1.0, 2.0};
  spec.table_y = {0.0, 1.0, 0.0};
  spec.table_period = 3.0;

  const ScalarFunction f = ScalarFunction::make(spec, "f").value();

  for (const double x : {0.0, 1.0, 2.0, 3.0}) expect_smooth_at(f, x);
}

TEST(Spline, AFineTableOfASineIsASine) {
  constexpr int kKnots = 2000;
  constexpr double kStep = 2.0 * std::numbers::pi / kKnots;
  FunctionSpec spec;
  for (int i = 0; i < kKnots; ++i) {
    spec.table_x.push_back(i * kStep);
    spec.table_y.push_back(std::sin(i * kStep));
  }
  spec.table_period = 2.0 * std::numbers::pi;

  const ScalarFunction f = ScalarFunction::make(spec, "f").value();

  // The spline's second derivative errs by h^2 / 12 of the fourth.
  for (const double x : {0.0, 0.1, 1.0, 3.0, 6.2831}) EXPECT_NEAR(f(x).d2, -std::sin(x), kStep * kStep / 6.0);
}

TEST(Spline, NumbersTooLargeForASplineAreAnError) {
  FunctionSpec spec;
  spec.table_x = {0.0, 1e-300, 1.0};
  spec.table_y = {0.0, 1e300, 0.0};

  const auto f = ScalarFunction::make(spec, "f");

  ASSERT_FALSE(f);
  EXPECT_EQ(f.error(), (Error{"f.table", "bends too sharply for numbers to hold"}));
}

}  // namespace
}  // namespace kinloop
