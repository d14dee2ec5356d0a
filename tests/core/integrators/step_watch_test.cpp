// Tests that what becomes too fast for the step during a run is counted, and nothing else.
#include "core/integrators/step_watch.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/integrators/step_limits.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

constexpr double kWatchDt_s = 1e-3;

// A crossed pair of hinges at rest, which nothing warns of; then a torque spins the second one up.
TEST(StepWatch, CountsHingesThatSpinUpLater) {
  ModelSpec spec = mechanisms::chain(2);
  spec.gravity = Vector3::Zero();
  for (JointSpec& joint : spec.joints) joint.initial_u = {};
  const Model model = mechanisms::compiled(spec);
  ASSERT_TRUE(step_warnings(model, fastest_at_start(model), kWatchDt_s, "semi_implicit_euler").empty());
  Simulation simulation(model, "semi_implicit_euler");
  ASSERT_EQ(simulation.run(kWatchDt_s, 100), StepStatus::kOk);
  EXPECT_EQ(simulation.integrator->coarse_steps().steps, 0);

  simulation.loads.tau[1] = 50.0;
  ASSERT_EQ(simulation.run(kWatchDt_s, 200), StepStatus::kOk);

  const CoarseSteps& coarse = simulation.integrator->coarse_steps();
  EXPECT_GT(coarse.steps, 0);
  EXPECT_EQ(coarse.body, 2);
  EXPECT_GT(coarse.turn_rad, kCoarseSpin);
  EXPECT_NE(describe(coarse, model).find("body bar1 turned by"), std::string::npos) << describe(coarse, model);
}

// A slider on a spring that is stiff for the step only once its mass is low: here the one that a stop meets.
TEST(StepWatch, CountsSpeedsThatGoToAndFro) {
  ModelSpec spec = mechanisms::pendulum();
  spec.joints[0].coordinates.resize(1);
  spec.joints[0].coordinates[0].dry_friction = 100.0;  // sticks, by a slope of 1e5 Nm s/rad: decays by 300 a step
  spec.joints[0].coordinates[0].friction_speed = 1e-3;
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, "semi_implicit_euler");

  (void)simulation.run(kWatchDt_s, 200);

  EXPECT_GT(simulation.integrator->coarse_steps().steps, 100);
  EXPECT_EQ(simulation.integrator->coarse_steps().speed, 0);
  EXPECT_NE(describe(simulation.integrator->coarse_steps(), model).find("went to and fro"), std::string::npos);
}

TEST(StepWatch, CountsNothingInMotionsThatTheStepResolves) {
  const Model model = mechanisms::compiled(mechanisms::double_pendulum());
  for (const IntegratorKind& kind : integrator_kinds()) {
    Simulation simulation(model, kind.name);
    ASSERT_EQ(simulation.run(kWatchDt_s, 5000), StepStatus::kOk);
    EXPECT_EQ(simulation.integrator->coarse_steps().steps, 0) << kind.name;
  }
}

// Torques that are noise reverse the change of a speed in every second step.
TEST(StepWatch, TakesNoiseForNoise) {
  const Model model = mechanisms::compiled(mechanisms::double_pendulum());
  Simulation simulation(model, "semi_implicit_euler");
  Random random(1);
  for (int i = 0; i < 100000; ++i) {
    for (double& tau : simulation.loads.tau) tau = random.uniform(-100.0, 100.0);
    if (i % 1000 == 0) simulation.state.v().setZero();
    ASSERT_EQ(simulation.step(kWatchDt_s), StepStatus::kOk);
  }
  EXPECT_EQ(simulation.integrator->coarse_steps().steps, 0);
}

}  // namespace
}  // namespace kinloop
