// Tests trimmed states against statics that are known by hand, and what cannot be reached.
#include "core/analysis/trim.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/plants.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;
using plants::input_of;
using plants::made;
using testing::HasSubstr;
using testing::SizeIs;

PlantSpec trim_spec(bool has_motor) {
  PlantSpec spec;
  spec.levels = {{"auto", "rk4", 1, {}}};
  if (!has_motor) return spec;
  ActuatorSpec torque;
  torque.name = "torque";
  torque.joint = "to_rod";
  torque.chain.lag_s = 3e-3;
  torque.chain.delay_s = 2e-3;
  spec.actuators = {torque};
  return spec;
}

TEST(Trim, FindsTheTorqueThatHoldsAPendulum) {
  const Model model = compiled(mechanisms::pendulum());
  const auto plant = made(model, trim_spec(true));
  TrimSettings settings;
  settings.coordinates = {{"to_rod", 0.5}};

  const Result<Trim> found = trim(*plant, plant->initial_state(), input_of(*plant, 0.0), settings);

  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->is_reached);
  EXPECT_NEAR(found->input.command[0], 9.81 * 0.5 * std::sin(0.5), 1e-8);
  State state = found->state;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(is_done(plant->step(found->input, state)));
  EXPECT_NEAR(state.q()[0], 0.5, 1e-8);
}

TEST(Trim, FindsWhereAGivenTorqueHoldsAPendulum) {
  const Model model = compiled(mechanisms::pendulum());
  const auto plant = made(model, trim_spec(true));
  TrimSettings settings;
  settings.commands = {{"torque", 2.0}};

  const Result<Trim> found = trim(*plant, plant->initial_state(), input_of(*plant, 0.0), settings);

  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->is_reached);
  EXPECT_NEAR(9.81 * 0.5 * std::sin(found->state.q()[0]), 2.0, 1e-7);
}

TEST(Trim, SaysWhatCannotBeReached) {
  const Model model = compiled(mechanisms::pendulum());
  const auto plant = made(model, trim_spec(false));
  TrimSettings settings;
  settings.coordinates = {{"to_rod", 0.5}};

  const Result<Trim> found = trim(*plant, plant->initial_state(), input_of(*plant, 0.0), settings);

  ASSERT_TRUE(found) << found.error().what;
  EXPECT_FALSE(found->is_reached);
  ASSERT_THAT(found->missing, SizeIs(1));
  EXPECT_THAT(found->missing[0], HasSubstr("u.to_rod"));
  EXPECT_THAT(found->missing[0], HasSubstr("nothing that is sought moves it"));
}

TEST(Trim, TellsAnInstantOfBalanceFromASteadyMotion) {
  ModelSpec weightless = mechanisms::pendulum();
  weightless.gravity = Vector3::Zero();
  TrimSettings settings;
  settings.speeds = {{"to_rod", 2.0}};
  const auto asked = [&](const ModelSpec& spec) {
    const Model model = compiled(spec);
    const auto plant = made(model, trim_spec(true));
    return trim(*plant, plant->initial_state(), input_of(*plant, 0.0), settings);
  };

  const Result<Trim> steady = asked(weightless);
  const Result<Trim> passing = asked(mechanisms::pendulum());

  ASSERT_TRUE(steady) << steady.error().what;
  ASSERT_TRUE(passing) << passing.error().what;
  EXPECT_TRUE(steady->is_reached);
  EXPECT_FALSE(passing->is_reached);
  ASSERT_THAT(passing->missing, SizeIs(1));
  EXPECT_THAT(passing->missing[0], HasSubstr("u.to_rod is steady for an instant only"));
}

TEST(Trim, RefusesWhatMakesNoSense) {
  const Model model = compiled(mechanisms::pendulum());
  const auto plant = made(model, trim_spec(true));
  const auto asked = [&](const TrimSettings& settings) {
    return trim(*plant, plant->initial_state(), input_of(*plant, 0.0), settings);
  };
  TrimSettings unknown, unknown_command, endless;
  unknown.coordinates = {{"elbow", 0.0}};
  unknown_command.commands = {{"valve", 0.0}};
  endless.coordinates = {{"to_rod", std::numeric_limits<double>::infinity()}};

  EXPECT_FALSE(asked(unknown));
  EXPECT_FALSE(asked(unknown_command));
  EXPECT_FALSE(asked(endless));
}

TEST(Trim, HoldsALinkageStill) {
  const Model model = compiled(mechanisms::four_bar(1.0, 0.0));
  PlantSpec spec;
  spec.levels = {{"auto", "rk4", 1, {}}};
  ActuatorSpec torque;
  torque.name = "torque";
  torque.joint = model.speed_name(0);
  spec.actuators = {torque};
  const auto plant = made(model, spec);
  TrimSettings settings;
  settings.coordinates = {{model.speed_name(0), 1.0}};

  const Result<Trim> found = trim(*plant, plant->initial_state(), input_of(*plant, 0.0), settings);

  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->is_reached);
  State state = found->state;
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(is_done(plant->step(found->input, state)));
  EXPECT_LT(state.v().lpNorm<Eigen::Infinity>(), 1e-6);
}

}  // namespace
}  // namespace kinloop
