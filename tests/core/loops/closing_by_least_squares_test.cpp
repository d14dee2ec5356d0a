// Tests that loops are closed by least squares over all rows where rows depend on each other: what is left open is
// compared with a dense solution, for errors that no motion takes away.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/QR>
#include <array>
#include <cmath>

#include "core/constraints/constraints.hpp"
#include "core/constraints/row_measure.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

constexpr double kTwistA_rad = 0.5, kTwistB_rad = 1.1;

/// Along x of a link, from one hinge to the next, which is turned about x.
Pose along_link(double length_m, double twist_rad) {
  Pose X;
  X.R = Eigen::AngleAxisd(twist_rad, Vector3::UnitX()).toRotationMatrix();
  X.p = Vector3(length_m, 0.0, 0.0);
  return X;
}

/// Four hinges, opposite links alike, lengths as the sines of their twists (Bennett, 1903): five rows, of which two
/// count.
ModelSpec bennett() {
  const double a = 1.0;
  const double b = a * std::sin(kTwistB_rad) / std::sin(kTwistA_rad);
  const double theta = 1.2;
  const double ratio = std::sin(0.5 * (kTwistA_rad + kTwistB_rad)) / std::sin(0.5 * (kTwistB_rad - kTwistA_rad));
  const double phi = 2.0 * std::atan(ratio / std::tan(0.5 * theta));
  const std::array<double, 4> angle{theta, phi, -theta, -phi};
  ModelSpec spec;
  spec.name = "bennett";
  std::string last{kGround};
  Pose place;
  for (std::size_t i = 0; i < angle.size(); ++i) {
    const double length = i % 2 == 0 ? a : b;
    const Pose link = along_link(length, i % 2 == 0 ? kTwistA_rad : kTwistB_rad);
    JointSpec joint;
    joint.name = "hinge" + std::to_string(i);
    joint.type = JointType::kRevolute;
    joint.predecessor = last;
    joint.frame_pred = place;
    place = link;
    if (i == 3) {  // the ground is the last link
      joint.successor = kGround;
      joint.frame_succ.R = link.R.transpose();
      joint.frame_succ.p = -(link.R.transpose() * link.p);
      spec.loops.push_back(joint);
      continue;
    }
    BodySpec body;
    body.name = "link" + std::to_string(i);
    body.mass = length;
    body.com = Vector3(0.5 * length, 0.0, 0.0);
    body.inertia = Vector3(0.01, 0.1, 0.1).asDiagonal();
    spec.bodies.push_back(body);
    joint.successor = last = body.name;
    joint.initial_q = {angle[i]};
    spec.joints.push_back(joint);
  }
  return spec;
}

/// A parallelogram with bars between its two, which it does not need: two rows each, of which one counts.
ModelSpec barred_parallelogram(int bars) {
  ModelSpec spec = mechanisms::n_four_bar(1, 1.1, 0.0);
  spec.name = "barred_parallelogram";
  for (int i = 1; i <= bars; ++i) {
    const double x = static_cast<double>(i) / (bars + 1);
    BodySpec bar = spec.bodies[0];
    JointSpec foot = spec.joints[0];
    bar.name = "between" + std::to_string(i);
    foot.name = "foot" + std::to_string(i);
    foot.frame_pred.p = Vector3(x, 0.0, 0.0);
    foot.successor = bar.name;
    JointSpec head = foot;
    head.name = "head" + std::to_string(i);
    head.predecessor = bar.name;
    head.frame_pred.p = Vector3(1.0, 0.0, 0.0);
    head.successor = spec.bodies[1].name;
    head.frame_succ.p = Vector3(x, 0.0, 0.0);
    head.initial_q.clear();
    head.initial_u.clear();
    spec.bodies.push_back(bar);
    spec.joints.push_back(foot);
    spec.loops.push_back(head);
  }
  return spec;
}

/// What a correction of every loop by another motion leaves open, over all rows: by the formulation, and the least.
struct LeftOpen {
  double left = 0.0, least = 0.0;
};

LeftOpen left_open(const Model& model, Dynamics& dynamics, std::uint64_t seed) {
  Workspace ws(model);
  EXPECT_EQ(accelerations(model, State(model), Loads(model), dynamics, ws), StepStatus::kOk) << dynamics.name();
  Random random(seed);
  const auto any_vector = [&] {
    return Vec3{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
  };
  ConstraintTarget wanted(model);
  for (SpatialVector& motion : wanted.loop) {
    motion.angular = any_vector();
    motion.linear = any_vector();
  }
  VectorX step = VectorX::Zero(model.nv());

  dynamics.project(wanted, step);

  MatrixX C(constraint_rows(model), model.nv());
  constraint_matrix(model, ws, C);
  VectorX values = VectorX::Zero(C.rows());
  constraint_values(model, ws, wanted, values);
  const RowMeasure measure(model);
  C = measure.scale.asDiagonal() * C;
  values.array() *= measure.scale.array();
  Eigen::CompleteOrthogonalDecomposition<MatrixX> dense;
  dense.setThreshold(1e-9);
  dense.compute(C);
  EXPECT_EQ(dense.rank(), model.generic_rank().all);
  return {(C * step - values).norm(), (C * dense.solve(values) - values).norm()};
}

void expect_least_open(const ModelSpec& spec, const char* name, double tolerance) {
  const Model model = mechanisms::compiled(spec);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto dynamics = std::move(make_bare_dynamics(name, model)).value();

    const LeftOpen open = left_open(model, *dynamics, seed);

    EXPECT_GT(open.least, 0.01) << spec.name;
    EXPECT_NEAR(open.left, open.least, tolerance * open.least) << spec.name << ' ' << name;
  }
}

TEST(ClosingByLeastSquares, LeavesTheLeastOpenOfOverconstrainedLinkages) {
  for (const char* name : {"rcr", "semi_recursive_2", "partition"}) {
    expect_least_open(bennett(), name, 1e-9);
    expect_least_open(mechanisms::config("bricard"), name, 1e-9);
  }
  for (const char* name : {"semi_recursive_2", "partition"}) {
    for (const int bars : {1, 4}) expect_least_open(barred_parallelogram(bars), name, 1e-9);
  }
}

// `rcr` opens these loops at other joints than the file, and shares between the rows of those. With one row only of
// two that contradict each other left open it would be 1.4 times the least.
TEST(ClosingByLeastSquares, LeavesLittleMoreOpenWhereLoopsAreOpenedElsewhere) {
  for (const int bars : {1, 4}) expect_least_open(barred_parallelogram(bars), "rcr", 0.01);
}

}  // namespace
}  // namespace kinloop
