// Tests the derivatives of a step as a real-time thread would use them, and what is refused.
#include "core/analysis/step_derivatives.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/analysis/linearize.hpp"
#include "core/analysis/state_chart.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/plants.hpp"
#include "tests/support/step_differences.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;
using plants::input_of;
using plants::made;
using testing::HasSubstr;

PlantSpec derivatives_spec(const Model& model, const std::string& integrator) {
  PlantSpec spec;
  spec.levels = {{"auto", integrator, 2, {}}};
  ActuatorSpec motor;
  motor.name = "motor";
  motor.joint = model.speed_name(0);
  motor.kind = ActuatorKind::kDcMotor;
  motor.motor.inductance_H = 1e-3;
  motor.chain.delay_s = 2.5e-3;
  motor.chain.lag_s = 5e-3;
  spec.actuators = {motor};
  return spec;
}

std::vector<char> marks_of(const StateChart& chart, const Model& model) {
  std::vector<char> marks(static_cast<std::size_t>(model.nv()), 0);
  for (const int i : chart.independents()) marks[static_cast<std::size_t>(i)] = 1;
  return marks;
}

TEST(StepDerivatives, FollowAMotionWithoutAllocating) {
  for (const char* integrator : {"semi_implicit_euler", "rk4", "linearly_implicit"}) {
    const Model model = compiled(mechanisms::four_bar(1.0, 5.0));
    const auto plant = made(model, derivatives_spec(model, integrator));
    State state = plant->initial_state();
    const StateChart chart = StateChart::make(*plant, state).value();
    StepDerivatives derivatives(*plant, 0, marks_of(chart, model), state);
    const std::vector<std::string> names = {model.speed_name(chart.independents()[0])};
    const StepInput input = input_of(*plant, 0.7);
    ASSERT_EQ(derivatives.update(state, input), StepStatus::kOk);

    for (int i = 0; i < 7; ++i) {
      const AllocationCount allocations;
      ASSERT_EQ(derivatives.update(state, input), StepStatus::kOk);
      EXPECT_EQ(allocations.value(), 0);
      // What a delay keeps moves on in its ring: x must still be the same numbers.
      const Result<Linearization> l = linearize(*plant, state, input, {LinearizeMethod::kDifferences, names});
      ASSERT_TRUE(l) << l.error().where << l.error().what;
      EXPECT_LT(row_wise_difference(derivatives.A(), l->A), 1e-7) << integrator << " " << i;
      EXPECT_LT(row_wise_difference(derivatives.B(), l->B), 1e-7) << integrator << " " << i;
      state.set_history_count(0);  // which x does not describe
      ASSERT_TRUE(is_done(plant->step(input, state)));
      EXPECT_EQ((state.q() - derivatives.end().q()).norm(), 0.0);
      EXPECT_EQ((state.v() - derivatives.end().v()).norm(), 0.0);
    }
  }
}

TEST(StepDerivatives, OfAnOpenChainAgreeWithTheIntegratorItself) {
  for (const char* integrator : {"semi_implicit_euler", "heun", "rk4", "linearly_implicit"}) {
    const Model model = compiled(mechanisms::chain(5));
    const auto plant = made(model, derivatives_spec(model, integrator));
    State state = plant->initial_state();
    const StateChart chart = StateChart::make(*plant, state).value();
    StepDerivatives derivatives(*plant, 0, marks_of(chart, model), state);
    const StepInput input = input_of(*plant, 0.7);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(is_done(plant->step(input, state)));
    state.set_history_count(0);
    ASSERT_EQ(derivatives.update(state, input), StepStatus::kOk);

    const AllocationCount allocations;
    ASSERT_EQ(derivatives.update(state, input), StepStatus::kOk);
    EXPECT_EQ(allocations.value(), 0);
    const Result<Linearization> l = linearize(*plant, state, input, {LinearizeMethod::kDifferences, {}});
    ASSERT_TRUE(l);
    EXPECT_LT(row_wise_difference(derivatives.A(), l->A), 1e-7) << integrator;
    EXPECT_LT(row_wise_difference(derivatives.B(), l->B), 1e-7) << integrator;
    ASSERT_TRUE(is_done(plant->step(input, state)));
    EXPECT_EQ((state.q() - derivatives.end().q()).norm(), 0.0);
    EXPECT_EQ((state.v() - derivatives.end().v()).norm(), 0.0);
  }
}

TEST(StepDerivatives, NamedCoordinatesAreTakenOrRefusedByName) {
  const Model model = compiled(mechanisms::config("five_bar"));
  const auto plant = made(model, derivatives_spec(model, "rk4"));
  const State state = plant->initial_state();
  const auto asked = [&](std::vector<std::string> names) {
    return linearize(*plant, state, input_of(*plant, 0.0), {LinearizeMethod::kExact, std::move(names)});
  };

  const auto given = asked({"j1", "j4"});
  const auto none = asked({"j1", "no_such_joint"});
  const auto twice = asked({"j1", "j1"});
  const auto few = asked({"j1"});
  const auto dependent = asked({"j1", "j2"});  // both turn, and the sliders go where they like

  ASSERT_TRUE(given) << given.error().what;
  EXPECT_EQ(given->states[0], "q.j1");
  EXPECT_EQ(given->states[1], "q.j4");
  ASSERT_FALSE(dependent);
  EXPECT_THAT(dependent.error().what, HasSubstr("do not determine 'j4'"));
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().what, HasSubstr("no_such_joint"));
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().what, HasSubstr("named twice"));
  ASSERT_FALSE(few);
  EXPECT_THAT(few.error().what, HasSubstr("2 degrees of freedom"));
}

TEST(StepDerivatives, ACoordinateAtItsDeadCentreIsNoIndependentOne) {
  // Coupler and far bar in line: the near bar cannot say how they fold.
  const Model model = compiled(mechanisms::ladder(1, 1, 0.0));
  PlantSpec spec;
  spec.levels = {{"auto", "rk4", 1, {}}};
  const auto plant = made(model, spec);
  const State state = plant->initial_state();

  int refused = 0;
  for (int i = 0; i < model.nv(); ++i) {
    const auto l = linearize(*plant, state, input_of(*plant, 0.0), {LinearizeMethod::kExact, {model.speed_name(i)}});
    if (l) continue;
    EXPECT_THAT(l.error().what, HasSubstr("singular"));
    ++refused;
  }

  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, model.nv());
}

TEST(StepDerivatives, WhatIsNoStateIsRefused) {
  const Model model = compiled(mechanisms::four_bar(1.0, 5.0));
  const auto plant = made(model, derivatives_spec(model, "rk4"));
  State state = plant->initial_state();
  StepInput input = input_of(*plant, 0.0);

  input.command[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(linearize(*plant, state, input));
  input.command[0] = 0.0;
  input.count = 2;
  EXPECT_FALSE(linearize(*plant, state, input));
  input.count = 1;
  state.v()[0] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(linearize(*plant, state, input));
}

TEST(StepDerivatives, MethodsAreFoundByName) {
  EXPECT_EQ(find_linearize_method("exact").value(), LinearizeMethod::kExact);
  EXPECT_EQ(find_linearize_method("differences").value(), LinearizeMethod::kDifferences);
  EXPECT_FALSE(find_linearize_method("guess"));
}

}  // namespace
}  // namespace kinloop
