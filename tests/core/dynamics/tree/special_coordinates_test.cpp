// Tests the special coordinates of paper 004 against the recursion, the energy and the joints' reactions.
#include "tests/support/special_coordinates.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/dynamics/energy.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/mechanisms.hpp"

namespace kinloop {
namespace {

// A tree of 20 bodies multiplies 20 matrices of condition about 1e2: rounding stays well below.
constexpr double kSpecialCoordinatesTolerance = 1.0e-10;

enum class Extras { kNone, kRotors, kRotorsAndDrives };

/// A tree of all joint types under loads, accelerated by rfda.
struct Case {
  Case(std::uint64_t seed, Extras extras) : Case(spec(seed, extras), seed) {}
  Case(const ModelSpec& model_spec, std::uint64_t seed)
      : model(mechanisms::compiled(model_spec)), state(model), loads(model), ws(model) {
    Random random(seed);
    mechanisms::randomize(model, random, state);
    loads = mechanisms::random_loads(model, random);
    EXPECT_EQ(accelerations(model, state, loads, **make_dynamics("rfda", model), ws), StepStatus::kOk);
    coordinates = special_coordinates(model, state.v().data(), ws);
  }

  static ModelSpec spec(std::uint64_t seed, Extras extras) {
    mechanisms::TreeOptions options;
    options.joint_forces = options.shuffled = true;
    options.armature = extras != Extras::kNone;
    options.driven = extras == Extras::kRotorsAndDrives;
    return mechanisms::random_tree(seed, 20, options);
  }

  const SpecialNode& node(int k) const { return coordinates.nodes[static_cast<std::size_t>(k)]; }

  Model model;
  State state;
  Loads loads;
  Workspace ws;
  SpecialCoordinates coordinates;
};

TEST(SpecialCoordinates, FreePartIsUnconstrainedAndOrthogonalToTheRest) {
  const Case c(1, Extras::kRotorsAndDrives);

  for (int k = 1; k < c.model.body_count(); ++k) {
    const SpecialNode& node = c.node(k);
    const double scale = node.Mh.norm();
    EXPECT_LT((node.G * node.H).norm(), kSpecialCoordinatesTolerance) << "condition 1, body " << k;
    EXPECT_LT((node.H.transpose() * node.Mh * node.E_tilde).norm(), kSpecialCoordinatesTolerance * scale)
        << "condition 2, body " << k;
    const auto identity = MatrixX::Identity(node.G.rows(), node.G.rows());
    EXPECT_LT((node.G * node.E_tilde - identity).norm(), kSpecialCoordinatesTolerance) << "(71), body " << k;
  }
}

TEST(SpecialCoordinates, MassMatrixIsBlockDiagonal) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Case c(seed, Extras::kRotorsAndDrives);

    const MatrixX mass = special_mass_matrix(c.model, c.coordinates);

    MatrixX blocks = MatrixX::Zero(mass.rows(), mass.cols());
    for (const SpecialNode& node : c.coordinates.nodes) {
      blocks.block(node.first, node.first, node.mass_f.rows(), node.mass_f.cols()) = node.mass_f;
    }
    const VectorX scale = mass.diagonal().cwiseSqrt().cwiseInverse();
    const MatrixX difference = scale.asDiagonal() * (mass - blocks) * scale.asDiagonal();
    EXPECT_LT(difference.cwiseAbs().maxCoeff(), kSpecialCoordinatesTolerance) << "seed " << seed;
  }
}

TEST(SpecialCoordinates, ConstrainedPartsOfTheChildrenMakeTheArticulatedInertia) {
  const Case c(2, Extras::kNone);

  std::vector<Matrix6> sum(c.coordinates.nodes.size(), Matrix6::Zero());
  for (int k = 1; k < c.model.body_count(); ++k) {
    const SpecialNode& node = c.node(k);
    EXPECT_LT((node.E_tilde * node.S - node.carried).norm(), kSpecialCoordinatesTolerance * node.B.norm());
    sum[static_cast<std::size_t>(c.model.body(k).parent)] += node.S.transpose() * node.mass_c * node.S;
  }

  for (int k = 1; k < c.model.body_count(); ++k) {
    const Matrix6 added = c.node(k).Mh - c.node(k).M;
    EXPECT_LT((added - sum[static_cast<std::size_t>(k)]).norm(), kSpecialCoordinatesTolerance * c.node(k).Mh.norm())
        << "body " << k;
  }
}

