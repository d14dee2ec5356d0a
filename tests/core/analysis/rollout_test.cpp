// Tests that roll-outs are the plant's own steps, end where they must, and start from motions that are sound.
#include "core/analysis/rollout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/base/stepping_mode.hpp"
#include "tests/support/plants.hpp"
#include "tests/support/random.hpp"
#include "tests/support/relative_difference.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;
using plants::driven_pendulum;
using plants::input_of;
using plants::made;
using testing::HasSubstr;

/// A four-bar with a motor at its crank and sensors that need the accelerations.
PlantSpec driven_four_bar() {
  PlantSpec spec = driven_pendulum();
  spec.levels = {{"auto", "rk4", 1, {}}};
  spec.actuators[0].joint = "O1";
  spec.sensors[0].signal = "q.O1";
  spec.sensors[1].signal = "a.O1";
  return spec;
}

RolloutPlan plan_of(std::vector<std::vector<double>> sequences, int steps_per_command) {
  RolloutPlan plan;
  plan.path = RolloutPath::kSingle;
  plan.sequences = std::move(sequences);
  plan.steps_per_command = steps_per_command;
  return plan;
}

TEST(Rollout, EverySequenceIsThePlantSteppedByHand) {
  const SteppingMode mode;
  const Model model = compiled(mechanisms::four_bar());
  const auto plant = made(model, driven_four_bar());
  const auto by_hand = made(model, driven_four_bar());
  State start = plant->initial_state();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(is_done(plant->step(input_of(*plant, 2.0), start)));
  const VectorX before = start.block();
  const std::vector<std::vector<double>> sequences = {{1.0, -3.0, 12.0}, {}, {5.0, 5.0}};

  const auto results = rollout(*plant, start, plan_of(sequences, 7));

  ASSERT_TRUE(results);
  ASSERT_EQ(results->size(), 3U);
  EXPECT_EQ(start.block(), before);
  for (std::size_t s = 0; s < 3; ++s) {
    State state = start;
    std::vector<double> outputs;
    for (const double command : sequences[s]) {
      for (int i = 0; i < 7; ++i) ASSERT_TRUE(is_done(by_hand->step(input_of(*by_hand, command), state)));
      std::vector<double> row(by_hand->sensor_count());
      by_hand->true_signals(state, row);
      outputs.insert(outputs.end(), row.begin(), row.end());
    }
    EXPECT_EQ((*results)[s].outputs, outputs);
    EXPECT_EQ((*results)[s].end.block(), state.block());
    EXPECT_TRUE((*results)[s].complete);
  }
}

/// Does jobs in another order, by workers by turns: what threads might do, but the same each time.
class BackwardCrew final : public Crew {
 public:
  explicit BackwardCrew(int workers) : workers_(workers) {}
  int workers() const noexcept override { return workers_; }
  void run(int jobs, const std::function<void(int, int)>& job) override {
    for (int i = jobs - 1; i >= 0; --i) job(i % workers_, i);
  }

 private:
  int workers_;
};

std::vector<std::vector<double>> random_sequences(int count, int rows) {
  Random random(5);
  std::vector<std::vector<double>> sequences(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const int own = rows - static_cast<int>(i) % 3;  // some are shorter
    for (int r = 0; r < own; ++r) sequences[i].push_back(random.uniform(-12.0, 12.0));
  }
  return sequences;
}

