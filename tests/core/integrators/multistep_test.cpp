// Tests the history of the multi-step methods: start, restart, change of step and of method.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/mechanisms.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

constexpr double kMultistepDt_s = 2e-3;

class MultistepTest : public ::testing::TestWithParam<std::string> {
 protected:
  int past_steps_needed() const { return GetParam().back() - '0' - 1; }

  Model model_ = mechanisms::compiled(mechanisms::random_tree(8, 11));
  Simulation simulation_{model_, GetParam()};
  Simulation rk4_{model_, "rk4"};

  bool same_motion() const {
    return simulation_.state.q() == rk4_.state.q() && simulation_.state.v() == rk4_.state.v();
  }
};

TEST_P(MultistepTest, StartsWithRungeKuttaStepsUntilItsHistoryIsFull) {
  for (int i = 0; i < past_steps_needed(); ++i) {
    ASSERT_EQ(simulation_.step(kMultistepDt_s), StepStatus::kOk);
    ASSERT_EQ(rk4_.step(kMultistepDt_s), StepStatus::kOk);
    EXPECT_TRUE(same_motion()) << i;
  }
  ASSERT_EQ(simulation_.step(kMultistepDt_s), StepStatus::kOk);
  ASSERT_EQ(rk4_.step(kMultistepDt_s), StepStatus::kOk);

  EXPECT_FALSE(same_motion());
}

TEST_P(MultistepTest, ClearedHistoryStartsAfresh) {
  ASSERT_EQ(simulation_.run(kMultistepDt_s, 10), StepStatus::kOk);
  rk4_.state.block() = simulation_.state.block();

  simulation_.state.set_history_count(0);
  ASSERT_EQ(simulation_.step(kMultistepDt_s), StepStatus::kOk);
  ASSERT_EQ(rk4_.step(kMultistepDt_s), StepStatus::kOk);

  EXPECT_TRUE(same_motion());
  EXPECT_EQ(simulation_.state.history_count(), 1);
}

TEST_P(MultistepTest, AnotherStepLengthStartsAfresh) {
  ASSERT_EQ(simulation_.run(kMultistepDt_s, 10), StepStatus::kOk);
  rk4_.state.block() = simulation_.state.block();

  ASSERT_EQ(simulation_.step(0.5 * kMultistepDt_s), StepStatus::kOk);
  ASSERT_EQ(rk4_.step(0.5 * kMultistepDt_s), StepStatus::kOk);

  EXPECT_TRUE(same_motion());
}

TEST_P(MultistepTest, StepOfAnotherMethodInBetweenStartsAfresh) {
  ASSERT_EQ(simulation_.run(kMultistepDt_s, 10), StepStatus::kOk);
  rk4_.state.block() = simulation_.state.block();
  ASSERT_EQ(rk4_.step(kMultistepDt_s), StepStatus::kOk);
  simulation_.state.block() = rk4_.state.block();

  ASSERT_EQ(simulation_.step(kMultistepDt_s), StepStatus::kOk);
  ASSERT_EQ(rk4_.step(kMultistepDt_s), StepStatus::kOk);

  EXPECT_TRUE(same_motion());
}

TEST_P(MultistepTest, HistoryOfTheImplicitMethodIsNotTakenForItsOwn) {
  Simulation implicit(model_, "linearly_implicit");
  ASSERT_EQ(implicit.run(kMultistepDt_s, 10), StepStatus::kOk);
  simulation_.state.block() = rk4_.state.block() = implicit.state.block();

  ASSERT_EQ(simulation_.step(kMultistepDt_s), StepStatus::kOk);
  ASSERT_EQ(rk4_.step(kMultistepDt_s), StepStatus::kOk);

  EXPECT_TRUE(same_motion());
}

INSTANTIATE_TEST_SUITE_P(All, MultistepTest, ::testing::Values("ab2", "ab3", "ab4"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace kinloop
