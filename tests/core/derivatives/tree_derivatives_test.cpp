// Tests the derivatives of steps of open trees whose actuators are forces alone: the way without detours, and what it
// costs.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "core/analysis/linearize.hpp"
#include "core/analysis/state_chart.hpp"
#include "core/analysis/step_derivatives.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/plants.hpp"
#include "tests/support/step_differences.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;
using plants::input_of;
using plants::made;

/// A force along every speed.
PlantSpec pushed_everywhere(const Model& model, const std::string& integrator, int substeps) {
  PlantSpec spec;
  spec.levels = {{"auto", integrator, substeps, {}}};
  for (int i = 0; i < model.nv(); ++i) {
    ActuatorSpec force;
    force.name = "force" + std::to_string(i);
    force.joint = model.speed_name(i);
    spec.actuators.push_back(force);
  }
  return spec;
}

/// Eleven hinges on three branches; bodies of a branch do not follow each other.
ModelSpec hinges_on_branches() {
  ModelSpec spec = mechanisms::chain(11);
  for (const auto& [joint, body] : {std::pair{3, 0}, {4, 2}, {5, 1}, {6, 3}, {8, 5}, {9, 6}, {10, 0}}) {
    spec.joints[static_cast<std::size_t>(joint)].predecessor = spec.bodies[static_cast<std::size_t>(body)].name;
  }
  return spec;
}

std::vector<char> all_free(const Model& model) { return std::vector<char>(static_cast<std::size_t>(model.nv()), 1); }

TEST(TreeDerivatives, UnderForcesAloneAgreeWithDifferences) {
  for (const ModelSpec& mechanism : {mechanisms::chain(6), hinges_on_branches()}) {
    const Model model = compiled(mechanism);
    for (const char* integrator : {"semi_implicit_euler", "rk4"}) {
      for (const int substeps : {1, 2}) {
        const auto plant = made(model, pushed_everywhere(model, integrator, substeps));
        State state = plant->initial_state();
        StepDerivatives derivatives(*plant, 0, all_free(model), state);
        const StepInput input = input_of(*plant, 0.3);
        for (int i = 0; i < 3; ++i) {
          const AllocationCount allocations;
          ASSERT_EQ(derivatives.update(state, input), StepStatus::kOk);
          const auto allocated = allocations.value();
          EXPECT_TRUE(i == 0 || allocated == 0) << allocated;

          const Result<Linearization> l = linearize(*plant, state, input, {LinearizeMethod::kDifferences, {}});
          ASSERT_TRUE(l) << l.error().what;
          EXPECT_LT(row_wise_difference(derivatives.A(), l->A), 1e-7) << model.nv() << integrator << substeps;
          EXPECT_LT(row_wise_difference(derivatives.B(), l->B), 1e-7) << model.nv() << integrator << substeps;
          ASSERT_TRUE(is_done(plant->step(input, state)));
          EXPECT_EQ((state.block() - derivatives.end().block()).norm(), 0.0);
          state.set_history_count(0);
        }
      }
    }
  }
}

/// Seconds of a call, the least of many; the calls of both alternate, so that both see the same machine.
struct LeastTimes {
  double forward_s = 1.0, derivatives_s = 1.0;
};

template <class Forward, class Derivatives>
LeastTimes least_times(const Forward& forward, const Derivatives& derivatives, int calls) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [&](const auto& call, int count) {
    const auto start = Clock::now();
    for (int i = 0; i < count; ++i) call();
    return std::chrono::duration<double>(Clock::now() - start).count() / count;
  };
  LeastTimes least;
  for (int round = 0; round < 1500; ++round) {
    least.forward_s = std::min(least.forward_s, seconds(forward, 10 * calls));
    least.derivatives_s = std::min(least.derivatives_s, seconds(derivatives, calls));
  }
  return least;
}

/// bench/derivatives has 5.2 and 8.3; the bounds leave room for other machines.
TEST(TreeDerivatives, CostAFewForwardDynamics) {
  if (!AllocationCount::is_supported()) GTEST_SKIP() << "a sanitizer slows parts down unlike";
#ifndef NDEBUG
  GTEST_SKIP() << "without optimisation";
#endif
  for (const auto& [n, most, calls] : {std::tuple{7, 8.0, 12}, {30, 12.0, 3}}) {
    const Model model = compiled(mechanisms::chain(n));
    const auto plant = made(model, pushed_everywhere(model, "semi_implicit_euler", 1));
    const State state = plant->initial_state();
    StepDerivatives derivatives(*plant, 0, all_free(model), state);
    const StepInput input = input_of(*plant, 0.0);
    Workspace ws(model);
    const Loads loads(model);
    Dynamics& dynamics = plant->dynamics(0);

    const LeastTimes least = least_times(
        [&] {
          dynamics.begin_step(state);
          accelerations(model, state, loads, dynamics, ws);
        },
        [&] { derivatives.update(state, input); }, calls);

    EXPECT_LT(least.derivatives_s / least.forward_s, most) << n << " bars";
  }
}

}  // namespace
}  // namespace kinloop
