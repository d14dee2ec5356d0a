// Tests what the picture of a run's timing consists of.
#include "services/timing/timing_chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "services/import/xml_element.hpp"
#include "services/timing/timing_bins.hpp"
#include "services/timing/timing_marks.hpp"
#include "tests/services/plot/recording_canvas.hpp"
#include "tests/services/timing/measured_run.hpp"

namespace kinloop::timing {
namespace {

using plot::RecordingCanvas;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

const TimingHeading kHeading{"excavator on rig7", Verdict::kKept, "", "kernel 6.1.0"};

RecordingCanvas drawn(const TimingSummary& summary, const TimingHeading& heading = kHeading) {
  RecordingCanvas canvas;
  draw_timing(summary, heading, kTimingChartSize, canvas);
  return canvas;
}

std::uint64_t count_of(const std::vector<Bin>& bins) {
  return std::accumulate(bins.begin(), bins.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Bin& bin) { return sum + bin.count; });
}

TEST(TimingBins, LoseNoStepAndHoldTheExtremes) {
  const TimingSummary summary = run_in_time().summary();
  const plot::Range range = duration_range(summary);

  const std::vector<Bin> bins = bins_of(summary.execution, range, 200);

  EXPECT_EQ(count_of(bins), 10000U);
  EXPECT_LE(bins.front().lower, log_us(100'000));
  EXPECT_GE(bins.back().upper, log_us(628'000));
  EXPECT_LE(range.least, log_us(2000));
  EXPECT_GE(range.most, log_us(static_cast<double>(kPeriod_ns)));
}

TEST(TimingBins, GatherWhatIsTooShortForALogarithm) {
  MeasuredRun run;
  run.steps(10, 0, 50'000);
  const TimingSummary summary = run.summary();
  const plot::Range range = duration_range(summary);

  const std::vector<Bin> bins = bins_of(summary.wake_up, range, 200);

  ASSERT_EQ(bins.size(), 1U);
  EXPECT_EQ(bins[0].count, 10U);
  EXPECT_DOUBLE_EQ(bins[0].lower, range.least);
  EXPECT_EQ(duration_axis(range).ticks.labels.front(), "≤ 0.1");
}

TEST(TimingBins, HaveAnAxisOfDecades) {
  const std::vector<std::string> labels = count_axis({{0.0, 1.0, 23'456}}).ticks.labels;

  EXPECT_THAT(labels, testing::ElementsAre("1", "10", "100", "1000", "10000"));
}

TEST(TimingMarks, ThatWouldMeetGoAboveEachOther) {
  RecordingCanvas canvas;

  const std::vector<Mark> marks =
      arranged({{300.0, "max", {}, 0}, {100.0, "p50", {}, 0}, {110.0, "p99", {}, 0}, {110.5, "p99.9", {}, 0}}, canvas);

  ASSERT_EQ(marks.size(), 3U);
  EXPECT_EQ(marks[0].name, "p50");
  EXPECT_EQ(marks[0].row, 1);
  EXPECT_EQ(marks[1].name, "p99, p99.9");
  EXPECT_EQ(marks[1].row, 0);
  EXPECT_EQ(marks[2].row, 0);
  EXPECT_EQ(height_of(marks), 2.0 * kMarkRow);
}

TEST(TimingChart, NamesRigVerdictMarksAndNumbers) {
  const std::vector<std::string> words = drawn(run_in_time().summary()).words();

  EXPECT_THAT(words, IsSupersetOf({"excavator on rig7", "deadlines kept", "kernel 6.1.0", "wake-up latency",
                                   "execution time", "duration (µs)", "steps", "deadline", "max", "p50, p99, p99.9",
                                   "p50, p99", "60.0 µs", "628 µs"}));
  EXPECT_THAT(words, Contains("all 10000 steps ended in time, the latest 312 µs before its deadline"));
}

TEST(TimingChart, HasTheDeadlineAtThePeriodInBothPanels) {
  const TimingSummary summary = run_in_time().summary();
  const RecordingCanvas canvas = drawn(summary);

  std::vector<double> deadlines;
  double tick = 0.0;
  for (const auto& text : canvas.texts) {
    if (text.text == "1000" && text.style.anchor == plot::Anchor::kMiddle) tick = text.at.x;
  }
  for (const auto& line : canvas.lines) {
    if (line.stroke.width == 2.0) deadlines.push_back(line.points.front().x);
  }
  ASSERT_EQ(deadlines.size(), 2U);
  EXPECT_THAT(deadlines, Each(testing::DoubleNear(tick, 1.0)));
}

TEST(TimingChart, KeepsToThePicture) {
  for (const TimingSummary& summary : {run_in_time().summary(), run_with_misses().summary()}) {
    const RecordingCanvas canvas = drawn(summary);

    for (const auto& polygon : canvas.polygons) {
      for (const plot::Point& p : polygon) {
        EXPECT_TRUE(p.x >= 0.0 && p.x <= kTimingChartSize.width && p.y >= 0.0 && p.y <= kTimingChartSize.height);
      }
    }
    for (const auto& text : canvas.texts) {
      EXPECT_TRUE(text.at.x >= 0.0 && text.at.x <= kTimingChartSize.width) << text.text;
      EXPECT_TRUE(text.at.y >= 0.0 && text.at.y <= kTimingChartSize.height) << text.text;
    }
  }
}

TEST(TimingChart, SaysWhatSpeaksAgainstTheRun) {
  TimingHeading heading = kHeading;
  heading.verdict = Verdict::kDegraded;
  heading.remark = "refused: priority";

  const std::vector<std::string> words = drawn(run_in_time().summary(), heading).words();

  EXPECT_THAT(words, Contains("degraded"));
  EXPECT_THAT(words, Contains(HasSubstr("before its deadline; refused: priority")));
  EXPECT_THAT(drawn(run_with_misses().summary(), {"", Verdict::kNotKept, "", ""}).words(),
              Contains("deadlines not kept"));
}

TEST(TimingChart, IsEmptyAxesBeforeTheFirstStep) {
  const RecordingCanvas canvas = drawn(MeasuredRun().summary());

  EXPECT_THAT(canvas.words(), IsSupersetOf({"no step was made", "–", "deadline"}));
  EXPECT_THAT(canvas.words(), Not(Contains("max, deadline")));
}

TEST(TimingChart, HasNoDeadlineWithoutAClock) {
  const MeasuredRun run = run_in_time();

  EXPECT_THAT(drawn(summarize(*run.monitor, run.status, 0)).words(), Not(Contains("deadline")));
  EXPECT_THAT(drawn(summarize(*MeasuredRun().monitor, {}, 0)).words(), Contains("no step was made"));
}

TEST(TimingChart, IsWellFormedSvgWhateverTheNames) {
  const TimingHeading heading{"<rig> & \"\xFF\"", Verdict::kKept, "", "]]>"};

  for (const TimingSummary& summary : {run_in_time().summary(), MeasuredRun().summary()}) {
    const Result<std::string> svg = timing_image(summary, heading, plot::ImageFormat::kSvg);

    ASSERT_TRUE(svg.has_value());
    Diagnostics diagnostics("chart.svg");
    const std::optional<XmlElement> root = read_xml(svg.value(), diagnostics);
    ASSERT_TRUE(root.has_value());
    EXPECT_EQ(root->name, "svg");
    ASSERT_NE(root->attribute("viewBox"), nullptr);
    EXPECT_EQ(root->attribute("viewBox")->value, "0 0 1280 720");
  }
}

}  // namespace
}  // namespace kinloop::timing
