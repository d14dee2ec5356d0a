// Tests the choice of cuts against the criterion that partitioning uses, and against trees cut by hand.
#include "core/analysis/cut_choice.hpp"

#include <gtest/gtest.h>

#include "core/constraints/allowed_motions.hpp"
#include "core/constraints/projective_criterion.hpp"
#include "core/dynamics/mass_matrix.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "core/math/cholesky.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;

Workspace at_start_of(const Model& model) {
  Workspace ws(model);
  update_kinematics(model, State(model), ws);
  update_loop_constraints(model, State(model), ws);
  return ws;
}

/// By the class that partitioning uses, over the model's own tree.
double quality_of_tree(const Model& model) {
  const Workspace ws = at_start_of(model);
  const MatrixX dofs = allowed_motions(model, ws);
  MatrixX M;
  mass_matrix(model, ws, M);
  ProjectiveCriterion criterion(model.nv(), 0);
  if (!criterion.set_inertia(M)) return 0.0;
  const MatrixX D = dofs.transpose();
  MatrixX L = D * M * D.transpose();
  factorize_cholesky(L);
  criterion.use_dofs(D, L, D.rows());
  std::vector<char> independent(static_cast<std::size_t>(model.nv()));
  return criterion.choose(static_cast<int>(D.rows()), independent);
}

TEST(CutChoice, MeasuresTheGivenCutsAsPartitioningDoes) {
  int measured = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    mechanisms::LinkageOptions options;
    options.loops = 1 + static_cast<int>(seed % 4);
    options.tree.armature = seed % 2 == 0;
    const Model model = compiled(mechanisms::random_linkage(300 + seed, 3 + static_cast<int>(seed % 6), options));

    const CutChoice choice = choose_cuts(model, at_start_of(model));

    EXPECT_NEAR(choice.given, quality_of_tree(model), 1e-9) << seed;
    EXPECT_GE(choice.chosen, choice.given) << seed;
    ++measured;
  }
  EXPECT_EQ(measured, 40);
}

/// The rocker of the four-bar without mass, and the loop cut at its end: the tree has a motion that moves no inertia.
ModelSpec cut_beside_a_massless_body() {
  ModelSpec spec = mechanisms::four_bar();
  for (BodySpec& body : spec.bodies) {
    if (body.name != spec.loops[0].predecessor) continue;
    body.mass = 0.0;
    body.inertia.setZero();
  }
  return spec;
}

TEST(CutChoice, LeavesACutBesideABodyWithoutMass) {
  const ModelSpec spec = cut_beside_a_massless_body();
  const Model model = compiled(spec);

  const CutChoice choice = choose_cuts(model, at_start_of(model));

  EXPECT_EQ(choice.given, 0.0);
  EXPECT_GT(choice.chosen, 0.01);
  ASSERT_EQ(choice.cuts.size(), 1u);
  ASSERT_GT(choice.cuts[0].joint, 0);
}

TEST(CutChoice, LeavesJointsThatCarryForcesInTheTree) {
  ModelSpec spec = cut_beside_a_massless_body();
  for (JointSpec& joint : spec.joints) {
    joint.coordinates.resize(1);
    joint.coordinates[0].damping = 0.1;
  }
  const Model model = compiled(spec);

  const CutChoice choice = choose_cuts(model, at_start_of(model));

  EXPECT_EQ(choice.cuts[0], (CutJoint{-1, 0}));
  EXPECT_EQ(choice.chosen, choice.given);
}

}  // namespace
}  // namespace kinloop
