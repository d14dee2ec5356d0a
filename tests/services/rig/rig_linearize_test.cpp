// Tests linearisations of the project's rigs, in motion, against plain differences of their steps.
#include <gtest/gtest.h>

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
    // The rig of the double wishbone has an implicit integrator.
    EXPECT_EQ(l->method == "exact", rig->spec.plant.levels[0].integrator != "linearly_implicit") << name;
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

}  // namespace
}  // namespace kinloop
