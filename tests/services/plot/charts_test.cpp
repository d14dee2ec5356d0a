// Tests what charts consist of, and that they keep to their frames.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "services/plot/line_chart.hpp"
#include "services/plot/motion_charts.hpp"
#include "services/plot/phase_chart.hpp"
#include "tests/services/plot/recording_canvas.hpp"

namespace kinloop::plot {
namespace {

using testing::Contains;
using testing::IsSupersetOf;
using testing::Not;

Line wave(double amplitude, int points) {
  Line line;
  for (int i = 0; i < points; ++i) line.push_back({0.01 * i, amplitude * std::sin(0.05 * i)});
  return line;
}

TEST(LineChart, HasOneCourseAndOneLegendEntryPerSeries) {
  const LineChart chart{"", "time (s)", {{"angle (rad)", {{"a", wave(1.0, 900)}, {"b", wave(2.0, 900)}}}}};
  RecordingCanvas canvas;

  draw(chart, natural_size(chart), canvas);

  EXPECT_EQ(canvas.courses(line_colour(0)), 1U);
  EXPECT_EQ(canvas.courses(line_colour(1)), 1U);
  EXPECT_THAT(canvas.words(), IsSupersetOf({"a", "b", "time (s)", "angle (rad)"}));
}

TEST(LineChart, LegendsStandRightOfAllData) {
  const LineChart chart{
      "", "time (s)", {{"angle (rad)", {{"a", wave(1.0, 900)}}}, {"position (m)", {{"b", wave(9.0, 900)}}}}};
  RecordingCanvas canvas;
  const ImageSize size = natural_size(chart);

  draw(chart, size, canvas);

  double data_right = 0.0;
  for (const auto& line : canvas.lines) {
    if (line.points.size() <= 2) continue;
    for (const Point& p : line.points) {
      data_right = std::max(data_right, p.x);
      EXPECT_TRUE(p.y > 0.0 && p.y < size.height);
    }
  }
  for (const auto& text : canvas.texts) {
    if (text.text != "a" && text.text != "b") continue;
    EXPECT_GT(text.at.x, data_right + 5.0);
  }
}

TEST(LineChart, ManySeriesAreCountedWhereTheLegendEnds) {
  LineChart chart{"", "time (s)", {{"angle (rad)", {}}}};
  for (int i = 0; i < 100; ++i) chart.panels[0].series.push_back({"joint" + std::to_string(i), wave(i, 50)});
  RecordingCanvas canvas;

  draw(chart, {700.0, 300.0}, canvas);

  const std::vector<std::string> words = canvas.words();
  EXPECT_THAT(words, Contains("joint0"));
  EXPECT_THAT(words, Not(Contains("joint99")));
  EXPECT_THAT(words, Contains(testing::MatchesRegex("and [0-9]+ more")));
}

TEST(LineChart, AnEmptyCourseIsDrawnAsEmptyAxes) {
  const LineChart chart{"", "time (s)", {{"angle (rad)", {{"a", {}}}}}};
  RecordingCanvas canvas;

  draw(chart, natural_size(chart), canvas);

  EXPECT_EQ(canvas.courses(line_colour(0)), 0U);
  EXPECT_THAT(canvas.words(), Contains("a"));
}

TEST(PhaseChart, MarksItsStartAndItsEnd) {
  PhaseChart chart{"", "x", "y", {}};
  for (int i = 0; i < 100; ++i) chart.line.push_back({std::cos(0.05 * i), std::sin(0.05 * i)});
  RecordingCanvas canvas;

  draw(chart, kPhaseSize, canvas);

  EXPECT_EQ(canvas.courses(kPalette[0]), 1U);
  EXPECT_EQ(canvas.circles.size(), 4U);  // two in the legend
  EXPECT_THAT(canvas.words(), IsSupersetOf({"start", "end", "x", "y"}));
}

TEST(ReadLineChart, QuantitiesGetPanelsOfTheirOwn) {
  std::istringstream in("t,q.a,u.a,kinetic_J,potential_J\n0,1,2,3,4\n1,2,3,4,nan\n");
  auto reader = CsvReader::open(in, "run.csv");
  ASSERT_TRUE(reader.has_value());

  const auto chart = read_line_chart(*reader, {1, 2, 3, 4}, nullptr);

  ASSERT_TRUE(chart.has_value());
  ASSERT_EQ(chart->panels.size(), 3U);
  EXPECT_EQ(chart->panels[2].label, "energy (J)");
  ASSERT_EQ(chart->panels[2].series.size(), 2U);
  EXPECT_EQ(chart->panels[2].series[0].name, "kinetic");
  EXPECT_EQ(chart->panels[2].series[0].line, (Line{{0.0, 3.0}, {1.0, 4.0}}));
  EXPECT_EQ(chart->panels[2].series[1].line.front(), (Point{0.0, 4.0}));
}

TEST(ReadLineChart, AFileWithoutRowsOrTimeIsAnError) {
  std::istringstream no_rows("t,q.a\n");
  auto reader = CsvReader::open(no_rows, "run.csv");
  EXPECT_EQ(read_line_chart(*reader, {1}, nullptr).error(), (Error{"run.csv:1", "there are no rows below the header"}));

  std::istringstream no_time("time,q.a\n0,1\n");
  reader = CsvReader::open(no_time, "run.csv");
  EXPECT_EQ(read_line_chart(*reader, {1}, nullptr).error().where, "run.csv:1");
}

}  // namespace
}  // namespace kinloop::plot