TEST(SpecialCoordinates, CarriedChildrenAndTheirRotorsMakeTheArticulatedInertia) {
  const Case c(3, Extras::kRotorsAndDrives);

  std::vector<Matrix6> sum(c.coordinates.nodes.size(), Matrix6::Zero());
  for (int k = 1; k < c.model.body_count(); ++k) {
    const SpecialNode& node = c.node(k);
    Matrix6& parent = sum[static_cast<std::size_t>(c.model.body(k).parent)];
    parent += node.carried.transpose() * node.Mh * node.carried;
    parent += node.c.transpose() * node.rotors.asDiagonal() * node.c;
  }

  for (int k = 1; k < c.model.body_count(); ++k) {
    const Matrix6 added = c.node(k).Mh - c.node(k).M;
    EXPECT_LT((added - sum[static_cast<std::size_t>(k)]).norm(), kSpecialCoordinatesTolerance * c.node(k).Mh.norm())
        << "body " << k;
  }
}

TEST(SpecialCoordinates, DescribeTheVelocitiesOfAllBodiesAndJoints) {
  const Case c(4, Extras::kRotors);

  const VectorX speeds = special_speeds(c.coordinates);
  const VectorX velocities = special_transformation(c.model, c.coordinates) * speeds;

  for (int k = 1; k < c.model.body_count(); ++k) {
    const Vector6& velocity = c.node(k).velocity;
    EXPECT_LT((velocities.segment<6>(6 * (k - 1)) - velocity).norm(),
              kSpecialCoordinatesTolerance * (1.0 + velocity.norm()));
  }
  const VectorX joint_speeds = special_joint_speeds(c.model, c.coordinates) * speeds;
  EXPECT_LT((joint_speeds - c.state.v()).norm(), kSpecialCoordinatesTolerance * c.state.v().norm());
}

TEST(SpecialCoordinates, CarryDrivenSpeedsAsGivenVelocities) {
  const Case c(5, Extras::kRotorsAndDrives);

  for (int k = 1; k < c.model.body_count(); ++k) {
    const SpecialNode& node = c.node(k);
    const Vector6 velocity =
        node.carried * c.node(c.model.body(k).parent).velocity + node.H * node.speed + node.carried_0;
    EXPECT_LT((velocity - node.velocity).norm(), kSpecialCoordinatesTolerance * (1.0 + node.velocity.norm()))
        << "body " << k;
  }
}

TEST(SpecialCoordinates, KineticEnergyIsASumOverTheBlocks) {
  for (const Extras extras : {Extras::kNone, Extras::kRotors}) {
    const Case c(6, extras);

    double kinetic_J = 0.0;
    for (const SpecialNode& node : c.coordinates.nodes) kinetic_J += 0.5 * node.speed.dot(node.mass_f * node.speed);

    const double expected_J = energy(c.model, c.state.q().data(), c.state.v().data(), c.ws).kinetic_J;
    EXPECT_NEAR(kinetic_J, expected_J, kSpecialCoordinatesTolerance * expected_J);
  }
}

