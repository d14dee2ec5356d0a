// Tests that identification finds the truths that a seed drew, within the uncertainty that it states.
#include "core/analysis/identification.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/plants.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;
using plants::input_of;
using plants::made;
using testing::HasSubstr;

PlantSpec observed_four_bar(double noise) {
  PlantSpec spec;
  spec.seed = 5;
  spec.levels = {{"auto", "rk4", 1, {}}};
  ActuatorSpec motor;
  motor.name = "motor";
  motor.joint = "O1";
  motor.chain.lag_s = 5e-3;
  spec.actuators = {motor};
  SensorSpec angle;
  angle.name = "angle";
  angle.signal = "q.O1";
  angle.settings.noise = noise;
  SensorSpec rocker = angle;
  rocker.name = "rocker_speed";
  rocker.signal = "u.O3";
  rocker.settings.noise = 20.0 * noise;
  rocker.settings.delay_s = 3e-3;
  SensorSpec felt = angle;
  felt.name = "felt";
  felt.signal = "a.O1";
  spec.sensors = {angle, rocker, felt};
  return spec;
}

Observation observe(const Model& model, const PlantSpec& spec, int steps) {
  const auto plant = made(model, spec);
  State state = plant->initial_state();
  Observation observed{state, {}, {}};
  std::vector<Reading> readings(plant->sensor_count());
  for (int i = 0; i < steps; ++i) {
    StepInput input = input_of(*plant, 15.0 * std::sin(0.01 * i) + (i % 400 < 200 ? 5.0 : -5.0));
    EXPECT_TRUE(is_done(plant->step(input, state)));
    plant->sense(state, readings);
    observed.inputs.push_back(input);
    observed.readings.emplace_back();
    for (const Reading& reading : readings) observed.readings.back().push_back(reading.value);
  }
  return observed;
}

/// The four-bar with masses and friction of its own.
Model four_bar_with(double crank, double coupler, double damping) {
  const Model model = compiled(mechanisms::config("four_bar"));
  ModelSpec spec = model.spec();
  for (JointSpec& joint : spec.joints) {
    if (joint.coordinates.empty()) joint.coordinates.resize(1);
    joint.coordinates[0].damping = damping;
  }
  return with_parameters(compiled(spec), {{"mass.crank", crank}, {"mass.coupler", coupler}}).value();
}

TEST(Identification, FindsTruthsWithinTheUncertaintyThatItStates) {
  const PlantSpec spec = observed_four_bar(1e-3);
  const Observation observed = observe(four_bar_with(1.3, 2.6, 0.4), spec, 1500);
  const Model guess = four_bar_with(1.0, 2.0, 0.2);
  const NamedValues parameters = choose_parameters(guess, {"mass.coupler", "damping.O1"}).value();
  const Model known = with_parameters(guess, {{"mass.crank", 1.3}, {"damping.O2", 0.4}, {"damping.O3", 0.4}}).value();

  const auto found = identify(known, spec, observed, parameters);

  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->is_converged);
  const double truths[] = {2.6, 0.4};
  for (std::size_t i = 0; i < 2; ++i) {
    const Identification::Parameter& one = found->parameters[i];
    EXPECT_LT(std::abs(one.value - truths[i]), 4.0 * one.deviation) << one.name << " " << one.value;
    EXPECT_LT(one.deviation, 0.02 * truths[i]) << one.name;
  }
  EXPECT_NEAR(found->sensors[0].after, 1e-3, 2e-4);
  EXPECT_NEAR(found->sensors[1].after, 2e-2, 4e-3);
  EXPECT_GT(found->sensors[0].before, 10.0 * found->sensors[0].after);
  EXPECT_FALSE(found->sensors[2].is_used);
}

TEST(Identification, WithoutNoiseTruthsComeOutToRounding) {
  const PlantSpec spec = observed_four_bar(0.0);
  const Observation observed = observe(four_bar_with(1.3, 2.6, 0.4), spec, 600);
  const Model guess = four_bar_with(1.3, 2.0, 0.4);

  const auto found = identify(guess, spec, observed, choose_parameters(guess, {"mass.coupler"}).value());

  ASSERT_TRUE(found) << found.error().what;
  EXPECT_NEAR(found->parameters[0].value, 2.6, 1e-7);
  EXPECT_LT(std::abs(found->parameters[0].value - 2.6), 4.0 * found->parameters[0].deviation);
}

TEST(Identification, StatesTheUncertaintyThatItHas) {
  constexpr int kSeeds = 16;
  constexpr double kTruth = 2.6;
  PlantSpec spec = observed_four_bar(1e-3);
  const Model truth = four_bar_with(1.3, kTruth, 0.4);
  const Model guess = four_bar_with(1.3, 2.4, 0.4);
  const NamedValues parameters = choose_parameters(guess, {"mass.coupler"}).value();
  double sum = 0.0;  // of squared errors, each in deviations: kSeeds on the average
  for (int seed = 0; seed < kSeeds; ++seed) {
    spec.seed = static_cast<std::uint64_t>(100 + seed);
    const auto found = identify(guess, spec, observe(truth, spec, 200), parameters);
    ASSERT_TRUE(found) << found.error().what;
    const double error = (found->parameters[0].value - kTruth) / found->parameters[0].deviation;
    sum += error * error;
  }

  // Chi squared with 16 degrees of freedom lies outside of these with a probability of 1e-4.
  EXPECT_GT(sum, 3.0);
  EXPECT_LT(sum, 46.0);
}

TEST(Identification, WhatNothingShowsHasNoCertainty) {
  const PlantSpec spec = observed_four_bar(1e-3);
  PlantSpec blind = spec;
  blind.sensors = {spec.sensors[2]};
  const Model model = four_bar_with(1.3, 2.6, 0.4);
  const Observation observed = observe(model, blind, 50);

  const auto refused = identify(model, blind, observed, choose_parameters(model, {"mass.coupler"}).value());

  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("nothing to fit to"));
  EXPECT_FALSE(identify(model, spec, {observed.start, {}, {}}, choose_parameters(model, {"mass.coupler"}).value()));
  EXPECT_FALSE(identify(model, spec, observe(model, spec, 5), {}));
}

}  // namespace
}  // namespace kinloop