TEST(Rollout, LanesLeadWhereTheSinglePathDoes) {
  const Model model = compiled(mechanisms::four_bar());
  for (const char* integrator : {"semi_implicit_euler", "rk4"}) {
    PlantSpec spec = driven_four_bar();
    spec.levels[0].integrator = integrator;
    spec.levels[0].substeps = 2;
    const auto plant = made(model, spec);
    RolloutPlan plan = plan_of(random_sequences(7, 12), 3);
    RolloutReport report;
    plan.report = &report;
    const auto single = rollout(*plant, plant->initial_state(), plan);
    EXPECT_EQ(report.single_because, "not asked for");
    plan.path = RolloutPath::kLanes;

    const auto lanes = rollout(*plant, plant->initial_state(), plan);

    EXPECT_EQ(report.single_because, "");
    EXPECT_EQ(report.steps, 3 * (12 + 11 + 10 + 12 + 11 + 10 + 12));
    EXPECT_EQ(report.steps_alone, 0);
    ASSERT_EQ(lanes->size(), single->size());
    for (std::size_t i = 0; i < single->size(); ++i) {
      const RolloutResult& one = (*lanes)[i];
      ASSERT_EQ(one.outputs.size(), (*single)[i].outputs.size());
      EXPECT_TRUE(one.complete);
      EXPECT_LT(relative_difference(one.end.block(), (*single)[i].end.block()), 1e-11);
    }
  }
}

TEST(Rollout, LanesDoNotDependOnWhoDoesWhatNorOnTheOtherSequences) {
  const Model model = compiled(mechanisms::four_bar());
  const auto plant = made(model, driven_four_bar());
  RolloutPlan plan = plan_of(random_sequences(11, 9), 4);
  plan.path = RolloutPath::kLanes;
  const auto whole = rollout(*plant, plant->initial_state(), plan);
  ASSERT_EQ(whole->size(), 11U);

  for (const int workers : {1, 2, 3}) {
    BackwardCrew crew(workers);
    plan.crew = &crew;
    const auto shared = rollout(*plant, plant->initial_state(), plan);
    for (std::size_t i = 0; i < 11; ++i) {
      EXPECT_EQ((*shared)[i].outputs, (*whole)[i].outputs);
      EXPECT_EQ((*shared)[i].end.block(), (*whole)[i].end.block());
    }
  }
  RolloutPlan one = plan;
  one.sequences = {plan.sequences[6]};
  const auto alone = rollout(*plant, plant->initial_state(), one);
  EXPECT_EQ(alone->front().end.block(), (*whole)[6].end.block());
}

TEST(Rollout, WhereLanesDoNotDoItSaysSoAndTakesTheSinglePath) {
  const Model model = compiled(mechanisms::four_bar());
  PlantSpec spec = driven_four_bar();
  spec.levels = {{"auto", "linearly_implicit", 1, {}}};
  const auto plant = made(model, spec);
  RolloutPlan plan = plan_of({{1.0, 2.0}}, 3);
  RolloutReport report;
  plan.report = &report;
  const auto single = rollout(*plant, plant->initial_state(), plan);
  plan.path = RolloutPath::kLanes;

  const auto lanes = rollout(*plant, plant->initial_state(), plan);

  EXPECT_THAT(report.single_because, HasSubstr("linearly_implicit has no lanes"));
  EXPECT_EQ(lanes->front().end.block(), single->front().end.block());
}

TEST(Rollout, AForceFromOutsideGoesTheSinglePathWithItsBits) {
  const Model model = compiled(mechanisms::four_bar());
  const auto plant = made(model, driven_four_bar());
  StepInput push = input_of(*plant, 1.0);
  push.changes = 1;
  push.change[0].kind = ChangeKind::kForce;
  push.change[0].target = 1;
  push.change[0].steps = 3;
  push.change[0].wrench[4] = 5.0;
  State start = plant->initial_state();
  ASSERT_TRUE(plant->can_apply(push.change[0], start));
  ASSERT_TRUE(is_done(plant->step(push, start)));
  RolloutPlan plan = plan_of({{1.0}, {2.0}}, 2);
  RolloutReport report;
  plan.report = &report;
  const auto single = rollout(*plant, start, plan);
  plan.path = RolloutPath::kLanes;

  const auto lanes = rollout(*plant, start, plan);

  EXPECT_EQ(report.steps_alone, 4);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ((*lanes)[i].end.block(), (*single)[i].end.block());
}

