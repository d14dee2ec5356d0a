// Tests that recursive coordinate reduction leaves a basis of dependent coordinates that comes near to a singular one.
#include <gtest/gtest.h>

#include "core/dynamics/energy.hpp"
#include "core/integrators/integrator.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/relative_difference.hpp"

namespace kinloop {
namespace {

TEST(RcrBasis, IsRightWhereTheDependentsOfAWindowAreInLine) {
  for (const double fold : {0.0, 1e-13, 1e-11, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, -1e-6, -0.1}) {
    for (const int folded : {1, 2, 3, 4}) {
      const Model model = mechanisms::compiled(mechanisms::ladder(4, folded, fold));
      const State state(model);
      const Loads loads(model);
      Workspace ws(model), reference(model);

      ASSERT_EQ(accelerations(model, state, loads, **make_dynamics("rcr", model), ws), StepStatus::kOk);
      ASSERT_EQ(accelerations(model, state, loads, **make_dynamics("semi_recursive_2", model), reference),
                StepStatus::kOk);

      EXPECT_LT(relative_difference(ws.vdot, reference.vdot), 1e-9) << "window " << folded << " at " << fold;
    }
  }
}

struct Motion {
  Motion(const Model& m, std::string_view method)
      : model(m),
        state(model),
        ws(model),
        dynamics(make_dynamics(method, model).value()),
        integrator(make_integrator("rk4", model).value()) {}

  double energy_J() {
    update_kinematics(model, state, ws);
    return energy(model, state.q().data(), state.v().data(), ws).total_J();
  }
  void step() { ASSERT_EQ(integrator->step(model, Loads(model), 1e-3, *dynamics, state, ws), StepStatus::kOk); }

  const Model& model;
  State state;
  Workspace ws;
  std::unique_ptr<Dynamics> dynamics;
  std::unique_ptr<Integrator> integrator;
};

TEST(RcrBasis, PassesThroughDeadCentresAndCountsItsSwitches) {
  const Model model = mechanisms::compiled(mechanisms::ladder(3, 2, 0.05));
  Motion rcr(model, "rcr"), reference(model, "semi_recursive_2");

  for (int i = 0; i < 1500; ++i) {
    rcr.step();
    reference.step();
    if (HasFatalFailure()) return;
  }

  EXPECT_LT(relative_difference(rcr.state.q(), reference.state.q()), 1e-8);
  EXPECT_NEAR(rcr.energy_J(), reference.energy_J(), 1e-7);
  EXPECT_GT(rcr.dynamics->report().switches, 0);
}

}  // namespace
}  // namespace kinloop
