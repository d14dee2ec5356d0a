// Tests what is said of a run in one word and in one sentence.
#include "services/timing/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/services/timing/measured_run.hpp"

namespace kinloop::timing {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<rt::Refusal> kRefused = {{"SCHED_FIFO priority 80: Operation not permitted", "setcap"}};
const std::vector<host::Finding> kBadClock = {{"kernel", host::Verdict::kCouldBeBetter, "6.1", ""},
                                              {"clock source", host::Verdict::kBad, "hpet", "echo"}};

TEST(Verdict, IsKeptWhereEveryStepEndedInTime) {
  const Judgement judgement = judge(run_in_time().summary(), {}, {});

  EXPECT_EQ(judgement.verdict, Verdict::kKept);
  EXPECT_THAT(judgement.reasons, IsEmpty());
}

TEST(Verdict, IsDegradedByRefusalsAndBadHosts) {
  const Judgement judgement = judge(run_in_time().summary(), kRefused, kBadClock);

  EXPECT_EQ(judgement.verdict, Verdict::kDegraded);
  EXPECT_THAT(judgement.reasons,
              ElementsAre("refused: SCHED_FIFO priority 80: Operation not permitted", "host: clock source: hpet"));
}

TEST(Verdict, IsDegradedByAStepThatFailed) {
  MeasuredRun run = run_in_time();
  run.status.faults.failed = 1;
  run.status.faults.last = StepStatus::kDiverged;

  const Judgement judgement = judge(run.summary(), {}, {});

  EXPECT_EQ(judgement.verdict, Verdict::kDegraded);
  EXPECT_THAT(judgement.reasons, ElementsAre("1 step failed: the motion diverged: speeds grew beyond all bounds"));
}

TEST(Verdict, IsNotKeptAfterALateStepWhateverElse) {
  EXPECT_EQ(judge(run_with_misses().summary(), {}, {}).verdict, Verdict::kNotKept);
  EXPECT_EQ(judge(run_with_misses().summary(), kRefused, {}).verdict, Verdict::kNotKept);
}

TEST(Verdict, ForgivesTheGraceButNamesIt) {
  MeasuredRun run = run_with_misses();
  run.status.overrun.misses_in_grace = 3;

  const Judgement judgement = judge(run.summary(), {}, {});

  EXPECT_EQ(judgement.verdict, Verdict::kKept);
  EXPECT_THAT(judgement.reasons, ElementsAre("3 of 1000 steps ended late, the latest 88.0 us after its deadline, in "
                                             "the grace at the start"));
}

TEST(Verdict, IsNoneWithoutStepsOrDeadlines) {
  const MeasuredRun run = run_in_time();

  EXPECT_EQ(judge(MeasuredRun().summary(), {}, {}).verdict, Verdict::kNone);
  EXPECT_EQ(judge(summarize(*run.monitor, run.status, 0), {}, {}).verdict, Verdict::kNone);
}

TEST(DeadlineSentence, SaysHowCloseItWas) {
  MeasuredRun one;
  one.step(2000, 85'000);

  EXPECT_EQ(deadline_sentence(run_in_time().summary()),
            "all 10000 steps ended in time, the latest 312 us before its deadline");
  EXPECT_EQ(deadline_sentence(one.summary()), "the one step ended in time, 900 us before its deadline");
}

TEST(DeadlineSentence, CountsLateSteps) {
  MeasuredRun one;
  one.step(2000, 85'000);
  one.step(2000, 2'985'000);
  MeasuredRun some_in_grace = run_with_misses();
  some_in_grace.status.overrun.misses_in_grace = 1;

  EXPECT_EQ(deadline_sentence(one.summary()), "1 of 2 steps ended late, 2.00 ms after its deadline");
  EXPECT_EQ(deadline_sentence(run_with_misses().summary()),
            "3 of 1000 steps ended late, the latest 88.0 us after its deadline");
  EXPECT_EQ(deadline_sentence(some_in_grace.summary()),
            "3 of 1000 steps ended late, the latest 88.0 us after its deadline; 1 of them in the grace at the start");
}

TEST(DeadlineSentence, PromisesNothingWithoutStepsOrDeadlines) {
  const MeasuredRun run = run_in_time();

  EXPECT_EQ(deadline_sentence(MeasuredRun().summary()), "no step was made");
  EXPECT_EQ(deadline_sentence(summarize(*run.monitor, run.status, 0)), "10000 steps, without deadlines");
}

TEST(DurationText, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(999), "999 ns");
  EXPECT_EQ(duration_text(1000), "1.00 us");
  EXPECT_EQ(duration_text(9996), "10.0 us");
  EXPECT_EQ(duration_text(31'249), "31.2 us");
  EXPECT_EQ(duration_text(99'960), "100 us");
  EXPECT_EQ(duration_text(999'600), "1.00 ms");
  EXPECT_EQ(duration_text(12'000'000'000), "12.0 s");
}

}  // namespace
}  // namespace kinloop::timing
