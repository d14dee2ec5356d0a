// Tests single closing joints of every type: their errors, the rates of these, and how far they can be trusted.
#include "core/kinematics/loop_constraints.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/constraints/constraints.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

std::array<double, 7> random_coordinates(const JointKind& kind, Random& random) {
  std::array<double, 7> q{};
  for (int i = 0; i < kind.nq; ++i) q[static_cast<std::size_t>(i)] = random.uniform(-1.5, 1.5);
  if (kind.quaternion >= 0) {
    const Eigen::Vector4d quaternion = random.unit_quaternion();
    for (int i = 0; i < 4; ++i) q[static_cast<std::size_t>(kind.quaternion + i)] = quaternion[i];
  }
  return q;
}

/// A free body whose frame B a loop joint of the given type holds to the ground, closed at given coordinates of it.
struct Held {
  Held(const JointKind& kind, const std::array<double, 7>& q, Random& random)
      : model(mechanisms::compiled(spec(kind, q, random))), state(model), ws(model) {
    for (double& v : state.v()) v = random.uniform(-1.0, 1.0);
    evaluate();
  }

  static ModelSpec spec(const JointKind& kind, const std::array<double, 7>& q, Random& random) {
    ModelSpec spec = mechanisms::free_body();
    Eigen::Map<Eigen::Vector4d>(spec.joints[0].initial_q.data() + 3) = random.unit_quaternion();
    JointSpec loop;
    loop.name = "loop";
    loop.type = kind.type;
    loop.predecessor = kGround;
    loop.successor = "brick";
    JointParameters parameters;
    if (kind.type == JointType::kScrew) parameters.pitch = loop.pitch = 0.17;
    if (kind.type == JointType::kCam) {
      loop.profile = FunctionSpec{{0.5}, 1.0, {{0.05, 0.08}}, {}, {}, 0.0};
      parameters.profile = std::move(ScalarFunction::make(*loop.profile, "profile")).value();
    }
    const std::array<double, 6> at_rest{};
    JointMotion motion;
    kind.evaluate(parameters, q.data(), at_rest.data(), motion);
    const Model alone = mechanisms::compiled(spec);
    Workspace ws(alone);
    update_kinematics(alone, State(alone), ws);
    const Pose X_WS = Pose{ws.motion[1].R.eigen(), ws.motion[1].x.eigen()} * alone.body_frame(1);
    loop.frame_succ = random.pose(0.4);
    loop.frame_pred = X_WS * loop.frame_succ * inverse(Pose{motion.R.eigen(), motion.p.eigen()});
    spec.loops = {loop};
    return spec;
  }

  void evaluate() {
    update_kinematics(model, state, ws);
    update_loop_constraints(model, state, ws);
  }

  Model model;
  State state;
  Workspace ws;
};

/// The blocked parts of error and rate, row by row.
VectorX along_rows(const LoopConstraint& constraint, const SpatialVector& motion) {
  VectorX values(constraint.rows());
  for (int i = 0; i < values.size(); ++i) values[i] = dot(constraint.G(i), motion);
  return values;
}

class LoopConstraintOf : public ::testing::TestWithParam<JointKind> {};

TEST_P(LoopConstraintOf, HasNoErrorWhereTheJointAllowsThePose) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    const Held held(GetParam(), random_coordinates(GetParam(), random), random);

    EXPECT_LT(closure_error(held.ws), 1e-14);
  }
}

TEST_P(LoopConstraintOf, FindsTheJointsCoordinates) {
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    const std::array<double, 7> q = random_coordinates(GetParam(), random);
    const Held held(GetParam(), q, random);

    const std::array<double, 7> found = closing_coordinates(held.model.loops()[0], held.ws);

    double sign = 1.0;  // a quaternion and its negative are the same rotation
    if (GetParam().quaternion >= 0 &&
        found[static_cast<std::size_t>(GetParam().quaternion)] * q[static_cast<std::size_t>(GetParam().quaternion)] <
            0.0) {
      sign = -1.0;
    }
    for (int c = 0; c < GetParam().nq; ++c) {
      const auto k = static_cast<std::size_t>(c);
      const bool turned = GetParam().quaternion >= 0 && c >= GetParam().quaternion;
      EXPECT_NEAR(found[k], (turned ? sign : 1.0) * q[k], 1e-12);
    }
  }
}

TEST_P(LoopConstraintOf, RateIsTheDerivativeOfTheError) {
  Random random(3);
  constexpr double kDt_s = 1e-5;
  for (int i = 0; i < 50; ++i) {
    Held held(GetParam(), random_coordinates(GetParam(), random), random);
    const LoopConstraint constraint = held.ws.loop_constraint[0];
    const VectorX q = held.state.q();
    const auto error_at = [&](double dt_s) {
      const VectorX step = dt_s * held.state.v();
      advance_configuration(held.model, q.data(), step.data(), held.state.q().data());
      held.evaluate();
      return along_rows(constraint, held.ws.loop_constraint[0].error);  // rows of the closed position
    };

    const VectorX rate = (error_at(kDt_s) - error_at(-kDt_s)) / (2.0 * kDt_s);

    // Along free directions the error is not zero, but these are blocked out by the rows.
    EXPECT_LT((rate - along_rows(constraint, constraint.rate)).norm(), 1e-8);
  }
}

