// Tests the floating-point mode of stepping threads.
#include "core/base/stepping_mode.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <limits>

namespace kinloop {
namespace {

// Numbers and order of operations the compiler cannot foresee.

[[gnu::noinline]] double product(double a, double b) {
  const volatile double x = a;
  const volatile double y = b;
  return x * y;
}

[[gnu::noinline]] double quotient(double a, double b) {
  const volatile double x = a;
  const volatile double y = b;
  return x / y;
}

constexpr double kSmallest = std::numeric_limits<double>::min();

TEST(SteppingMode, TakesTheSmallestNumbersForZeroAndGivesTheOldModeBack) {
  const double half = product(kSmallest, 0.5);

  double made = -1.0;
  double read = -1.0;
  {
    const SteppingMode mode;
    made = product(kSmallest, 0.5);
    read = product(half, 4.0);
  }

  EXPECT_GT(half, 0.0);
  EXPECT_EQ(made, 0.0);
  EXPECT_EQ(read, 0.0);
  EXPECT_GT(product(kSmallest, 0.5), 0.0);
}

TEST(SteppingMode, RoundsToNearestWhateverWasSetBefore) {
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  double within = 0.0;
  {
    const SteppingMode mode;
    within = quotient(1.0, 3.0);
  }
  const double upward = quotient(1.0, 3.0);
  ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);

  EXPECT_EQ(within, 1.0 / 3.0);
  EXPECT_GT(upward, within);
}

}  // namespace
}  // namespace kinloop
