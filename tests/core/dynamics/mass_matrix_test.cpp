// Tests the mass matrix against kinetic energy and against a formulation that does not form it.
#include "core/dynamics/mass_matrix.hpp"

#include <gtest/gtest.h>

#include "core/dynamics/energy.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/mechanisms.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;
using mechanisms::random_tree;

TEST(MassMatrix, GivesTheKineticEnergyOfRandomTrees) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Model model = compiled(random_tree(seed, 20, {.armature = true, .driven = true, .shuffled = true}));
    const State state(model);
    Workspace ws(model);
    update_kinematics(model, state, ws);

    MatrixX M;
    mass_matrix(model, ws, M);

    const double kinetic = 0.5 * state.v().dot(M * state.v());
    const double expected = energy(model, state.q().data(), state.v().data(), ws).kinetic_J;
    EXPECT_NEAR(kinetic, expected, 1e-12 * expected) << seed;
  }
}

TEST(MassMatrix, TimesTheChangeOfAccelerationIsTheChangeOfForce) {
  const Model model = compiled(random_tree(5, 24, {.armature = true, .shuffled = true}));
  const State state(model);
  Workspace ws(model);
  const auto dynamics = std::move(make_dynamics("rfda", model)).value();
  Random random(9);
  Loads loads(model);
  ASSERT_EQ(accelerations(model, state, loads, *dynamics, ws), StepStatus::kOk);
  const VectorX without = ws.vdot;
  for (double& tau : loads.tau) tau = random.uniform(-1.0, 1.0);
  ASSERT_EQ(accelerations(model, state, loads, *dynamics, ws), StepStatus::kOk);

  MatrixX M;
  mass_matrix(model, ws, M);

  const VectorX change = ws.vdot - without;
  const double scale = M.cwiseAbs().maxCoeff() * change.cwiseAbs().maxCoeff();
  EXPECT_LT((M * change - loads.tau).cwiseAbs().maxCoeff(), 1e-13 * scale);
}

TEST(MassMatrix, IsAsAccurateFarFromTheOriginAsNearIt) {
  const ModelSpec near = random_tree(4, 12, {.chain = true});
  ModelSpec far = near;
  far.joints[0].frame_pred.p += Vector3(1e7, -2e7, 3e6);
  const Model model_near = compiled(near);
  const Model model_far = compiled(far);
  Workspace ws_near(model_near);
  Workspace ws_far(model_far);
  update_kinematics(model_near, State(model_near), ws_near);
  update_kinematics(model_far, State(model_far), ws_far);

  MatrixX M_near;
  MatrixX M_far;
  mass_matrix(model_near, ws_near, M_near);
  mass_matrix(model_far, ws_far, M_far);

  EXPECT_EQ(M_near, M_far);
}

TEST(MassMatrix, DoesNotAllocateWithMemoryGiven) {
  const Model model = compiled(random_tree(6, 15));
  Workspace ws(model);
  update_kinematics(model, State(model), ws);
  MatrixX M(model.nv(), model.nv());
  std::vector<CompositeInertia> composite(static_cast<std::size_t>(model.body_count()));

  const AllocationCount allocations;
  mass_matrix(model, ws, composite, M);

  EXPECT_EQ(allocations.value(), 0);
}

}  // namespace
}  // namespace kinloop
