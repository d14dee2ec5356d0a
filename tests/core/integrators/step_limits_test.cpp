// Tests the choice of `auto` and the warnings of steps against what happens: what is neither is stable.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/integrators/step_limits.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/simulation.hpp"
#include "tests/support/slides.hpp"

namespace kinloop {
namespace {

/// Two masses of 10 and 1 kg in a row, the second on a spring or a damper.
ModelSpec sprung_masses(double stiffness, double damping) {
  ModelSpec spec = mechanisms::masses_in_a_row(10.0, 1.0);
  for (JointSpec& joint : spec.joints) joint.initial_u = {0.1};
  spec.gravity = Vector3::Zero();
  spec.joints[0].coordinates[0].stiffness = 100.0;
  spec.joints[1].coordinates[0].stiffness = stiffness;
  spec.joints[1].coordinates[0].damping = damping;
  return spec;
}

/// The largest energy of ten thousand steps, as a multiple of that at the start.
double growth_of(const Model& model, std::string_view method, double dt_s) {
  Simulation simulation(model, method);
  const double stored = 0.5 * (100.0 + model.coordinate(1).stiffness) * 1e-6;
  const double start = stored + 0.5 * 10.0 * 0.01 + 0.5 * 1.0 * 0.04;
  double most = 0.0;
  for (int i = 0; i < 10000; ++i) {
    if (simulation.step(dt_s) != StepStatus::kOk) return 1e300;
    const auto& q = simulation.state.q();
    const auto& v = simulation.state.v();
    const double sum = 0.5 * (100.0 * q[0] * q[0] + model.coordinate(1).stiffness * q[1] * q[1] + 10.0 * v[0] * v[0] +
                              (v[0] + v[1]) * (v[0] + v[1]));
    most = std::max(most, sum / start);
  }
  return most;
}

class StepLimits : public ::testing::TestWithParam<IntegratorKind> {};

// Stiffness from 1e2 to 1e12 N/m, steps from 0.1 to 10 ms: what is not warned of gains no energy worth mentioning.
TEST_P(StepLimits, SpringsAreFollowedOrWarnedOf) {
  for (const double dt_s : {1e-4, 1e-3, 1e-2}) {
    for (double stiffness = 1e2; stiffness <= 1e12; stiffness *= 10.0) {
      const Model model = mechanisms::compiled(sprung_masses(stiffness, 0.0));
      const bool warned = !step_warnings(model, fastest_at_start(model), dt_s, GetParam().name).empty();
      if (warned) continue;
      EXPECT_LT(growth_of(model, GetParam().name, dt_s), 2.0) << stiffness << " N/m, " << dt_s << " s";
    }
  }
}

TEST_P(StepLimits, DampersAreFollowedOrWarnedOf) {
  for (const double dt_s : {1e-4, 1e-3, 1e-2}) {
    for (double damping = 1e-2; damping <= 1e10; damping *= 10.0) {
      const Model model = mechanisms::compiled(sprung_masses(0.0, damping));
      const bool warned = !step_warnings(model, fastest_at_start(model), dt_s, GetParam().name).empty();
      if (warned) continue;
      EXPECT_LT(growth_of(model, GetParam().name, dt_s), 2.0) << damping << " N s/m, " << dt_s << " s";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, StepLimits, ::testing::ValuesIn(integrator_kinds().begin(), integrator_kinds().end()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(AutoIntegrator, IsNeverWarnedOfAndNeverGainsEnergy) {
  for (const std::string_view preferred : {"rk4", "semi_implicit_euler"}) {
    for (const double dt_s : {1e-4, 1e-3, 1e-2}) {
      for (double stiffness = 1e2; stiffness <= 1e12; stiffness *= 100.0) {
        const Model model = mechanisms::compiled(sprung_masses(stiffness, 0.0));
        const FastestMotion fastest = fastest_at_start(model);

        const IntegratorChoice choice = choose_integrator(model, fastest, dt_s, preferred);

        EXPECT_TRUE(step_warnings(model, fastest, dt_s, choice.name).empty()) << choice.name;
        EXPECT_LT(growth_of(model, choice.name, dt_s), 2.0) << choice.name << ' ' << stiffness << ' ' << dt_s;
        EXPECT_EQ(choice.name == "linearly_implicit", std::sqrt(1.1 * stiffness) * dt_s > 0.5)
            << stiffness << ' ' << dt_s;
        EXPECT_FALSE(choice.reason.empty());
      }
    }
  }
}

TEST(AutoIntegrator, SaysThatNothingIsFastWhereNothingIs) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());

  EXPECT_EQ(choose_integrator(model, fastest_at_start(model), 1e-3, "rk4").reason,
            "nothing is stiff here, and nothing fast at the start");
}

TEST(AutoIntegrator, LeavesSemiImplicitEulerWhereASpinHasNoDrift) {
  ModelSpec spec = mechanisms::free_body();
  spec.joints[0].initial_u = {0.0, 0.0, 0.0, 100.0, 1.0, 1.0};
  const Model free = mechanisms::compiled(spec);

  EXPECT_EQ(choose_integrator(free, fastest_at_start(free), 1e-3, "semi_implicit_euler").name, "semi_implicit_euler");

  const Model carried = mechanisms::compiled(mechanisms::on_a_carriage(spec));
  const FastestMotion fastest = fastest_at_start(carried);

  EXPECT_EQ(choose_integrator(carried, fastest, 1e-3, "semi_implicit_euler").name, "rk4");
  EXPECT_FALSE(step_warnings(carried, fastest, 1e-3, "semi_implicit_euler").empty());
  EXPECT_TRUE(step_warnings(carried, fastest, 1e-3, "rk4").empty());
}

// A stop whose damper is strong beside its spring throws back what an explicit step drives into it.
TEST(AutoIntegrator, KnowsTheDampersOfEndStops) {
  ModelSpec spec = mechanisms::pendulum();
  spec.joints[0].coordinates.resize(1);
  spec.joints[0].coordinates[0].limit = LimitSpec{0.5, 2.0, 1e3, 1e5};
  const Model model = mechanisms::compiled(spec);
  const FastestMotion fastest = fastest_at_start(model);

  EXPECT_EQ(choose_integrator(model, fastest, 1e-3, "semi_implicit_euler").name, "linearly_implicit");
  for (const IntegratorKind& kind : integrator_kinds()) {
    EXPECT_EQ(step_warnings(model, fastest, 1e-3, kind.name).empty(), kind.name == "linearly_implicit") << kind.name;
  }
}

TEST(StepWarnings, NameElementsThatEvenImplicitStepsCannotFollow) {
  ModelSpec spec = mechanisms::chain(2);
  BushingSpec bushing;
  bushing.name = "weld";
  bushing.body_a = "bar0";
  bushing.body_b = "bar1";
  bushing.frame_a = spec.joints[1].frame_pred;
  bushing.frame_b = spec.joints[1].frame_succ;
  bushing.rotational_stiffness = Vector3::Constant(1e10);
  spec.bushings = {bushing};
  const Model stiff = mechanisms::compiled(spec);
  spec.bushings[0].rotational_stiffness = Vector3::Constant(1e6);
  const Model bearable = mechanisms::compiled(spec);

  EXPECT_FALSE(step_warnings(stiff, fastest_at_start(stiff), 1e-3, "linearly_implicit").empty());
  EXPECT_TRUE(step_warnings(bearable, fastest_at_start(bearable), 1e-3, "linearly_implicit").empty());
}

TEST(DenseSteps, AreSaidWithTheBodiesThatCauseThem) {
  ModelSpec spec = mechanisms::chain(3);
  EXPECT_EQ(dense_steps(mechanisms::compiled(spec)), "");

  spec.springs = {{"far", "bar0", "bar2", Vector3::Zero(), Vector3(0.0, 0.0, -0.5), 1e3, 1.0, 0.0, 0.0}};

  const std::string said = dense_steps(mechanisms::compiled(spec));
  EXPECT_NE(said.find("bar0"), std::string::npos) << said;
  EXPECT_NE(said.find("bar2"), std::string::npos) << said;
  EXPECT_NE(said.find("3 x 3"), std::string::npos) << said;
}

}  // namespace
}  // namespace kinloop
