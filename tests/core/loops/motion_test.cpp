// Tests the motion of closed mechanisms over time: energy, reversal, unit quaternions.
#include <gtest/gtest.h>

#include <cmath>

#include "core/dynamics/energy.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/energy_of.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

ModelSpec undamped_linkage(int i) {
  mechanisms::LinkageOptions options;
  options.loops = 1 + i % 3;
  options.least_share = 5e-2;
  return mechanisms::random_linkage(static_cast<std::uint64_t>(900 + i), 3 + i % 8, options);
}

constexpr int kMotionLinkages = 25;
constexpr double kTime_s = 0.1;

TEST(LoopMotion, KeepsTheEnergyOfRandomLinkages) {
  for (int i = 0; i < kMotionLinkages; ++i) {
    const Model model = mechanisms::compiled(undamped_linkage(i));
    for (const std::string_view name : mechanisms::methods_for(model)) {
      Simulation simulation(model, "rk4", name);
      const double before = energy_of(simulation);

      const StepStatus status = simulation.run(kTime_s / 200, 200);

      ASSERT_EQ(status, StepStatus::kOk) << name << ' ' << i << " at " << simulation.state.time_s();
      // rk4 with h = 0.5 ms and speeds up to 30 rad/s: (w h)^4 = 5e-8 per radian.
      EXPECT_NEAR(energy_of(simulation), before, 1e-7 * (1.0 + energies_of(simulation).kinetic_J)) << name << ' ' << i;
    }
  }
}

TEST(LoopMotion, RunsBackToItsStart) {
  for (int i = 0; i < kMotionLinkages; ++i) {
    const Model model = mechanisms::compiled(undamped_linkage(i));
    for (const std::string_view name : mechanisms::methods_for(model)) {
      Simulation simulation(model, "rk4", name);
      const State start = simulation.state;

      ASSERT_EQ(simulation.run(kTime_s / 200, 200), StepStatus::kOk) << name << ' ' << i;
      simulation.state.v() *= -1.0;
      ASSERT_EQ(simulation.run(kTime_s / 200, 200), StepStatus::kOk) << name << ' ' << i;

      const double speed = 1.0 + start.v().lpNorm<Eigen::Infinity>();
      EXPECT_LT((simulation.state.q() - start.q()).lpNorm<Eigen::Infinity>(), 1e-7 * speed) << name << ' ' << i;
      EXPECT_LT((simulation.state.v() + start.v()).lpNorm<Eigen::Infinity>(), 1e-6 * speed) << name << ' ' << i;
    }
  }
}

TEST(LoopMotion, IsTheSameForAllFormulations) {
  for (int i = 0; i < kMotionLinkages; ++i) {
    const Model model = mechanisms::compiled(undamped_linkage(i));
    Simulation reference(model, "rk4", "semi_recursive_1");
    ASSERT_EQ(reference.run(kTime_s / 200, 200), StepStatus::kOk);
    for (const std::string_view name : mechanisms::methods_for(model)) {
      Simulation simulation(model, "rk4", name);

      ASSERT_EQ(simulation.run(kTime_s / 200, 200), StepStatus::kOk) << name << ' ' << i;

      const double speed = 1.0 + reference.state.v().lpNorm<Eigen::Infinity>();
      EXPECT_LT((simulation.state.q() - reference.state.q()).lpNorm<Eigen::Infinity>(), 1e-8 * speed)
          << name << ' ' << i;
    }
  }
}

/// The change of energy over 0.3 s in steps of 0.5 ms, all of which must close the loops.
double energy_change(const Model& model, std::string_view integrator, std::string_view method, StabilizationKind kind) {
  Simulation simulation(model, integrator, method);
  simulation.integrator->loops().settings().kind = kind;
  simulation.integrator->loops().settings().max_open = kind == StabilizationKind::kNone ? 1.0 : 1e-3;
  const double before = energy_of(simulation);
  EXPECT_EQ(simulation.run(5e-4, 600), StepStatus::kOk) << integrator << ' ' << method << ' ' << model.name();
  return std::abs(energy_of(simulation) - before);
}

// Methods with one evaluation a step close their loops with the factors of its start. What the closing joints have slid
// and turned since then is no error.
TEST(LoopMotion, KeepsTheOrderOfMethodsThatEvaluateOnlyTheStart) {
  for (int i = 0; i < kMotionLinkages; ++i) {
    mechanisms::LinkageOptions options;
    options.loops = 1 + i % 4;
    options.least_share = 5e-2;
    const Model model =
        mechanisms::compiled(mechanisms::random_linkage(static_cast<std::uint64_t>(40000 + i), 3 + i % 9, options));
    for (const std::string_view name : mechanisms::methods_for(model)) {
      const double projected = energy_change(model, "ab4", name, StabilizationKind::kProjection);

      const double drifting = energy_change(model, "ab4", name, StabilizationKind::kNone);
      EXPECT_LT(projected, 100.0 * drifting + 1e-6) << name << ' ' << i;
    }
    energy_change(model, "semi_implicit_euler", "semi_recursive_2", StabilizationKind::kProjection);
  }
}

TEST(LoopMotion, KeepsQuaternionsInLoopsAtUnitLength) {
  const Model model = mechanisms::compiled(mechanisms::config("stewart_platform"));
  for (const std::string_view name : mechanisms::methods_for(model)) {
    Simulation simulation(model, "rk4", name);

    ASSERT_EQ(simulation.run(1e-3, 500), StepStatus::kOk) << name;

    for (const int k : model.quaternion_bodies()) {
      const int place = model.body(k).q + joint_kind(model.body(k).joint).quaternion;
      EXPECT_NEAR(simulation.state.q().segment<4>(place).norm(), 1.0, 1e-15) << name;
    }
  }
}

}  // namespace
}  // namespace kinloop