TEST_P(LoopConstraintOf, BiasIsTheDerivativeOfTheRateWhereTheLoopMoves) {
  Random random(4);
  constexpr double kDt_s = 1e-5;
  for (int i = 0; i < 50; ++i) {
    ModelSpec spec = Held::spec(GetParam(), random_coordinates(GetParam(), random), random);
    spec.joints[0].initial_u = {1.0, -0.5, 0.7, 0.4, -0.8, 0.6};
    mechanisms::close_velocities(spec);
    const Model model = mechanisms::compiled(spec);
    const State start(model);
    Workspace ws(model);
    ASSERT_EQ(accelerations(model, start, Loads(model), **make_dynamics("semi_recursive_1", model), ws),
              StepStatus::kOk);
    const VectorX vdot = ws.vdot;
    // Along the motion that obeys the bias, velocities stay closed to second order in time.
    const auto rate_at = [&](double dt_s) {
      const VectorX v = start.v() + dt_s * vdot;
      const VectorX step = dt_s * (start.v() + 0.5 * dt_s * vdot);
      VectorX q(model.nq());
      advance_configuration(model, start.q().data(), step.data(), q.data());
      update_kinematics(model, q.data(), v.data(), 0.0, ws);
      update_loop_constraints(model, q.data(), v.data(), 0.0, ws);
      return closure_rate(ws);
    };

    EXPECT_LT(rate_at(kDt_s) / kDt_s, 1e-3 * (1.0 + vdot.norm()));
    EXPECT_LT(rate_at(-kDt_s) / kDt_s, 1e-3 * (1.0 + vdot.norm()));
  }
}

TEST_P(LoopConstraintOf, ErrorsAndRatesAloneAreThoseOfTheWholeEvaluation) {
  Random random(6);
  for (int i = 0; i < 50; ++i) {
    const Held held(GetParam(), random_coordinates(GetParam(), random), random);
    Workspace parts(held.model);

    update_positions(held.model, held.state.q().data(), parts);
    update_loop_constraint_errors(held.model, held.state.q().data(), 0.0, parts);
    update_velocities(held.model, held.state.v().data(), parts);
    update_loop_constraint_rates(held.model, held.state.v().data(), parts);

    const LoopConstraint& expected = held.ws.loop_constraint[0];
    const LoopConstraint& found = parts.loop_constraint[0];
    EXPECT_LT((along_rows(found, found.error) - along_rows(expected, expected.error)).norm(), 1e-14);
    EXPECT_LT((along_rows(found, found.rate) - along_rows(expected, expected.rate)).norm(), 1e-14);
    EXPECT_LT((found.rate.linear - expected.rate.linear).eigen().norm(), 1e-14);
    EXPECT_LT((found.rate.angular - expected.rate.angular).eigen().norm(), 1e-14);
  }
}

TEST_P(LoopConstraintOf, SeesEveryDisplacementThatIsBlocked) {
  Random random(5);
  for (int i = 0; i < 50; ++i) {
    Held held(GetParam(), random_coordinates(GetParam(), random), random);
    if (held.ws.loop_constraint[0].rows() == 0) return;
    const VectorX q = held.state.q();
    MatrixX C(constraint_rows(held.model), held.model.nv());
    constraint_matrix(held.model, held.ws, C);
    VectorX step(held.model.nv());
    for (double& x : step) x = random.uniform(-0.1, 0.1);

    advance_configuration(held.model, q.data(), step.data(), held.state.q().data());
    held.evaluate();

    const double expected = (C * step).lpNorm<Eigen::Infinity>();
    const double size = step.norm();
    EXPECT_NEAR(closure_error(held.ws), expected, 30.0 * size * size);
    if (expected > 0.01) {
      EXPECT_GT(closure_error(held.ws), 1e-4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LoopConstraintOf, ::testing::ValuesIn(joint_kinds().begin(), joint_kinds().end()),
                         [](const auto& test) { return std::string(test.param.name); });

// A hinge put together the wrong way round is open by half a turn.
TEST(LoopConstraint, SeesAnAxisThatPointsBackwards) {
  for (const JointType type :
       {JointType::kRevolute, JointType::kCylindrical, JointType::kPlanar, JointType::kPinSlot, JointType::kScrew,
        JointType::kPrismatic, JointType::kFixed, JointType::kUniversal, JointType::kCam}) {
    ModelSpec spec = mechanisms::free_body();
    spec.joints[0].initial_q = {0, 0, 0, 1, 0, 0, 0};
    JointSpec loop;
    loop.name = "loop";
    loop.type = type;
    loop.predecessor = kGround;
    loop.successor = "brick";
    loop.frame_succ.R = Vector3(-1.0, 1.0, -1.0).asDiagonal();  // half a turn about y
    if (type == JointType::kUniversal) loop.frame_succ.R = Vector3(-1.0, -1.0, 1.0).asDiagonal();
    if (type == JointType::kCam) loop.profile = FunctionSpec{{0.5}, 1.0, {}, {}, {}, 0.0};
    if (type == JointType::kCam) loop.frame_succ.p = Vector3(0.5, 0.0, 0.0);
    spec.loops = {loop};
    const Model model = mechanisms::compiled(spec);
    const State state(model);
    Workspace ws(model);

    update_kinematics(model, state, ws);
    update_loop_constraints(model, state, ws);

    if (type == JointType::kUniversal) {
      EXPECT_LT(closure_error(ws), 1e-14) << "both axes of a universal joint turned by half is allowed";
    } else {
      EXPECT_GT(closure_error(ws), 1.0) << joint_kind(type).name;
    }
  }
}

}  // namespace
}  // namespace kinloop
