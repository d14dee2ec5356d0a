// Tests long ladders in positions where short tails are poor from both ends: rows are delayed, none is lost.
#include <gtest/gtest.h>

#include "core/dynamics/energy.hpp"
#include "core/integrators/integrator.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/relative_difference.hpp"

namespace kinloop {
namespace {

// 101 coordinates of one component of loops: too many to be solved together.
constexpr int kWindows = 50;

std::unique_ptr<Dynamics> bare_dynamics(std::string_view name, const Model& model) {
  return std::move(make_bare_dynamics(name, model)).value();
}

TEST(DelayedRows, AreRightWhereShortTailsArePoorFromBothEnds) {
  for (const double fold : {0.0, 1e-9, 1e-5, 1e-2, -1e-6}) {
    const Model model = mechanisms::compiled(mechanisms::folded_ladder(kWindows, fold));
    const State state(model);
    const Loads loads(model);
    Workspace ws(model), reference(model);
    const auto rcr = bare_dynamics("rcr", model);

    ASSERT_EQ(accelerations(model, state, loads, *rcr, ws), StepStatus::kOk);
    ASSERT_EQ(accelerations(model, state, loads, *bare_dynamics("semi_recursive_2", model), reference),
              StepStatus::kOk);

    EXPECT_LT(relative_difference(ws.vdot, reference.vdot), 1e-9) << fold;
    EXPECT_FALSE(rcr->is_singular()) << fold;
  }
}

TEST(DelayedRows, KeepTheMotionNextToBothDeadCentres) {
  const Model model = mechanisms::compiled(mechanisms::folded_ladder(kWindows, 0.02));
  const auto step_all = [&](std::string_view name, State& state) {
    const auto dynamics = std::move(make_dynamics(name, model)).value();
    const auto integrator = make_integrator("rk4", model).value();
    Workspace ws(model);
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(integrator->step(model, Loads(model), 1e-3, *dynamics, state, ws), StepStatus::kOk) << i;
    }
    EXPECT_EQ(dynamics->report().fallbacks, 0) << name;
  };
  State rcr(model), reference(model);

  step_all("rcr", rcr);
  step_all("semi_recursive_2", reference);

  EXPECT_LT(relative_difference(rcr.q(), reference.q()), 1e-8);
}

TEST(DelayedRows, DoNotAllocate) {
  const Model model = mechanisms::compiled(mechanisms::folded_ladder(kWindows, 1e-7));
  const State state(model);
  const Loads loads(model);
  Workspace ws(model);
  const auto rcr = bare_dynamics("rcr", model);

  const AllocationCount allocations;
  const StepStatus status = accelerations(model, state, loads, *rcr, ws);

  EXPECT_EQ(status, StepStatus::kOk);
  EXPECT_EQ(allocations.value(), 0);
}

}  // namespace
}  // namespace kinloop
