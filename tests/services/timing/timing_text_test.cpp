// Tests what people are shown of a run's timing.
#include "services/timing/timing_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/services/timing/measured_run.hpp"

namespace kinloop::timing {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string timing_text_text_of(const TimingSummary& summary, std::span<const rt::Refusal> refusals = {}) {
  std::ostringstream out;
  std::ostringstream err;
  print_timing(summary, refusals, console::Console{out, err});
  EXPECT_TRUE(err.str().empty());
  return out.str();
}

/// The words of the first line that starts with that word.
std::vector<std::string> words_of(const std::string& text, const std::string& first) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (!words.empty() && words.front() == first) return words;
  }
  return {};
}

TEST(TimingText, StartsWithWhetherDeadlinesWereKept) {
  EXPECT_THAT(timing_text_text_of(run_in_time().summary()),
              StartsWith("all 10000 steps ended in time, the latest 312 us before its deadline\n"));
  EXPECT_THAT(timing_text_text_of(run_with_misses().summary()), StartsWith("3 of 1000 steps ended late"));
}

TEST(TimingText, HasOneRowForEachDuration) {
  const std::string text = timing_text_text_of(run_in_time().summary());

  EXPECT_THAT(words_of(text, "us"), ElementsAre("us", "mean", "p50", "p99", "p99.9", "p99.99", "max"));
  EXPECT_THAT(words_of(text, "wake-up"), ElementsAre("wake-up", "2.0", "2.0", "2.0", "2.0", "50.2", "60.0"));
  EXPECT_THAT(words_of(text, "execution").back(), "628.0");
  EXPECT_THAT(words_of(text, "command").back(), "1.0");
  EXPECT_THAT(words_of(text, "solve").back(), "615.0");
  EXPECT_THAT(words_of(text, "project").back(), "3.0");
  EXPECT_THAT(words_of(text, "sense").back(), "4.0");
  EXPECT_THAT(words_of(text, "publish").back(), "5.0");
  EXPECT_THAT(words_of(text, "jitter").back(), "48.0");
  EXPECT_THAT(words_of(text, "mean"), ElementsAre("mean", "p50", "p1", "p0.1", "p0.01", "min"));
  EXPECT_THAT(words_of(text, "slack").back(), "312.0");
}

TEST(TimingText, ListsTheWorstStepsWithTheirPhases) {
  const std::string text = timing_text_text_of(run_with_misses().summary());

  EXPECT_THAT(words_of(text, "1000"),
              ElementsAre("1000", "75.0", "1.0", "1000.0", "3.0", "4.0", "5.0", "1088.0", "late", "by", "88.0"));
}

TEST(TimingText, NamesWhatThePoliciesDidAndNothingElse) {
  MeasuredRun run = run_with_misses();
  run.status.level = 1;
  run.status.overrun.level_changes = 3;
  run.status.overrun.slipped_ns = 2'500'000;
  run.status.commands.out_of_range = 1;
  run.status.commands.made_safe = 2;
  run.status.faults.capped = 4;
  run.status.frames_dropped = 7;

  const std::string text = timing_text_text_of(run.summary());
  const std::string quiet = timing_text_text_of(run_in_time().summary());

  EXPECT_THAT(text, HasSubstr("deadlines: 3 late steps, up to 2 in a row, 3 releases skipped, the plant slipped by "
                              "2.50 ms, 3 changes of level, now at level 1\n"));
  EXPECT_THAT(text, HasSubstr("commands: 1 value out of range, 2 times an actuator was made safe\n"));
  EXPECT_THAT(text, HasSubstr("plant: 4 steps with loops not closed to tolerance\n"));
  EXPECT_THAT(text, HasSubstr("dropped: 7 frames\n"));
  for (const char* concern : {"deadlines:", "commands:", "plant:", "dropped:", "DEGRADED"}) {
    EXPECT_THAT(quiet, Not(HasSubstr(concern)));
  }
}

TEST(TimingText, CountsPageFaultsAndPreemptions) {
  MeasuredRun run = run_in_time();
  run.status.usage = {1, 2, 10000, 5};

  EXPECT_THAT(timing_text_text_of(run.summary()),
              HasSubstr("thread: 1 minor page fault, 2 major, 5 preemptions, 10000 waits\n"));
}

TEST(TimingText, SaysLoudlyWhatTheRunWasWithout) {
  const std::vector<rt::Refusal> refusals = {{"SCHED_FIFO priority 80: Operation not permitted", "setcap this"},
                                             {"locked memory: Cannot allocate memory", ""}};

  const std::string text = timing_text_text_of(run_in_time().summary(), refusals);

  EXPECT_THAT(text, HasSubstr("DEGRADED: "));
  EXPECT_THAT(text, HasSubstr("  refused: SCHED_FIFO priority 80: Operation not permitted\n    # setcap this\n"));
  EXPECT_THAT(text, HasSubstr("  refused: locked memory: Cannot allocate memory\n"));
}

TEST(TimingText, IsShortBeforeTheFirstStep) {
  const std::string text = timing_text_text_of(MeasuredRun().summary());

  EXPECT_EQ(text, "no step was made\nthread: 0 minor page faults, 0 major, 0 preemptions, 0 waits\n");
}

TEST(TimingText, LeavesSlackOutWithoutAClock) {
  const MeasuredRun run = run_in_time();

  const std::string text = timing_text_text_of(summarize(*run.monitor, run.status, 0));

  EXPECT_THAT(text, StartsWith("10000 steps, without deadlines\n"));
  EXPECT_THAT(text, Not(HasSubstr("slack")));
  EXPECT_THAT(text, Not(HasSubstr("jitter")));
}

TEST(TimingText, HasNoJitterOfOneStep) {
  MeasuredRun run;
  run.step(2000, 85'000);

  EXPECT_THAT(words_of(timing_text_text_of(run.summary()), "jitter"), Contains("-").Times(6));
}

}  // namespace
}  // namespace kinloop::timing
