// All formulations of trees against each other and against inverse dynamics, on random mechanisms.
#include <gtest/gtest.h>

#include <string>

#include "core/dynamics/forward_dynamics.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/relative_difference.hpp"

namespace kinloop {
namespace {

constexpr int kTrees = 300;
constexpr int kLargestTree = 60;
// Conditioning of trees of 60 bodies costs up to six of sixteen digits; typical differences are 1e-13.
constexpr double kAgreement = 1e-9;

/// The options take turns, so that all combinations occur many times.
ModelSpec tree_number(int i) {
  mechanisms::TreeOptions options = mechanisms::tree_options_in_turn(i);
  options.bushings = (i & 16) != 0;
  options.shuffled = (i & 32) != 0;
  options.chain = i % 7 == 0;
  return mechanisms::random_tree(static_cast<std::uint64_t>(1000 + i), 1 + i % kLargestTree, options);
}

TEST(Formulations, AgreeOnRandomTrees) {
  int compared = 0;
  for (int i = 0; i < kTrees; ++i) {
    const Model model = mechanisms::compiled(tree_number(i));
    Random random(static_cast<std::uint64_t>(i));
    State state(model);
    mechanisms::randomize(model, random, state);
    const Loads loads = mechanisms::random_loads(model, random);
    Workspace ws(model);
    const auto reference = make_dynamics("semi_recursive_1", model);
    ASSERT_TRUE(reference);
    ASSERT_EQ(accelerations(model, state, loads, **reference, ws), StepStatus::kOk);
    const VectorX expected = ws.vdot;

    for (const DynamicsKind& kind : dynamics_kinds()) {
      if (!kind.refusal(model).empty()) continue;
      const auto dynamics = kind.make(model);
      ASSERT_EQ(accelerations(model, state, loads, *dynamics, ws), StepStatus::kOk) << kind.name << " tree " << i;
      EXPECT_LT(relative_difference(ws.vdot, expected), kAgreement) << kind.name << " tree " << i;
      ++compared;
    }
  }
  EXPECT_GE(compared, 4 * kTrees);  // trees have bodies with inertia, so nothing may refuse them
}

TEST(Formulations, AreUndoneByInverseDynamics) {
  for (int i = 0; i < kTrees; ++i) {
    const Model model = mechanisms::compiled(tree_number(i));
    Random random(static_cast<std::uint64_t>(7000 + i));
    State state(model);
    mechanisms::randomize(model, random, state);
    const Loads loads = mechanisms::random_loads(model, random);
    for (const DynamicsKind& kind : dynamics_kinds()) {
      if (!kind.refusal(model).empty()) continue;
      Workspace ws(model);
      const auto dynamics = kind.make(model);
      ASSERT_EQ(accelerations(model, state, loads, *dynamics, ws), StepStatus::kOk);

      std::vector<SpatialVector> wrench(static_cast<std::size_t>(model.body_count()));
      VectorX tau = VectorX::Zero(model.nv());
      joint_reactions(model, ws, {}, wrench);
      generalized_forces(model, ws, wrench, tau);

      double largest_wrench = 1.0;  // tau is a component of these, so their rounding is its error
      for (const SpatialVector& w : wrench) largest_wrench = std::max(largest_wrench, w.angular.eigen().norm());
      for (int s = 0; s < model.nv(); ++s) {
        if (model.coordinate(s).motion >= 0) continue;  // a driven speed's force is a result, not given
        EXPECT_NEAR(tau[s], ws.tau[s], 1e-10 * largest_wrench) << kind.name << " tree " << i;
      }
    }
  }
}

TEST(Formulations, GiveTheBodiesTheAccelerationsOfTheirSpeeds) {
  const Model model = mechanisms::compiled(tree_number(38));
  Random random(3);
  State state(model);
  mechanisms::randomize(model, random, state);
  const Loads loads = mechanisms::random_loads(model, random);
  for (const DynamicsKind& kind : dynamics_kinds()) {
    if (!kind.refusal(model).empty()) continue;
    Workspace ws(model);
    const auto dynamics = kind.make(model);
    ASSERT_EQ(accelerations(model, state, loads, *dynamics, ws), StepStatus::kOk);
    const std::vector<SpatialVector> own = ws.A;

    update_body_accelerations(model, ws);

    for (std::size_t k = 0; k < own.size(); ++k) {
      const double scale = 1.0 + ws.A[k].linear.eigen().norm() + ws.A[k].angular.eigen().norm();
      EXPECT_LT((own[k].angular - ws.A[k].angular).eigen().norm(), 1e-9 * scale) << kind.name;
      EXPECT_LT((own[k].linear - ws.A[k].linear).eigen().norm(), 1e-9 * scale) << kind.name;
    }
  }
}

TEST(Formulations, DoNotAllocate) {
  const Model model = mechanisms::compiled(tree_number(63));
  State state(model);
  const Loads loads(model);
  for (const DynamicsKind& kind : dynamics_kinds()) {
    if (!kind.refusal(model).empty()) continue;
    Workspace ws(model);
    const auto dynamics = kind.make(model);

    const AllocationCount allocations;
    const StepStatus status = accelerations(model, state, loads, *dynamics, ws);

    EXPECT_EQ(status, StepStatus::kOk);
    EXPECT_EQ(allocations.value(), 0) << kind.name;
  }
}

TEST(Formulations, GiveTheSameBitsFromAUsedAndAFreshWorkspace) {
  const Model model = mechanisms::compiled(tree_number(55));
  Random random(9);
  State first(model);
  State second(model);
  mechanisms::randomize(model, random, first);
  mechanisms::randomize(model, random, second);
  const Loads loads = mechanisms::random_loads(model, random);
  for (const DynamicsKind& kind : dynamics_kinds()) {
    if (!kind.refusal(model).empty()) continue;
    Workspace used(model);
    const auto used_dynamics = kind.make(model);
    ASSERT_EQ(accelerations(model, first, loads, *used_dynamics, used), StepStatus::kOk);
    ASSERT_EQ(accelerations(model, second, loads, *used_dynamics, used), StepStatus::kOk);

    Workspace fresh(model);
    const auto fresh_dynamics = kind.make(model);
    ASSERT_EQ(accelerations(model, second, loads, *fresh_dynamics, fresh), StepStatus::kOk);

    EXPECT_TRUE((used.vdot.array() == fresh.vdot.array()).all()) << kind.name;
  }
}

TEST(Formulations, LoseNoAccuracyTenKilometresFromTheOrigin) {
  ModelSpec near = mechanisms::random_tree(77, 20);
  ModelSpec far = near;
  const Vector3 distance(6.0e3, -7.0e3, 4.0e3);
  for (JointSpec& joint : far.joints) {
    if (joint.predecessor == kGround) joint.frame_pred.p += distance;
  }
  const Model near_model = mechanisms::compiled(near);
  const Model far_model = mechanisms::compiled(far);
  const State near_state(near_model);
  const State far_state(far_model);
  const Loads loads(near_model);
  for (const DynamicsKind& kind : dynamics_kinds()) {
    if (!kind.refusal(near_model).empty()) continue;
    Workspace near_ws(near_model);
    Workspace far_ws(far_model);

    ASSERT_EQ(accelerations(near_model, near_state, loads, *kind.make(near_model), near_ws), StepStatus::kOk);
    ASSERT_EQ(accelerations(far_model, far_state, loads, *kind.make(far_model), far_ws), StepStatus::kOk);

    EXPECT_LT(relative_difference(far_ws.vdot, near_ws.vdot), 1e-12) << kind.name;
  }
}

TEST(Formulations, ReportAFreedomThatMovesNoInertia) {
  ModelSpec spec = mechanisms::pendulum();
  spec.bodies[0].inertia.setZero();  // a point mass on the axis of its joint
  spec.bodies[0].com.setZero();
  spec.joints[0].frame_succ.p.setZero();
  const Model model = mechanisms::compiled(spec);
  const State state(model);
  const Loads loads(model);
  for (const char* name : {"semi_recursive_1", "semi_recursive_2", "rfda"}) {
    Workspace ws(model);
    const auto dynamics = make_dynamics(name, model);
    ASSERT_TRUE(dynamics);

    EXPECT_EQ(accelerations(model, state, loads, **dynamics, ws), StepStatus::kSingularMass) << name;
  }
}

TEST(MakeDynamics, NamesTheKnownFormulationsWhenAskedForAnother) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());

  const auto made = make_dynamics("newton", model);

  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().where, "newton");
  EXPECT_NE(made.error().what.find("semi_recursive_2"), std::string::npos);
}

TEST(MakeDynamics, TakesTheArticulatedRecursionForATreeWhenLeftToChoose) {
  const Model model = mechanisms::compiled(mechanisms::double_pendulum());

  const auto made = make_dynamics("auto", model);

  ASSERT_TRUE(made);
  EXPECT_EQ((*made)->name(), "rfda");
}

}  // namespace
}  // namespace kinloop
