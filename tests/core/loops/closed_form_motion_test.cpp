// Tests `partition` where dependent positions come from closed forms: the same motion, energy and independents kept.
#include <gtest/gtest.h>

#include "core/kinematics/loop_constraints.hpp"
#include "tests/support/energy_of.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

std::vector<ModelSpec> closed_form_motion_samples() {
  return {mechanisms::four_bar(),         mechanisms::config("slider_crank"),   mechanisms::config("quick_return"),
          mechanisms::four_bar_chain(2),  mechanisms::n_four_bar(5, 1.4, -1.0), mechanisms::config("andrews_squeezer"),
          mechanisms::config("excavator")};
}

TEST(ClosedFormMotion, AgreesWithAMethodThatKnowsNoClosedForms) {
  for (const ModelSpec& spec : closed_form_motion_samples()) {
    const Model model = mechanisms::compiled(spec);
    Simulation partition(model, "rk4", "partition");
    Simulation other(model, "rk4", "semi_recursive_2");
    const double dt_s = spec.name == "andrews_squeezer" ? 2e-5 : 5e-4;

    ASSERT_EQ(partition.run(dt_s, 1000), StepStatus::kOk) << spec.name;
    ASSERT_EQ(other.run(dt_s, 1000), StepStatus::kOk) << spec.name;

    const double largest = std::max(1.0, other.state.q().lpNorm<Eigen::Infinity>());
    // Both err by the integrator's own error, which they distribute differently.
    EXPECT_LT((partition.state.q() - other.state.q()).lpNorm<Eigen::Infinity>(), 1e-6 * largest) << spec.name;
  }
}

TEST(ClosedFormMotion, KeepsEnergy) {
  for (const ModelSpec& spec : {mechanisms::four_bar(), mechanisms::config("slider_crank"),
                                mechanisms::config("quick_return"), mechanisms::n_four_bar(5, 1.4, -1.0)}) {
    const Model model = mechanisms::compiled(spec);
    Simulation simulation(model, "rk4", "partition");
    const double before = energy_of(simulation);
    const double scale = std::abs(before) + energies_of(simulation).kinetic_J;

    ASSERT_EQ(simulation.run(1e-3, 10'000), StepStatus::kOk) << spec.name;

    EXPECT_LT(std::abs(energy_of(simulation) - before), 1e-5 * scale) << spec.name;
    EXPECT_LT(simulation.integrator->loops().report().largest_error, 1e-12) << spec.name;
    EXPECT_EQ(simulation.integrator->loops().report().capped_steps, 0) << spec.name;
  }
}

TEST(ClosedFormMotion, IndependentsStayWhereTheyAre) {
  for (const ModelSpec& spec : {mechanisms::four_bar(), mechanisms::config("slider_crank"),
                                mechanisms::config("quick_return"), mechanisms::n_four_bar(5, 1.4, -1.0)}) {
    const Model model = mechanisms::compiled(spec);
    Simulation simulation(model, "rk4", "partition");
    ASSERT_EQ(simulation.run(1e-3, 3), StepStatus::kOk) << spec.name;
    VectorX q = simulation.state.q();
    Random random(4);
    for (double& coordinate : q) coordinate += random.uniform(-1e-3, 1e-3);
    const VectorX asked = q;

    simulation.dynamics->solve_dependents(q);

    for (int i = 0; i < model.nv(); ++i) {
      EXPECT_EQ(q[i] == asked[i], simulation.state.independent()[i] == 1.0) << spec.name << ' ' << i;
    }
    const VectorX v = simulation.state.v();
    update_kinematics(model, q.data(), v.data(), 0.0, simulation.ws);
    update_loop_constraints(model, q.data(), v.data(), 0.0, simulation.ws);
    EXPECT_LT(closure_error(simulation.ws), 1e-14) << spec.name;
  }
}

TEST(ClosedFormMotion, LeavesTheProjectionNoPositionsToIterate) {
  const Model model = mechanisms::compiled(mechanisms::four_bar());
  const auto iterations = [&](std::string_view name) {
    Simulation simulation(model, "rk4", name);
    int sum = 0;
    for (int i = 0; i < 200; ++i) {
      EXPECT_EQ(simulation.step(5e-3), StepStatus::kOk);
      sum += simulation.integrator->loops().report().iterations;
    }
    return sum;
  };

  // Both iterate velocities alike; positions take the other at least one iteration a step.
  EXPECT_LE(iterations("partition") + 200, iterations("semi_recursive_2"));
}

TEST(ClosedFormMotion, ADrivenCrankDeterminesItsLoop) {
  ModelSpec spec = mechanisms::four_bar();
  spec.joints[0].coordinates.resize(1);
  spec.joints[0].coordinates[0].motion.emplace().polynomial = {1.0, 5.0};
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, "rk4", "partition");

  ASSERT_EQ(simulation.run(1e-3, 1257), StepStatus::kOk);  // a turn

  EXPECT_NEAR(simulation.state.q()[0], 1.0 + 5.0 * simulation.state.time_s(), 1e-12);
  EXPECT_LT(simulation.integrator->loops().report().largest_error, 1e-12);
}

}  // namespace
}  // namespace kinloop
