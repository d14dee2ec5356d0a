// Tests exact linearisations against the differences of the same steps: drawn mechanisms, all rigs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/analysis/linearize.hpp"
#include "tests/support/plants.hpp"
#include "tests/support/step_differences.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;
using plants::input_of;
using plants::made;
using testing::HasSubstr;

// Differences of a step are extrapolated to about this, of the largest entry of a row.
constexpr double kAgreement = 1e-7;

PlantSpec exact_pushed(const Model& model, const std::string& integrator, const std::string& dynamics = "auto") {
  PlantSpec spec;
  spec.levels = {{dynamics, integrator, 1, {}}};
  for (int i = 0; i < model.nv(); ++i) {
    if (model.coordinate(i).motion >= 0) continue;
    ActuatorSpec force;
    force.name = "push" + std::to_string(i);
    force.joint = model.speed_name(i);
    if (i % 3 == 1) force.chain.lag_s = 5e-3;
    if (i % 3 == 2) {
      force.kind = ActuatorKind::kDcMotor;
      force.motor.inductance_H = 2e-3;
      force.chain.delay_s = 1.5e-3;
    }
    spec.actuators.push_back(force);
    for (const char* kind : {"q.", "u.", "a."}) {
      if (*kind == 'q' && model.coordinate(i).q < 0) continue;
      SensorSpec sensor;
      sensor.name = kind + std::to_string(i);
      sensor.signal = kind + model.speed_name(i);
      spec.sensors.push_back(sensor);
    }
  }
  return spec;
}

/// The largest disagreement between both methods, row by row.
double exact_disagreement(Plant& plant, const State& state, const StepInput& input, const char* what,
                          std::uint64_t seed) {
  const Result<Linearization> exact = linearize(plant, state, input);
  const Result<Linearization> reference = linearize(plant, state, input, {LinearizeMethod::kDifferences, {}});
  if (!exact || !reference) {
    ADD_FAILURE() << what << " " << seed << ": " << (exact ? reference.error().what : exact.error().what);
    return 1.0;
  }
  EXPECT_EQ(exact->method, "exact") << what << " " << seed;
  return row_wise_difference(whole(*exact), whole(*reference));
}

TEST(LinearizeExact, RandomTreesAgreeWithDifferences) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    mechanisms::TreeOptions options;
    options.joint_forces = options.armature = options.springs = true;
    options.driven = seed % 2 == 0;
    const Model model = compiled(mechanisms::random_tree(seed, 6, options));
    for (const char* integrator : {"rk4", "heun", "ab3"}) {
      const auto plant = made(model, exact_pushed(model, integrator));
      EXPECT_LT(exact_disagreement(*plant, plant->initial_state(), input_of(*plant, 0.1), integrator, seed), kAgreement)
          << "seed " << seed << " " << integrator;
    }
  }
}

TEST(LinearizeExact, RandomLinkagesAgreeWithDifferences) {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    mechanisms::LinkageOptions options;
    options.tree.joint_forces = options.tree.armature = true;
    options.tree.driven = seed % 2 == 0;
    options.loops = 1 + static_cast<int>(seed % 3);
    options.couplings = static_cast<int>(seed % 2);
    options.least_share = 1e-2;
    const Model model = compiled(mechanisms::random_linkage(seed, 6, options));
    const auto plant = made(model, exact_pushed(model, "rk4"));
    EXPECT_LT(exact_disagreement(*plant, plant->initial_state(), input_of(*plant, 0.1), "rk4", seed), kAgreement)
        << "seed " << seed;
  }
}

TEST(LinearizeExact, TheProjectionOfACrudeStepIsDifferentiatedToo) {
  for (const char* name : {"four_bar", "five_bar", "slider_crank", "excavator", "stewart_platform", "bricard"}) {
    const Model model = compiled(mechanisms::config(name));
    const auto plant = made(model, exact_pushed(model, "semi_implicit_euler"));
    State state = plant->initial_state();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(is_done(plant->step(input_of(*plant, 0.1), state))) << name;
    EXPECT_LT(exact_disagreement(*plant, state, input_of(*plant, 0.1), name, 0), kAgreement) << name;
  }
}

}  // namespace
}  // namespace kinloop
