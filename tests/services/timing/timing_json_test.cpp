// Tests the keys that programs rely on.
#include "services/timing/timing_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/services/timing/measured_run.hpp"

namespace kinloop::timing {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST(TimingJson, HasTheSameKeysWithAndWithoutSteps) {
  for (const TimingSummary& summary : {run_in_time().summary(), MeasuredRun().summary()}) {
    const Json json = timing_json(summary);

    EXPECT_THAT(keys_of(json),
                ElementsAre("steps", "period_ns", "sentence", "wake_up", "execution", "phases", "jitter", "slack",
                            "worst_steps", "overrun", "commands", "plant", "thread", "dropped"));
    EXPECT_THAT(keys_of(json["phases"]), ElementsAre("command", "solve", "project", "sense", "publish"));
    for (const Json& spread : {json["wake_up"], json["execution"], json["phases"]["solve"], json["jitter"]}) {
      EXPECT_THAT(keys_of(spread),
                  ElementsAre("count", "mean_ns", "min_ns", "p50_ns", "p99_ns", "p99_9_ns", "p99_99_ns", "max_ns"));
    }
    EXPECT_THAT(keys_of(json["slack"]),
                ElementsAre("count", "mean_ns", "min_ns", "p50_ns", "p1_ns", "p0_1_ns", "p0_01_ns", "max_ns"));
  }
}

TEST(TimingJson, HoldsTheNumbersOfTheSummary) {
  const TimingSummary summary = run_with_misses().summary();

  const Json json = timing_json(summary);

  EXPECT_EQ(json["steps"], 1000);
  EXPECT_EQ(json["period_ns"], 1'000'000);
  EXPECT_EQ(json["wake_up"]["max_ns"], 75'000);
  EXPECT_EQ(json["wake_up"]["p99_ns"], summary.wake_up.tail_ns[0]);
  EXPECT_EQ(json["execution"]["p99_99_ns"], summary.execution.tail_ns[2]);
  EXPECT_EQ(json["phases"]["publish"]["max_ns"], 5000);
  EXPECT_EQ(json["slack"]["p1_ns"], summary.slack.tail_ns[0]);
  EXPECT_EQ(json["slack"]["min_ns"], 0);
  EXPECT_EQ(json["overrun"]["misses"], 3);
  EXPECT_EQ(json["overrun"]["skipped_releases"], 3);
  EXPECT_EQ(json["worst_steps"].size(), 8U);
  EXPECT_EQ(json["worst_steps"][0]["step"], 1000);
  EXPECT_EQ(json["worst_steps"][0]["late_ns"], 88'000);
  EXPECT_EQ(json["worst_steps"][0]["wake_up_ns"], 75'000);
  EXPECT_EQ(json["worst_steps"][0]["phases"]["solve_ns"], 1'000'000);
}

TEST(TimingJson, HoldsTheCountersOfTheLoop) {
  MeasuredRun run = run_in_time();
  run.status.usage = {1, 2, 3, 4};
  run.status.commands.made_safe = 5;
  run.status.faults = {6, 7, StepStatus::kLoopsOpen};
  run.status.frames_dropped = 8;
  run.status.fallbacks = 9;
  run.status.largest_closure_error = 1e-9;

  const Json json = timing_json(run.summary());

  EXPECT_EQ(json["thread"], Json({{"minor_faults", 1}, {"major_faults", 2}, {"preemptions", 4}, {"waits", 3}}));
  EXPECT_EQ(json["commands"]["made_safe"], 5);
  EXPECT_EQ(json["plant"]["failed_steps"], 6);
  EXPECT_EQ(json["plant"]["last_failure"], "the loops could not be closed after the step");
  EXPECT_EQ(json["plant"]["capped_steps"], 7);
  EXPECT_EQ(json["plant"]["fallbacks"], 9);
  EXPECT_EQ(json["plant"]["largest_closure_error"], 1e-9);
  EXPECT_EQ(json["dropped"]["frames"], 8);
}

TEST(TimingJson, SaysNullOfWhatWasNotMeasured) {
  const MeasuredRun run = run_in_time();

  const Json empty = timing_json(MeasuredRun().summary());
  const Json without_clock = timing_json(summarize(*run.monitor, run.status, 0));

  EXPECT_EQ(empty["wake_up"]["count"], 0);
  EXPECT_TRUE(empty["wake_up"]["max_ns"].is_null());
  EXPECT_TRUE(empty["plant"]["last_failure"].is_null());
  EXPECT_TRUE(empty["worst_steps"].is_array());
  EXPECT_TRUE(without_clock["period_ns"].is_null());
  EXPECT_TRUE(without_clock["slack"]["min_ns"].is_null());
  EXPECT_TRUE(without_clock["worst_steps"][0]["late_ns"].is_null());
}

TEST(HistogramsJson, ListLowerBoundAndCount) {
  const TimingSummary summary = run_in_time().summary();

  const Json json = histograms_json(summary);

  EXPECT_THAT(keys_of(json), ElementsAre("wake_up", "execution", "phases", "jitter", "slack"));
  ASSERT_EQ(json["wake_up"].size(), 3U);
  EXPECT_EQ(json["wake_up"][0], Json::array({summary.wake_up.buckets[0].lower_ns, 9990}));
  EXPECT_EQ(json["phases"]["sense"], Json::array({Json::array({summary.phases[3].buckets[0].lower_ns, 10000})}));
  EXPECT_EQ(histograms_json(MeasuredRun().summary())["wake_up"], Json::array());
}

TEST(JsonText, SurvivesTextThatIsNoUtf8) {
  EXPECT_EQ(json_text({{"rig", "a\xFFz"}}, -1), "{\"rig\":\"a\xEF\xBF\xBDz\"}");
}

}  // namespace
}  // namespace kinloop::timing
