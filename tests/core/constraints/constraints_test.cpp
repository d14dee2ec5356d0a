// Tests the constraints of loops against their own rates and against the counts of an independent solver.
#include "core/constraints/constraints.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "core/constraints/compile.hpp"
#include "core/constraints/constraint_rank.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop {
namespace {

// The stored states are closed to about 1e-15 m and rad.
constexpr double kClosed = 1e-12;

State state_of(const Model& model, const VectorCase& one) {
  State state(model);
  state.q() = Eigen::Map<const VectorX>(one.q.data(), model.nq());
  state.v() = Eigen::Map<const VectorX>(one.u.data(), model.nv());
  return state;
}

struct Evaluated {
  Evaluated(const Model& model, const State& state)
      : ws(model), C(constraint_rows(model), model.nv()), g(constraint_rows(model)) {
    update_kinematics(model, state, ws);
    update_loop_constraints(model, state, ws);
    constraint_matrix(model, ws, C);
    ConstraintTarget step(model);
    position_correction(model, ws, step);
    constraint_values(model, ws, step, g);
    g = -g;
    for (const LoopConstraint& constraint : ws.loop_constraint) {
      const SpatialVector gap = blocked_part(constraint, model.length_m(), constraint.error);
      largest_distance_m = std::max(largest_distance_m, gap.linear.eigen().norm());
      largest_angle_rad = std::max(largest_angle_rad, gap.angular.eigen().norm());
    }
  }
  Workspace ws;
  MatrixX C;
  VectorX g;
  double largest_distance_m = 0.0;
  double largest_angle_rad = 0.0;
};

class ConstraintsOf : public testing::TestWithParam<std::string> {};

TEST_P(ConstraintsOf, VanishAtClosedPositionsAndVelocities) {
  const LoadedModel loaded = test::load_vectors(GetParam());
  for (const VectorCase& one : loaded.cases) {
    const State state = state_of(loaded.model, one);

    const Evaluated at(loaded.model, state);

    const double speed = std::max(1.0, state.v().cwiseAbs().maxCoeff());
    EXPECT_LT(at.largest_distance_m, kClosed);
    EXPECT_LT(at.largest_angle_rad, kClosed);
    if (at.g.size() == 0) continue;
    EXPECT_LT(at.g.cwiseAbs().maxCoeff(), kClosed);
    EXPECT_LT((at.C * state.v()).cwiseAbs().maxCoeff(), 1e3 * kClosed * speed);
  }
}

// The vectors count over all joints; the joints of our tree hold by construction, 6 - dofs rows of full rank each.
TEST_P(ConstraintsOf, HaveTheRankAndMobilityOfTheIndependentSolver) {
  const LoadedModel loaded = test::load_vectors(GetParam());
  const Model& model = loaded.model;
  const int tree_rows = 6 * (model.body_count() - 1) - model.nv();
  for (const VectorCase& one : loaded.cases) {
    const Evaluated at(model, state_of(model, one));

    const ConstraintRank rank = constraint_rank(model, at.ws, RankOf::kAllSpeeds);

    EXPECT_EQ(constraint_rows(model) + tree_rows, one.expected.constraint_rows);
    EXPECT_EQ(rank.rank + tree_rows, one.expected.rank) << rank.smallest_kept << " " << rank.largest_dropped;
    EXPECT_EQ(model.nv() - rank.rank, one.expected.dof);
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, ConstraintsOf, testing::ValuesIn(test::vector_names()),
                         [](const auto& of) { return of.param; });

/// Moves along v for a short time; a quaternion turns by its last three speeds, to first order.
State moved(const Model& model, const State& from, double dt_s) {
  State to = from;
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    const JointKind& kind = joint_kind(body.joint);
    const int scalars = kind.quaternion >= 0 ? kind.quaternion : kind.nv;
    for (int i = 0; i < scalars; ++i) to.q()[body.q + i] += dt_s * from.v()[body.v + i];
    if (kind.quaternion < 0) continue;
    const Eigen::Vector4d h = from.q().segment<4>(body.q + kind.quaternion);
    const Vector3 w = from.v().segment<3>(body.v + kind.nv - 3);
    const Vector3 u = h.tail<3>();
    Eigen::Vector4d rate;
    rate << -u.dot(w), h[0] * w + u.cross(w);
    to.q().segment<4>(body.q + kind.quaternion) = (h + 0.5 * dt_s * rate).normalized();
  }
  return to;
}

TEST_P(ConstraintsOf, MatrixIsTheRateOfThePositionErrors) {
  const LoadedModel loaded = test::load_vectors(GetParam());
  const Model& model = loaded.model;
  if (!model.has_loops()) return;
  State state = state_of(model, loaded.cases[2]);
  for (int i = 0; i < model.nv(); ++i) state.v()[i] = 0.3 + 0.1 * ((7 * i) % 5);  // tears the loops open
  constexpr double kDt_s = 1e-5;

  const Evaluated at(model, state);
  const Evaluated before(model, moved(model, state, -kDt_s));
  const Evaluated after(model, moved(model, state, kDt_s));

  const VectorX rate = (after.g - before.g) / (2.0 * kDt_s);
  const VectorX expected = at.C * state.v();
  // A central difference errs by dt^2 times third derivatives, here below 1e3; rows follow the frames they turn with,
  // which at a closed position changes g by the second order only.
  EXPECT_LT((rate - expected).cwiseAbs().maxCoeff(), 1e-6 * std::max(1.0, expected.cwiseAbs().maxCoeff()));
}

TEST(Constraints, EvaluationDoesNotAllocate) {
  const LoadedModel loaded = test::load_vectors("stewart");
  const State state = state_of(loaded.model, loaded.cases[0]);
  Evaluated at(loaded.model, state);

  const AllocationCount allocations;
  update_loop_constraints(loaded.model, state, at.ws);
  constraint_matrix(loaded.model, at.ws, at.C);

  EXPECT_EQ(allocations.value(), 0);
}

TEST(Constraints, KeepTheirAccuracyFarFromTheOrigin) {
  LoadedModel near = test::load_vectors("gcl_planar");
  ModelSpec spec = near.model.spec();
  const Vector3 far(5000.0, -3000.0, 0.0);
  for (auto* list : {&spec.joints, &spec.loops}) {
    for (JointSpec& joint : *list) {
      if (joint.predecessor == kGround) joint.frame_pred.p += far;
      if (joint.successor == kGround) joint.frame_succ.p += far;
    }
  }
  const auto model = compile(spec);
  ASSERT_TRUE(model);
  const State state = state_of(*model, near.cases[0]);

  const Evaluated at(*model, state);

  // The file's own numbers carry 5000 m to 1e-12 m.
  EXPECT_LT(at.largest_distance_m, 1e-11);
  EXPECT_EQ(constraint_rank(*model, at.ws, RankOf::kAllSpeeds).rank, model->nv() - near.cases[0].expected.dof);
}

TEST(Constraints, ACouplingIsOneRow) {
  ModelSpec spec = test::load_vectors("double_pendulum").model.spec();
  spec.couplings.push_back({"gear", spec.joints[1].name, spec.joints[0].name, -2.0, 0.5});
  const auto model = compile(spec);
  ASSERT_TRUE(model);
  State state(*model);

  const Evaluated at(*model, state);

  EXPECT_EQ(constraint_rows(*model), 1);
  EXPECT_EQ(at.C, (MatrixX(1, 2) << 2.0, 1.0).finished());
  EXPECT_DOUBLE_EQ(at.g[0], state.q()[1] + 2.0 * state.q()[0] - 0.5);
  EXPECT_EQ(constraint_rank(*model, at.ws, RankOf::kAllSpeeds).rank, 1);
}

TEST(Constraints, AHeldDriveTakesFreedomsFromTheRank) {
  ModelSpec spec = test::load_vectors("fourbar").model.spec();
  for (JointSpec& joint : spec.joints) joint.coordinates.clear();
  spec.joints[0].coordinates = {CoordinateSpec{}};
  spec.joints[0].coordinates[0].motion = FunctionSpec{{spec.joints[0].initial_q[0]}, 1.0, {}, {}, {}, 0.0};
  const auto model = compile(spec);
  ASSERT_TRUE(model);

  const Evaluated at(*model, State(*model));

  EXPECT_EQ(constraint_rank(*model, at.ws, RankOf::kAllSpeeds).rank, 2);
  EXPECT_EQ(constraint_rank(*model, at.ws, RankOf::kFreeSpeeds).rank, 2);
}

}  // namespace
}  // namespace kinloop
