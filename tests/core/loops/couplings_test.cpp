// Tests couplings between joints: gears with and without a drive, and gears that repeat what a loop already enforces.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/analysis/reactions.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/topology/loop_graph.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/relative_difference.hpp"

namespace kinloop {
namespace {

/// Two pendulums side by side, the second geared to turn -2 times as far as the first.
ModelSpec geared_pendulums() {
  ModelSpec spec = mechanisms::pendulum();
  spec.bodies.push_back(spec.bodies[0]);
  spec.bodies[1].name = "other";
  spec.joints.push_back(spec.joints[0]);
  spec.joints[1].name = "to_other";
  spec.joints[1].successor = "other";
  spec.joints[1].initial_q = {-2.0};
  spec.couplings.push_back({"gear", "to_other", spec.joints[0].name, -2.0, 0.0});
  return spec;
}

TEST(Coupling, AddsTheGearedInertiaAndTorque) {
  const Model model = mechanisms::compiled(geared_pendulums());
  const State state(model);
  for (const DynamicsKind& kind : dynamics_kinds()) {
    if (!kind.refusal(model).empty()) continue;
    Workspace ws(model);

    ASSERT_EQ(accelerations(model, state, Loads(model), *kind.make(model), ws), StepStatus::kOk);

    // Rods of 1 kg and 1 m: J q'' = -m g l / 2 (sin q1 - 2 sin q2) with J = (1 + 4) m l^2 / 3.
    const double torque = -0.5 * 9.81 * (std::sin(1.0) - 2.0 * std::sin(-2.0));
    EXPECT_NEAR(ws.vdot[0], torque / (5.0 / 3.0), 1e-12) << kind.name;
    EXPECT_NEAR(ws.vdot[1], -2.0 * ws.vdot[0], 1e-12) << kind.name;
  }
}

TEST(Coupling, CarriesTheAccelerationOfADrivenJoint) {
  ModelSpec spec = geared_pendulums();
  spec.joints[0].coordinates.resize(1);
  spec.joints[0].coordinates[0].motion = FunctionSpec{{1.0, 0.5, 1.5}, 1.0, {}, {}, {}, 0.0};  // q'' = 3 rad/s^2
  const Model model = mechanisms::compiled(spec);
  const State state(model);
  for (const DynamicsKind& kind : dynamics_kinds()) {
    if (!kind.refusal(model).empty()) continue;
    Workspace ws(model);

    ASSERT_EQ(accelerations(model, state, Loads(model), *kind.make(model), ws), StepStatus::kOk);

    EXPECT_DOUBLE_EQ(ws.vdot[0], 3.0) << kind.name;
    EXPECT_NEAR(ws.vdot[1], -6.0, 1e-12) << kind.name;
    for (const ReactionScheme scheme :
         {ReactionScheme::kInverseInertia, ReactionScheme::kSelfChecking, ReactionScheme::kLeastSquares}) {
      const Reactions reactions = find_reactions(model, ws, scheme);
      // m l^2 / 3 q'' + m g l / 2 sin q at q = -2.
      EXPECT_NEAR(reactions.couplings[0], -6.0 / 3.0 + 0.5 * 9.81 * std::sin(-2.0), 1e-12) << kind.name;
    }
  }
}

TEST(Coupling, ThatRepeatsWhatALoopEnforcesChangesNothing) {
  ModelSpec spec = mechanisms::n_four_bar(1, 1.2, 0.7);
  const Model alone = mechanisms::compiled(spec);
  Workspace expected(alone);
  ASSERT_EQ(accelerations(alone, State(alone), Loads(alone), **make_dynamics("semi_recursive_1", alone), expected),
            StepStatus::kOk);
  spec.couplings.push_back({"gear", "C1", "B1", -1.0, 0.0});  // a parallelogram turns its pins like this anyway
  const Model model = mechanisms::compiled(spec);
  for (const DynamicsKind& kind : dynamics_kinds()) {
    if (!kind.refusal(model).empty()) continue;
    Workspace ws(model);

    ASSERT_EQ(accelerations(model, State(model), Loads(model), *kind.make(model), ws), StepStatus::kOk);

    EXPECT_LT((ws.vdot - expected.vdot).norm(), 1e-12 * expected.vdot.norm()) << kind.name;
  }
}

TEST(Coupling, GivenTwiceCountsOnce) {
  ModelSpec spec = geared_pendulums();
  spec.couplings.push_back({"again", spec.joints[0].name, "to_other", -0.5, 0.0});
  const Model model = mechanisms::compiled(spec);
  for (const DynamicsKind& kind : dynamics_kinds()) {
    if (!kind.refusal(model).empty()) continue;
    Workspace ws(model);

    ASSERT_EQ(accelerations(model, State(model), Loads(model), *kind.make(model), ws), StepStatus::kOk);

    const double torque = -0.5 * 9.81 * (std::sin(1.0) - 2.0 * std::sin(-2.0));
    EXPECT_NEAR(ws.vdot[0], torque / (5.0 / 3.0), 1e-12) << kind.name;
  }
}

/// Whether some coupled joint closes a loop in the tree that `rcr` grows.
bool couples_a_closing(const Model& model) {
  const LoopGraph graph(model);
  return std::any_of(graph.closings.begin(), graph.closings.end(), [&](const GraphClosing& closing) {
    const GraphEdge& edge = graph.edges[closing.edge];
    return std::any_of(model.couplings().begin(), model.couplings().end(), [&](const Coupling& coupling) {
      const auto is_own = [&](int speed) {
        return edge.slots > 0 && speed >= graph.slot_speed[edge.first_slot] &&
               speed < graph.slot_speed[edge.first_slot] + edge.slots && graph.slot_speed[edge.first_slot] >= 0;
      };
      return is_own(coupling.v_dependent) || is_own(coupling.v_of);
    });
  });
}

TEST(Coupling, OfAJointThatClosesALoopIsKeptByReduction) {
  int seen = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    mechanisms::LinkageOptions options;
    options.loops = 1 + static_cast<int>(seed % 3);
    options.couplings = 2;
    const Model model = mechanisms::compiled(mechanisms::random_linkage(seed, 6, options));
    if (!couples_a_closing(model)) continue;
    const State state(model);
    Workspace ws(model), reference(model);

    ASSERT_EQ(accelerations(model, state, Loads(model), **make_bare_dynamics("rcr", model), ws), StepStatus::kOk)
        << seed;
    ASSERT_EQ(accelerations(model, state, Loads(model), **make_bare_dynamics("semi_recursive_2", model), reference),
              StepStatus::kOk)
        << seed;

    EXPECT_LT(relative_difference(ws.vdot, reference.vdot), 1e-8) << seed;
    ++seen;
  }
  EXPECT_GT(seen, 5);
}

// One of them spans the chain and stays a multiplier; the others are rows of segments.
TEST(Coupling, IsKeptByReductionBesideOneThatIsNoRowOfASegment) {
  ModelSpec spec = mechanisms::chain(60);
  const auto gear = [&](std::size_t i, std::size_t of) {
    spec.couplings.push_back({"gear" + std::to_string(i) + "_" + std::to_string(of), spec.joints[i].name,
                              spec.joints[of].name, -2.0,
                              spec.joints[i].initial_q[0] + 2.0 * spec.joints[of].initial_q[0]});
  };
  for (std::size_t i = 1; i < 60; i += 6) gear(i, i - 1);
  gear(58, 2);
  const Model model = mechanisms::compiled(spec);
  const State state(model);
  Workspace ws(model), reference(model);
  const auto rcr = std::move(make_bare_dynamics("rcr", model)).value();

  ASSERT_EQ(accelerations(model, state, Loads(model), *rcr, ws), StepStatus::kOk);
  ASSERT_EQ(accelerations(model, state, Loads(model), **make_bare_dynamics("semi_recursive_2", model), reference),
            StepStatus::kOk);

  EXPECT_LT(relative_difference(ws.vdot, reference.vdot), 1e-8);
  EXPECT_FALSE(rcr->is_singular());
}

}  // namespace
}  // namespace kinloop