TEST(SpecialCoordinates, AccelerationsOfRfdaSatisfyTheCompleteEquations) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Case c(seed, Extras::kRotorsAndDrives);
    std::vector<SpatialVector> reaction(c.coordinates.nodes.size());
    joint_reactions(c.model, c.ws, {}, reaction);

    const SpecialEquations equations = special_equations(c.model, c.coordinates, c.ws);

    const double force_scale = 1.0 + c.node(1).fh.norm();
    EXPECT_LT(equations.left_out.cwiseAbs().maxCoeff(), kSpecialCoordinatesTolerance * force_scale) << "seed " << seed;
    for (int k = 1; k < c.model.body_count(); ++k) {
      const SpatialVector& wrench = reaction[static_cast<std::size_t>(k)];
      const Vector6& found = equations.recursion[static_cast<std::size_t>(k)];
      const double difference =
          (found.head<3>() - wrench.angular.eigen()).norm() + (found.tail<3>() - wrench.linear.eigen()).norm();
      EXPECT_LT(difference, kSpecialCoordinatesTolerance * force_scale) << "seed " << seed << ", body " << k;
    }
  }
}

TEST(SpecialCoordinates, LeftOutEquationsAloneGiveAllAccelerations) {
  const Case c(7, Extras::kRotorsAndDrives);

  VectorX accelerations(c.coordinates.count);
  for (int k = 1; k < c.model.body_count(); ++k) {
    const SpecialNode& node = c.node(k);
    if (node.speeds.empty()) continue;
    accelerations.segment(node.first, node.speed.size()) = dense::solve_symmetric(node.mass_f, node.force_f);
  }
  VectorX vdot = special_joint_speeds(c.model, c.coordinates) * accelerations;
  for (const int i : c.model.driven_speeds()) vdot[i] = c.ws.prescribed[i];

  EXPECT_LT((vdot - c.ws.vdot).norm(), kSpecialCoordinatesTolerance * c.ws.vdot.norm());
}

TEST(SpecialCoordinates, LeftOutEquationsHoldInThePapersOwnForm) {
  // (46), (54): mass_f y~_f ddot = tau + H^T (fh_paper - Mh (E~' y~_c' + H' y~_f')), with derivatives by differences
  // along the motion; fh_paper = fh + Mh A_t goes with the whole acceleration. Error of the differences: dt^2 and
  // rounding / dt, both about 1e-10 times the rates of the motion.
  constexpr double kDt_s = 1.0e-5;
  constexpr double kDifferenceTolerance = 1.0e-7;
  const Case c(mechanisms::chain(6), 8);
  const auto moved = [&](double dt_s) {
    State state = c.state;
    state.q() += dt_s * c.state.v() + 0.5 * dt_s * dt_s * c.ws.vdot;  // revolute joints: q' = v
    state.v() += dt_s * c.ws.vdot;
    Workspace ws(c.model);
    update_kinematics(c.model, state, ws);
    add_forces(c.model, state.q().data(), state.v().data(), c.loads, ws);
    return special_coordinates(c.model, state.v().data(), ws);
  };
  const SpecialCoordinates after = moved(kDt_s);
  const SpecialCoordinates before = moved(-kDt_s);

  for (int k = 1; k < c.model.body_count(); ++k) {
    const SpecialNode& node = c.node(k);
    const SpecialNode& next = after.nodes[static_cast<std::size_t>(k)];
    const SpecialNode& last = before.nodes[static_cast<std::size_t>(k)];
    const VectorX acceleration = (next.speed - last.speed) / (2.0 * kDt_s);
    const Vector6 parent_velocity = c.node(c.model.body(k).parent).velocity;
    const Vector6 bias =
        ((next.carried - last.carried) * parent_velocity + (next.H - last.H) * node.speed) / (2.0 * kDt_s);
    const BodyMotion& motion = c.ws.motion[static_cast<std::size_t>(k)];
    Vector6 A_t;
    A_t.head<3>() = motion.al.eigen();
    A_t.tail<3>() = motion.a.eigen() + c.model.gravity();
    const VectorX right = node.force_f + node.H.transpose() * node.Mh * (A_t - bias);

    const VectorX left = node.mass_f * acceleration;

    EXPECT_LT((left - right).norm(), kDifferenceTolerance * (1.0 + right.norm())) << "body " << k;
  }
}

}  // namespace
}  // namespace kinloop
