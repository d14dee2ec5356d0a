// Tests that a stop is laid to a formulation only where it is one's fault.
#include "tests/adversary/stop_facts.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/constraints/compile.hpp"
#include "tests/adversary/draw.hpp"

namespace kinloop::adversary {
namespace {

// A ring next to its flat position, in free flight: it turns about within 5e-5 s, a step takes 1 ms.
TEST(StopFacts, AStepThatNobodyTakesIsNobodysFault) {
  const Draw draw = draw_mechanism(400371);
  const Topology topology(draw.spec);
  const auto model = compile(draw.spec);
  const Subject subject{draw.spec, topology, *model};
  const TrialPlan plan{.dt_s = 1e-3, .steps = 3000};
  const std::vector<std::string> others{"semi_recursive_1", "partition", "rcr"};
  const Trial trial = run_trial(subject, "semi_recursive_2", "rk4", plan);
  ASSERT_LT(trial.steps, plan.steps) << "it stops";

  const StopFacts facts = look_at_stop(subject, "semi_recursive_2", others, plan, trial.steps);

  EXPECT_EQ(facts.gets_on, "");
  EXPECT_TRUE(facts.is_shared()) << facts.told();
  EXPECT_EQ(facts.excuse(), "step too long") << facts.told();
  EXPECT_GT(facts.max_changed, 0.1) << "halving the step leads elsewhere";
}

TEST(StopFacts, NamesWhoGetsOn) {
  const Draw draw = draw_mechanism(20);
  const Topology topology(draw.spec);
  const auto model = compile(draw.spec);
  const std::vector<std::string> others{"partition"};

  const StopFacts facts = look_at_stop({draw.spec, topology, *model}, "semi_recursive_2", others, {.steps = 100}, 50);

  EXPECT_EQ(facts.gets_on, "partition") << "nothing is wrong there";
  EXPECT_FALSE(facts.is_shared());
}

TEST(StopFacts, FaultIsAStepThatDiffersByMoreThanItLeavesOpen) {
  StopFacts facts;
  EXPECT_TRUE(facts.is_shared());
  facts.max_apart = 100.0;
  EXPECT_FALSE(facts.is_shared());
  EXPECT_EQ(facts.excuse(), "");
}

TEST(StopFacts, FaultIsAPlaceThatSomePassWithShorterSteps) {
  StopFacts facts;
  facts.stops = "partition";
  EXPECT_EQ(facts.excuse(), "nobody passes");
  facts.passes = "rcr";
  EXPECT_FALSE(facts.is_shared());
  EXPECT_NE(facts.told().find("rcr passes, partition stops"), std::string::npos) << facts.told();
}

}  // namespace
}  // namespace kinloop::adversary