TEST(Rollout, OutputsAreWhatPerfectSensorsShow) {
  const Model model = compiled(mechanisms::four_bar());
  PlantSpec spec = driven_four_bar();
  for (SensorSpec& sensor : spec.sensors) sensor.settings = {};
  const auto plant = made(model, spec);
  const State start = plant->initial_state();
  State state = start;
  std::vector<Reading> readings(plant->sensor_count());
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(is_done(plant->step(input_of(*plant, 3.0), state)));
    plant->sense(state, readings);
  }

  const auto results = rollout(*plant, start, plan_of({{3.0}}, 5));

  ASSERT_TRUE(results);
  for (std::size_t i = 0; i < readings.size(); ++i) EXPECT_EQ(results->front().outputs[i], readings[i].value);
}

TEST(Rollout, StopsWhereAStepFails) {
  ModelSpec spec = mechanisms::pendulum();
  CoordinateSpec spring;
  spring.stiffness = 1e8;  // far too stiff for an explicit step of 1 ms
  spec.joints[0].coordinates = {spring};
  const Model model = compiled(spec);
  const auto plant = made(model, driven_pendulum());
  StepInput input;
  input.level = 1;
  RolloutPlan plan = plan_of({std::vector<double>(2000, 0.0), {0.0}}, 1);
  plan.input = input;

  const auto results = rollout(*plant, plant->initial_state(), plan);

  ASSERT_TRUE(results);
  ASSERT_EQ(results->size(), 2U);
  const RolloutResult& failed = results->front();
  EXPECT_FALSE(failed.complete);
  EXPECT_FALSE(is_done(failed.status));
  EXPECT_LT(failed.outputs.size(), 2000 * plant->sensor_count());
  EXPECT_EQ(failed.outputs.size(), failed.end.step() * plant->sensor_count());
  EXPECT_TRUE(results->back().complete);  // the others go on
}

TEST(Rollout, EndsSoonAfterItIsCancelled) {
  const Model model = compiled(mechanisms::pendulum());
  const auto plant = made(model, driven_pendulum());
  const std::atomic<bool> cancelled = true;
  RolloutPlan plan = plan_of({std::vector<double>(1000, 0.0), {1.0}}, 1000000);
  plan.cancelled = &cancelled;

  const auto results = rollout(*plant, plant->initial_state(), plan);

  ASSERT_TRUE(results);
  ASSERT_EQ(results->size(), 1U);
  EXPECT_FALSE(results->front().complete);
  EXPECT_TRUE(results->front().outputs.empty());
}

TEST(Rollout, WhatIsNoSequenceForThePlantIsAnError) {
  const Model model = compiled(mechanisms::double_pendulum());
  PlantSpec spec = driven_pendulum();
  spec.actuators[0].joint = model.speed_name(0);
  spec.sensors.clear();
  spec.actuators.push_back(spec.actuators[0]);
  spec.actuators[1].name = "other";
  const auto plant = made(model, spec);
  const State start = plant->initial_state();
  RolloutPlan high = plan_of({{1.0, 2.0}}, 1);
  high.input.level = 2;

  const auto odd = rollout(*plant, start, plan_of({{1.0, 2.0}, {1.0, 2.0, 3.0}}, 1));
  const auto endless = rollout(*plant, start, plan_of({{1.0, std::numeric_limits<double>::infinity()}}, 1));
  const auto none = rollout(*plant, start, plan_of({{1.0, 2.0}}, 0));
  const auto level = rollout(*plant, start, high);

  ASSERT_FALSE(odd || endless || none || level);
  EXPECT_EQ(odd.error().where, "sequences[1].commands");
  EXPECT_THAT(odd.error().what, HasSubstr("3 numbers are no whole rows of 2"));
  EXPECT_EQ(endless.error().where, "sequences[0].commands");
  EXPECT_EQ(none.error().where, "steps_per_command");
  EXPECT_EQ(level.error().where, "level");
}

