// Tests switches of independent coordinates: counted, and without a trace in multi-step integrators (001, section 6).
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/energy_of.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

constexpr double kSwitchingTime_s = 1.2;

/// A crank that goes round: its best coordinate changes on the way.
Model switching_model() { return mechanisms::compiled(mechanisms::config("quick_return")); }

TEST(Switching, EveryChangeOfTheSetIsCounted) {
  const Model model = switching_model();
  Simulation simulation(model, "rk4", "partition");
  ASSERT_EQ(simulation.step(1e-3), StepStatus::kOk);
  VectorX before = simulation.state.independent();
  long long changes = 0;

  for (int i = 1; i < 1200; ++i) {
    ASSERT_EQ(simulation.step(1e-3), StepStatus::kOk);
    changes += (before - VectorX(simulation.state.independent())).norm() > 0.0 ? 1 : 0;
    before = simulation.state.independent();
  }

  EXPECT_GT(changes, 2);
  EXPECT_EQ(simulation.dynamics->report().switches, changes);
}

/// Coordinates at the end.
VectorX switching_end(const Model& model, std::string_view integrator, std::string_view dynamics, int steps,
                      long long* switches = nullptr) {
  Simulation simulation(model, integrator, dynamics);
  EXPECT_EQ(simulation.run(kSwitchingTime_s / steps, steps), StepStatus::kOk);
  if (switches != nullptr) *switches = simulation.dynamics->report().switches;
  return simulation.state.q();
}

TEST(Switching, LeavesAdamsBashforthItsOrder) {
  const Model model = switching_model();
  const VectorX exact = switching_end(model, "rk4", "semi_recursive_2", 24000);
  struct OrderCase {
    const char* integrator;
    int order;
  };
  for (const auto& [integrator, order] : {OrderCase{"ab2", 2}, OrderCase{"ab3", 3}, OrderCase{"ab4", 4}}) {
    long long switches = 0;
    const double coarse = (switching_end(model, integrator, "partition", 1200, &switches) - exact).norm();
    const double fine = (switching_end(model, integrator, "partition", 2400) - exact).norm();
    const double without = (switching_end(model, integrator, "semi_recursive_2", 1200) - exact).norm();

    EXPECT_GT(switches, 2);
    EXPECT_GT(std::log2(coarse / fine), order - 0.4) << integrator;
    EXPECT_LT(coarse, 3.0 * without) << integrator << ": as exact as without switches";
  }
}

}  // namespace
}  // namespace kinloop
