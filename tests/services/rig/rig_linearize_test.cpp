// Tests linearisations of the project's rigs, in motion, against plain differences of their steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "services/rig/rig_file.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/step_differences.hpp"

namespace kinloop {
namespace {

// Pressures settle to about 1e-6 Pa in a step and are moved by 1e3 Pa; loops close to 1e-11.
constexpr double kTolerance = 1e-6;

/// Commands that open valves beyond their overlap and keep clear of limits.
StepInput commands_of(const PlantSpec& spec) {
  StepInput input;
  input.count = static_cast<std::uint32_t>(spec.actuators.size());
  for (std::size_t i = 0; i < spec.actuators.size(); ++i) {
    const bool opens = spec.actuators[i].kind == ActuatorKind::kCylinder;
    input.command[i] = opens ? (i % 2 == 0 ? 0.4 : -0.3) : spec.actuators[i].initial;
  }
  return input;
}

TEST(RigLinearize, EveryRigAgreesWithPlainDifferencesInMotion) {
  for (const std::string& name : test::rig_names()) {
    const auto rig = load_rig(test::rig_path(name));
    ASSERT_TRUE(rig) << name;
    const auto plant = Plant::make(rig->model.model, rig->spec.plant);
    ASSERT_TRUE(plant) << name;
    const StepInput input = commands_of(rig->spec.plant);
    State state = (*plant)->initial_state();
    for (int i = 0; i < 300; ++i) ASSERT_TRUE(is_done((*plant)->step(input, state))) << name;

    const Result<Linearization> l = linearize(**plant, state, input);

    ASSERT_TRUE(l) << name << ": " << l.error().what;
    // Friction of the cart turns round within 5 mm/s; the rope of the crane is stretched by a few mm, then slack.
    // An implicit step that changes speeds by much is repeated: near rest a small move does that.
    const bool is_bent = rig->model.model.name() == "cart_pole" || !rig->model.model.ropes().empty() ||
                         rig->spec.plant.levels[0].integrator == "linearly_implicit";
    const double move = is_bent ? 2e-4 : 4e-3;
    StepDifferences differences(**plant, state, input, *l, move);
    EXPECT_LT(row_wise_difference(whole(*l), differences.all()), kTolerance) << name;
    EXPECT_LT(l->uncertainty, kTolerance) << name;
    EXPECT_EQ(l->method, "exact") << name;
  }
}

TEST(RigLinearize, ExactDerivativesAgreeWithExtrapolatedDifferences) {
  // Of a row's largest entry; differences of pressures are good to this.
  constexpr double kAgreement = 1e-7;
  for (const std::string& name : test::rig_names()) {
    const auto rig = load_rig(test::rig_path(name));
    ASSERT_TRUE(rig) << name;
    const auto plant = Plant::make(rig->model.model, rig->spec.plant);
    ASSERT_TRUE(plant) << name;
    const StepInput input = commands_of(rig->spec.plant);
    State state = (*plant)->initial_state();
    for (int i = 0; i < 300; ++i) ASSERT_TRUE(is_done((*plant)->step(input, state))) << name;

    const Result<Linearization> exact = linearize(**plant, state, input);
    const Result<Linearization> reference = linearize(**plant, state, input, {LinearizeMethod::kDifferences, {}});

    ASSERT_TRUE(exact) << name << ": " << exact.error().what;
    ASSERT_TRUE(reference) << name << ": " << reference.error().what;
    EXPECT_LT(row_wise_difference(whole(*exact), whole(*reference)), kAgreement) << name;
  }
}

// What the winch's voltage moves within one step is 3e-12 m of 5.8 m: differences have three digits there, no more.
TEST(RigLinearize, DifferencesMissTheCranesInputsByTheRoundingOfItsPositions) {
  constexpr double kMove_V = 0.1;  // less than its rate limit passes in a step
  constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
  constexpr double kBend = 1e-5;  // of the winch's dry friction over that move
  const auto rig = load_rig(test::rig_path("crane"));
  ASSERT_TRUE(rig);
  const Model& model = rig->model.model;
  const auto plant = Plant::make(model, rig->spec.plant);
  ASSERT_TRUE(plant);
  const State state = (*plant)->initial_state();
  StepInput input = commands_of(rig->spec.plant);
  for (std::size_t i = 0; i < input.count; ++i) input.command[i] = rig->spec.plant.actuators[i].initial;
  const auto& actuators = rig->spec.plant.actuators;
  const auto winch = static_cast<std::size_t>(
      std::find_if(actuators.begin(), actuators.end(), [](const ActuatorSpec& one) { return one.name == "winch"; }) -
      actuators.begin());
  ASSERT_LT(winch, actuators.size());
  const auto moved = [&](double by_V) {
    State end = state;
    StepInput other = input;
    other.command[winch] += by_V;
    EXPECT_TRUE(is_done((*plant)->step(other, end)));
    return end;
  };
  const State up = moved(kMove_V);
  const State down = moved(-kMove_V);

  const Result<Linearization> exact = linearize(**plant, state, input);

  ASSERT_TRUE(exact) << exact.error().what;
  EXPECT_EQ(exact->method, "exact");
  int rows = 0;
  for (int i = 0; i < model.nv(); ++i) {
    const int q = model.coordinate(i).q;
    const auto& names = exact->states;
    const auto row = std::find(names.begin(), names.end(), "q." + model.speed_name(i)) - names.begin();
    if (q < 0 || row == static_cast<std::ptrdiff_t>(names.size())) continue;
    ++rows;
    const double difference = (up.q()[q] - down.q()[q]) / (2.0 * kMove_V);
    EXPECT_NEAR(exact->B(row, static_cast<Eigen::Index>(winch)), difference,
                kRounding * std::max(1.0, std::abs(state.q()[q])) / kMove_V + kBend * std::abs(difference))
        << model.speed_name(i);
  }
  EXPECT_EQ(rows, 9);
}

}  // namespace
}  // namespace kinloop
