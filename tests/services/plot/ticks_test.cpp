// Tests the numbers along an axis.
#include "services/plot/ticks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinloop::plot {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Ticks, AreRoundNumbersWithinTheRange) {
  EXPECT_THAT(make_ticks({0.0, 12.0}, 8).labels, ElementsAre("0", "2", "4", "6", "8", "10", "12"));
  EXPECT_THAT(make_ticks({-0.19, 0.75}, 6).labels, ElementsAre("0.0", "0.2", "0.4", "0.6"));
  EXPECT_THAT(make_ticks({-1.1, 1.1}, 6).labels, ElementsAre("−1.0", "−0.5", "0.0", "0.5", "1.0"));
}

TEST(Ticks, AreFewAndAtLeastTwo) {
  for (const double from : {-1e9, -7.3, 0.0, 1e-7, 123.0}) {
    for (double span = 1e-6; span < 1e12; span *= 3.7) {
      if (span < 1e-9 * std::abs(from)) continue;
      for (const int most : {3, 5, 9}) {
        const Ticks ticks = make_ticks({from, from + span}, most);
        EXPECT_LE(ticks.values.size(), static_cast<std::size_t>(std::max(most, 5))) << from << " + " << span;
        EXPECT_GE(ticks.values.size(), 2U) << from << " + " << span;
        EXPECT_GE(ticks.values.front(), from - 1e-5 * span);
        EXPECT_LE(ticks.values.back(), from + span + 1e-5 * span);
      }
    }
  }
}

TEST(Ticks, LongAndTinyNumbersShareAPowerOfTen) {
  const Ticks large = make_ticks({0.0, 80000.0}, 5);
  EXPECT_THAT(large.labels, ElementsAre("0", "20", "40", "60", "80"));
  EXPECT_EQ(large.scale, "×10³");

  const Ticks small = make_ticks({-2e-6, 2e-6}, 5);
  EXPECT_THAT(small.labels, ElementsAre("−2", "−1", "0", "1", "2"));
  EXPECT_EQ(small.scale, "×10⁻⁶");
}

TEST(Ticks, NeighboursNeverReadTheSame) {
  const Ticks ticks = make_ticks({43210.001, 43210.002}, 6);
  for (std::size_t i = 1; i < ticks.labels.size(); ++i) EXPECT_NE(ticks.labels[i - 1], ticks.labels[i]);
  EXPECT_GE(ticks.labels.size(), 2U);
}

TEST(AxisRange, HasRoomAlsoForOneValueAndForNone) {
  const Range constant = axis_range({5.0, 5.0});
  EXPECT_LT(constant.least, 5.0);
  EXPECT_GT(constant.most, 5.0);
  const Range zero = axis_range({0.0, 0.0});
  EXPECT_LT(zero.least, 0.0);
  const Range nothing = axis_range({});
  EXPECT_GT(nothing.span(), 0.0);
}

TEST(AxisRange, RoundingNoiseOfAConstantIsNotBlownUp) { EXPECT_GT(axis_range({5.0, 5.0 + 1e-13}).span(), 0.5); }

TEST(AxisRange, NumbersNextToNothingAreNothing) {
  const Ticks ticks = make_ticks(axis_range({-5e-324, 1e-310}), 5);

  EXPECT_GE(ticks.values.size(), 2U);
  EXPECT_LE(ticks.values.size(), 5U);
}

TEST(RoundDown, FindsTheLengthOfAScaleBar) {
  EXPECT_DOUBLE_EQ(round_down(2.7), 2.0);
  EXPECT_DOUBLE_EQ(round_down(0.99), 0.5);
  EXPECT_DOUBLE_EQ(round_down(1.0), 1.0);
  EXPECT_EQ(short_label(0.05), "0.05");
  EXPECT_EQ(short_label(200.0), "200");
}

TEST(TimeLabel, SaysNoMoreDigitsThanTellTimesApart) {
  EXPECT_EQ(time_label(12.000000001, {0.0, 12.0}), "12");
  EXPECT_EQ(time_label(0.125, {0.0, 0.125}), "0.125");
  EXPECT_EQ(time_label(0.0, {0.0}), "0");
}

}  // namespace
}  // namespace kinloop::plot
