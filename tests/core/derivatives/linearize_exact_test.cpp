// Tests exact linearisations against the differences of the same steps: drawn mechanisms, all rigs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/analysis/exact_linearization.hpp"
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
// An implicit step repeats Newton's step where it changes speeds by more than a tenth: differences beside a state reach
// over to where it does, and the mean of both is what they see.
constexpr double kAgreementOverRepeats = 1e-6;

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

TEST(LinearizeExact, KeptMemoryChangesNoBit) {
  const Model model = compiled(mechanisms::four_bar(1.0, 0.0));
  const auto plant = made(model, exact_pushed(model, "rk4"));
  const StepInput input = input_of(*plant, 0.1);
  State state = plant->initial_state();
  ExactDerivatives kept(*plant);
  for (int i = 0; i < 30; ++i) {
    const auto& independent = model.speed_name(i % 2);  // another chart each time
    const LinearizeSettings settings{LinearizeMethod::kExact, {independent}};
    const Result<Linearization> again = linearize(*plant, state, input, settings, &kept);
    const Result<Linearization> fresh = linearize(*plant, state, input, settings);
    ASSERT_TRUE(again && fresh) << i;
    EXPECT_EQ(whole(*again), whole(*fresh)) << i;
    for (int j = 0; j < 7; ++j) ASSERT_TRUE(is_done(plant->step(input, state)));
  }
}

TEST(LinearizeExact, RandomTreesAgreeWithDifferences) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    mechanisms::TreeOptions options;
    options.joint_forces = options.armature = options.springs = true;
    options.driven = seed % 2 == 0;
    const Model model = compiled(mechanisms::random_tree(seed, 6, options));
    for (const char* integrator : {"rk4", "heun", "ab3", "semi_implicit_euler", "linearly_implicit"}) {
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
    for (const char* integrator : {"rk4", "linearly_implicit"}) {
      const auto plant = made(model, exact_pushed(model, integrator));
      const double agreement = plant->integrator(0).name == "rk4" ? kAgreement : kAgreementOverRepeats;
      EXPECT_LT(exact_disagreement(*plant, plant->initial_state(), input_of(*plant, 0.1), integrator, seed), agreement)
          << "seed " << seed << " " << integrator;
    }
  }
}

TEST(LinearizeExact, BodiesThatTurnFreelyDriftAsTheStepDoes) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    mechanisms::TreeOptions options;
    options.joint_forces = options.springs = true;
    ModelSpec spec = mechanisms::random_tree(seed, 5, options);
    spec.joints[0].type = seed % 2 == 0 ? JointType::kFree : JointType::kSpherical;
    spec.joints[0].coordinates.clear();
    spec.joints[0].initial_q.clear();
    spec.joints[0].initial_u = seed % 2 == 0 ? std::vector<double>{0.4, -0.2, 0.3, 3.0, -40.0, 900.0}
                                             : std::vector<double>{2.0, -3.0, 700.0};  // a drift in parts
    const Model model = compiled(spec);
    const auto plant = made(model, exact_pushed(model, "semi_implicit_euler"));
    EXPECT_LT(exact_disagreement(*plant, plant->initial_state(), input_of(*plant, 0.1), "drift", seed), kAgreement)
        << "seed " << seed;
  }
}

TEST(LinearizeExact, ImplicitStepsOfStiffElementsAreDifferentiatedToo) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    mechanisms::TreeOptions options;
    options.joint_forces = options.springs = true;
    ModelSpec spec = mechanisms::random_tree(seed, 5, options);
    SpringSpec spring;
    spring.name = "stiff";
    spring.body_a = spec.bodies[0].name;
    spring.body_b = spec.bodies[seed % 2 == 0 ? 4 : 1].name;
    spring.point_a = Vector3(0.3, -0.1, 0.2);
    spring.point_b = Vector3(-0.2, 0.25, 0.1);
    spring.stiffness = 4e4;
    spring.damping = 30.0;
    spec.springs.push_back(spring);
    BushingSpec bushing;
    bushing.name = "rubber";
    bushing.body_a = spec.bodies[1].name;
    bushing.body_b = spec.bodies[3].name;
    bushing.stiffness = Vector3(2e4, 3e4, 1e4);
    bushing.damping = Vector3(20.0, 10.0, 5.0);
    bushing.rotational_stiffness = Vector3(200.0, 100.0, 300.0);
    bushing.rotational_damping = Vector3(1.0, 2.0, 0.5);
    spec.bushings.push_back(bushing);
    const Model model = compiled(spec);
    const auto plant = made(model, exact_pushed(model, "linearly_implicit"));
    EXPECT_LT(exact_disagreement(*plant, plant->initial_state(), input_of(*plant, 0.1), "stiff", seed), kAgreement)
        << "seed " << seed;
  }
}

TEST(LinearizeExact, SubStepsOfAnImplicitMethodKeepTheirPast) {
  const Model model = compiled(mechanisms::chain(4));
  PlantSpec spec = exact_pushed(model, "linearly_implicit");
  spec.levels[0].substeps = 4;
  const auto plant = made(model, spec);
  EXPECT_LT(exact_disagreement(*plant, plant->initial_state(), input_of(*plant, 0.1), "sub-steps", 0), kAgreement);
}

TEST(LinearizeExact, TheProjectionOfACrudeStepIsDifferentiatedToo) {
  for (const char* name :
       {"four_bar", "five_bar", "slider_crank", "excavator", "stewart_platform", "bricard", "double_wishbone"}) {
    const Model model = compiled(mechanisms::config(name));
    for (const char* integrator : {"semi_implicit_euler", "linearly_implicit"}) {
      // It stands on stiff locks: whatever moves it makes an implicit step repeat Newton's.
      if (std::string_view(name) == "excavator" && std::string_view(integrator) == "linearly_implicit") continue;
      const auto plant = made(model, exact_pushed(model, integrator));
      State state = plant->initial_state();
      for (int i = 0; i < 20; ++i) ASSERT_TRUE(is_done(plant->step(input_of(*plant, 0.1), state))) << name;
      EXPECT_LT(exact_disagreement(*plant, state, input_of(*plant, 0.1), name, 0), kAgreement)
          << name << " " << integrator;
    }
  }
}

}  // namespace
}  // namespace kinloop
