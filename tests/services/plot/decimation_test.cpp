// Tests that thinning loses nothing that could be seen.
#include "services/plot/decimation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace kinloop::plot {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::size_t gaps_in(const Line& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](const Point& p) { return !is_drawable(p); }));
}

TEST(Envelope, ShortCoursesAreKeptAsTheyAre) {
  Envelope envelope;
  for (int i = 0; i < 100; ++i) envelope.add(i, std::sin(i));

  const Line line = envelope.line();
  ASSERT_EQ(line.size(), 100U);
  EXPECT_EQ(line[42], (Point{42.0, std::sin(42.0)}));
}

TEST(Envelope, AMillionSamplesKeepEveryPeakAndTheirEnds) {
  Envelope envelope;
  for (int i = 0; i < 1000000; ++i) envelope.add(i, i == 543210 ? 9.0 : i == 777777 ? -7.0 : std::sin(0.01 * i));

  const Line line = envelope.line();
  EXPECT_LE(line.size(), 4 * Envelope::kMaxBuckets);
  EXPECT_EQ(line.front().x, 0.0);
  EXPECT_EQ(line.back().x, 999999.0);
  EXPECT_NE(std::find(line.begin(), line.end(), Point{543210.0, 9.0}), line.end());
  EXPECT_NE(std::find(line.begin(), line.end(), Point{777777.0, -7.0}), line.end());
  EXPECT_TRUE(std::is_sorted(line.begin(), line.end(), [](Point a, Point b) { return a.x < b.x; }));
}

TEST(Envelope, WhatIsNoNumberLeavesAGap) {
  Envelope envelope;
  for (int i = 0; i < 10; ++i) envelope.add(i, i == 4 || i == 5 ? kNaN : 1.0);

  const Line line = envelope.line();
  EXPECT_EQ(line.size(), 9U);
  EXPECT_EQ(gaps_in(line), 1U);
  EXPECT_FALSE(is_drawable(line[4]));
}

TEST(Envelope, AGapSurvivesThinning) {
  Envelope envelope;
  for (int i = 0; i < 100000; ++i) envelope.add(i, i > 40000 && i < 50000 ? kNaN : 1.0);

  EXPECT_GE(gaps_in(envelope.line()), 1U);
  for (const Point& p : envelope.line()) EXPECT_FALSE(p.x > 40000.0 && p.x < 50000.0);
}

TEST(RowSampler, KeepsTheFirstAndTheLastRow) {
  for (const int rows : {1, 2, 7, 8, 9, 1000, 1001}) {
    RowSampler sampler(2, 8);
    for (int i = 0; i < rows; ++i) sampler.add(std::array{static_cast<double>(i), -static_cast<double>(i)});

    ASSERT_GE(sampler.size(), static_cast<std::size_t>(std::min(rows, 4)));
    ASSERT_LE(sampler.size(), 9U);
    EXPECT_EQ(sampler[0][0], 0.0);
    EXPECT_EQ(sampler[sampler.size() - 1][1], 1.0 - rows) << rows;
    for (std::size_t i = 1; i < sampler.size(); ++i) EXPECT_LT(sampler[i - 1][0], sampler[i][0]);
  }
}

TEST(ThinnedToColumns, NoColumnHasMoreThanFourPoints) {
  Line line;
  for (int i = 0; i < 100000; ++i) line.push_back({i * 0.005, std::sin(i)});

  const Line thinned = thinned_to_columns(line);
  EXPECT_LE(thinned.size(), 4U * 500U);
  Range before;
  Range after;
  for (const Point& p : line) before.add(p.y);
  for (const Point& p : thinned) after.add(p.y);
  EXPECT_EQ(before.least, after.least);
  EXPECT_EQ(before.most, after.most);
}

TEST(Simplified, AStraightLineNeedsTwoPointsAndACornerThree) {
  Line line;
  for (int i = 0; i <= 100; ++i) line.push_back({static_cast<double>(i), i < 50 ? 0.0 : i - 50.0});

  EXPECT_EQ(simplified(line, 0.01), (Line{{0.0, 0.0}, {50.0, 0.0}, {100.0, 50.0}}));
}

TEST(Simplified, StaysWithinItsTolerance) {
  Line line;
  for (int i = 0; i <= 5000; ++i) line.push_back({0.1 * i, 50.0 * std::sin(0.01 * i)});

  const Line simple = simplified(line, 0.1);
  EXPECT_LT(simple.size(), 400U);
  std::size_t n = 0;
  for (const Point& p : line) {
    while (simple[n + 1].x < p.x) ++n;
    const double share = (p.x - simple[n].x) / (simple[n + 1].x - simple[n].x);
    // Seen upright, where the slope is at most 5, a distance of 0.1 is at most 0.1 sqrt(1 + 25).
    EXPECT_NEAR(simple[n].y + share * (simple[n + 1].y - simple[n].y), p.y, 0.1 * std::sqrt(26.0));
  }
}

TEST(WithoutOverdrawn, AnOrbitIsDrawnOnce) {
  Line line;
  for (int i = 0; i < 100000; ++i)
    line.push_back({200.0 + 100.0 * std::cos(0.01 * i), 200.0 + 100.0 * std::sin(0.01 * i)});

  const Line once = without_overdrawn(line);
  EXPECT_LT(once.size(), 3000U);
  EXPECT_GE(once.size(), 628U);
}

TEST(WithoutOverdrawn, ShortLinesStayAsTheyAre) {
  const Line line = {{0.0, 0.0}, {5.0, 5.0}, {0.0, 0.0}};

  EXPECT_EQ(without_overdrawn(line), line);
}

}  // namespace
}  // namespace kinloop::plot