TEST(StateFromMotion, AMotionThatAPlantGaveAwayComesBackAsItWas) {
  const Model model = compiled(mechanisms::four_bar());
  const auto plant = made(model, driven_four_bar());
  State state = plant->initial_state();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(is_done(plant->step(input_of(*plant, 5.0), state)));

  const Result<State> made_state = state_from_motion(*plant, state, state.q(), state.v());

  ASSERT_TRUE(made_state) << made_state.error().what;
  EXPECT_EQ(made_state->q(), state.q());
  EXPECT_EQ(made_state->v(), state.v());
  EXPECT_EQ(made_state->device_state(), state.device_state());
  EXPECT_EQ(made_state->time_s(), state.time_s());
  EXPECT_EQ(made_state->history_count(), 0);
}

TEST(StateFromMotion, LoopsThatAreNearlyClosedAreClosed) {
  const Model model = compiled(mechanisms::four_bar());
  const auto plant = made(model, driven_four_bar());
  const State like = plant->initial_state();
  VectorX q = like.q();
  q[1] += 3e-6;

  const Result<State> state = state_from_motion(*plant, like, q, like.v());

  ASSERT_TRUE(state) << state.error().what;
  EXPECT_LT((state->q() - like.q()).norm(), 1e-5);
  State stepped = *state;
  EXPECT_EQ(plant->step(input_of(*plant, 0.0), stepped), StepStatus::kOk);
}

TEST(StateFromMotion, LoopsThatAreOpenAreAnErrorThatSaysHowFar) {
  const Model model = compiled(mechanisms::four_bar());
  const auto plant = made(model, driven_four_bar());
  const State like = plant->initial_state();
  VectorX q = like.q(), v = like.v();
  q[1] += 0.01;
  v[2] += 1.0;

  const Result<State> open = state_from_motion(*plant, like, q, like.v());
  const Result<State> opening = state_from_motion(*plant, like, like.q(), v);

  ASSERT_FALSE(open || opening);
  EXPECT_EQ(open.error().where, "state.q");
  EXPECT_THAT(open.error().what, HasSubstr("the loops are open by "));
  EXPECT_EQ(opening.error().where, "state.v");
  EXPECT_THAT(opening.error().what, HasSubstr("per second"));
}

TEST(StateFromMotion, SizesAndNumbersAreChecked) {
  const Model model = compiled(mechanisms::spherical_top());
  PlantSpec spec;
  const auto plant = made(model, spec);
  const State like = plant->initial_state();
  VectorX q = like.q(), v = like.v();
  q[0] = std::numeric_limits<double>::quiet_NaN();

  EXPECT_EQ(state_from_motion(*plant, like, v, v).error().what, "the model has 4 of them, not 3");
  EXPECT_EQ(state_from_motion(*plant, like, like.q(), q).error().where, "state.v");
  EXPECT_EQ(state_from_motion(*plant, like, q, v).error().what, "must be finite");
  EXPECT_THAT(state_from_motion(*plant, like, VectorX::Zero(4), v).error().what, HasSubstr("quaternion has no length"));
}

TEST(StateFromMotion, QuaternionsAreBroughtToUnitLength) {
  const Model model = compiled(mechanisms::spherical_top());
  const auto plant = made(model, PlantSpec{});
  const State like = plant->initial_state();

  const Result<State> state = state_from_motion(*plant, like, 1.7 * like.q(), like.v());

  ASSERT_TRUE(state);
  EXPECT_LT((state->q() - like.q()).norm(), 1e-15);
}

TEST(StateFromMotion, DrivenCoordinatesMustBeWhereTheTimeWantsThem) {
  ModelSpec spec = mechanisms::double_pendulum();
  spec.joints[0].coordinates.resize(1);
  spec.joints[0].coordinates[0].motion = FunctionSpec{};
  spec.joints[0].coordinates[0].motion->polynomial = {1.0, 0.3};
  const Model model = compiled(spec);
  const auto plant = made(model, PlantSpec{});
  const State like = plant->initial_state();
  VectorX q = like.q();
  q[0] += 0.1;

  EXPECT_TRUE(state_from_motion(*plant, like, like.q(), like.v()));
  EXPECT_THAT(state_from_motion(*plant, like, q, like.v()).error().what, HasSubstr("its motion is prescribed"));
}

}  // namespace
}  // namespace kinloop
