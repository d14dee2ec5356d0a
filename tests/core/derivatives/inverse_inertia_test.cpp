// Tests the inverse of a tree's inertia matrix against the matrix itself, and what has none.
#include "core/derivatives/inverse_inertia.hpp"

#include <gtest/gtest.h>

#include "core/derivatives/inverse_dynamics_slopes.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;

/// The workspace at the start of a model, and its inertia matrix by composite bodies.
struct InertiaAtStart {
  explicit InertiaAtStart(const Model& model) : ws(model), motion(model), composites(model) {
    Random random(3);
    State state(model);
    mechanisms::randomize(model, random, state);
    const auto dynamics = make_dynamics("rfda", model).value();
    EXPECT_EQ(accelerations(model, state, Loads(model), *dynamics, ws), StepStatus::kOk);
    motion.update(model, state.q().data(), state.v().data(), ws.vdot.data(), Vec3(model.gravity()), ws);
    composites.update(motion, ws);
  }

  Workspace ws;
  MotionSlopes motion;
  InverseDynamicsSlopes composites;
};

double inverse_error(const MatrixX& inverse, const MatrixX& M) {
  return (inverse.topRows(M.rows()) * M - MatrixX::Identity(M.rows(), M.rows())).cwiseAbs().maxCoeff();
}

TEST(InverseInertia, OfRandomTreesUndoesTheirInertia) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    mechanisms::TreeOptions options;
    options.armature = seed % 2 == 0;
    options.shuffled = seed % 3 != 0;
    options.chain = seed % 5 == 0;
    const Model model = compiled(mechanisms::random_tree(seed, 3 + static_cast<int>(seed % 11), options));
    const InertiaAtStart at_start(model);
    InverseInertia inverse(model);

    ASSERT_TRUE(inverse.update(at_start.ws)) << seed;

    const MatrixX& M = at_start.composites.M();
    const double condition = M.norm() * inverse.matrix().norm();
    EXPECT_LT(inverse_error(inverse.matrix(), M), 1e-14 * condition) << seed;
    EXPECT_EQ((inverse.matrix().topRows(model.nv()) - inverse.matrix().topRows(model.nv()).transpose()).norm(), 0.0);
  }
}

TEST(InverseInertia, OfChainsOfAnyLengthIsSolvedWithoutAllocation) {
  for (int n = 1; n <= 13; ++n) {
    const Model model = compiled(mechanisms::chain(n));
    const InertiaAtStart at_start(model);
    InverseInertia inverse(model);
    const MatrixX& M = at_start.composites.M();
    MatrixX identity = MatrixX::Zero(model.nv(), model.nv());

    const AllocationCount allocations;
    const bool is_regular = inverse.update(at_start.ws);
    if (is_regular) inverse.multiply(M, 2.0, identity);
    const auto allocated = allocations.value();

    ASSERT_TRUE(is_regular);
    EXPECT_EQ(allocated, 0);
    EXPECT_LT((identity - 2.0 * MatrixX::Identity(model.nv(), model.nv())).cwiseAbs().maxCoeff(), 1e-9) << n;
  }
}

TEST(InverseInertia, IsTheSameWhenAskedAgain) {
  const Model model = compiled(mechanisms::random_tree(7, 9));
  const InertiaAtStart at_start(model);
  InverseInertia inverse(model);
  ASSERT_TRUE(inverse.update(at_start.ws));
  const MatrixX first = inverse.matrix();

  ASSERT_TRUE(inverse.update(at_start.ws));

  EXPECT_EQ((inverse.matrix() - first).norm(), 0.0);
}

TEST(InverseInertia, OfABodyWithoutInertiaIsRefused) {
  const Model model = compiled(mechanisms::chain(3));
  InertiaAtStart at_start(model);
  for (BodyLoad& load : at_start.ws.load) load = {};
  InverseInertia inverse(model);

  EXPECT_FALSE(inverse.update(at_start.ws));
}

}  // namespace
}  // namespace kinloop
