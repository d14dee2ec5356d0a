// The terminal's picture of a motion.
#include "services/cli/motion_chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/mechanisms.hpp"

namespace kinloop::cli {
namespace {

using testing::HasSubstr;

TEST(MotionChart, ShowsRangeAndCourseOfEachCoordinate) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  MotionChart chart(model, 1.0);
  State state(model);
  for (int i = 0; i <= 100; ++i) {
    state.time_s() = 0.01 * i;
    state.q()[0] = i < 50 ? -0.25 : 0.75;
    chart.add(state);
  }
  std::ostringstream out;

  chart.print(out);

  EXPECT_THAT(out.str(), HasSubstr("-0.25  -0.25  0.75  0.75"));
  EXPECT_THAT(out.str(), HasSubstr("▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁████████████████████████"));
}

TEST(MotionChart, OfACoordinateThatRestsIsFlat) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  MotionChart chart(model, 1.0);
  const State state(model);
  chart.add(state);
  std::ostringstream out;

  chart.print(out);

  EXPECT_THAT(out.str(), HasSubstr("▁"));
}

}  // namespace
}  // namespace kinloop::cli
