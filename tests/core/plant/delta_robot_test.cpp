// Tests delta robots of random dimensions with stiff and light drives, with the defaults of rigs: they move as with far
// shorter steps, or are warned of.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/plants.hpp"
#include "tests/support/random.hpp"

namespace kinloop {
namespace {

double loguniform(Random& random, double from, double to) {
  return std::exp(random.uniform(std::log(from), std::log(to)));
}

Matrix3 columns(const Vector3& x, const Vector3& y, const Vector3& z) {
  Matrix3 R;
  R << x, y, z;
  return R;
}

/// A thin rod from the body's origin along an axis.
BodySpec rod_along(const std::string& name, double mass, double length, const Vector3& axis) {
  BodySpec body;
  body.name = name;
  body.mass = mass;
  body.com = 0.5 * length * axis;
  body.inertia = mass * length * length / 12.0 * (Matrix3::Identity() - 0.99 * axis * axis.transpose());
  return body;
}

JointSpec between(const std::string& name, JointType type, const std::string& predecessor, const std::string& successor,
                  const Pose& a, const Pose& b) {
  JointSpec joint;
  joint.name = name;
  joint.type = type;
  joint.predecessor = predecessor;
  joint.successor = successor;
  joint.frame_pred = a;
  joint.frame_succ = b;
  return joint;
}

/// Clavel's, of three arms: a driven hinge, a forearm between two universal joints whose axes are parallel to the hinge
/// and square to it. So the platform keeps its attitude.
ModelSpec delta_robot(Random& random) {
  const double base_m = random.uniform(0.1, 0.3), plate_m = random.uniform(0.03, 0.1);
  const double upper_m = random.uniform(0.2, 0.4), lower_m = random.uniform(0.6, 0.9);
  const double upper_kg = loguniform(random, 0.05, 2.0), lower_kg = loguniform(random, 0.02, 0.5);
  const Vector3 plate(random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), -random.uniform(0.55, 0.75));
  CoordinateSpec drive;
  drive.damping = loguniform(random, 1e-2, 1e5);
  if (random.happens(0.5)) drive.stiffness = loguniform(random, 1.0, 1e6);
  drive.rotor_inertia = loguniform(random, 1e-6, 1e-4);
  drive.gear_ratio = loguniform(random, 1.0, 50.0);
  const double turned_rad = random.uniform(-0.2, 0.2);

  ModelSpec spec;
  spec.name = "delta";
  BodySpec platform;
  platform.name = "platform";
  platform.mass = loguniform(random, 0.1, 3.0);
  platform.inertia = platform.mass * 0.3 * plate_m * plate_m * Matrix3::Identity();
  const Matrix3 hinge_to_cross = columns(Vector3::UnitZ(), Vector3::UnitX(), Vector3::UnitY());
  const Matrix3 swapped = columns(Vector3::UnitY(), Vector3::UnitX(), -Vector3::UnitZ());
  for (int i = 0; i < 3; ++i) {
    const double angle = 2.0 * std::numbers::pi / 3.0 * i;
    const Vector3 out(std::cos(angle), std::sin(angle), 0.0), along(-std::sin(angle), std::cos(angle), 0.0);
    const Matrix3 arm = columns(out, -Vector3::UnitZ(), along);  // hinges turn about z
    const Vector3 head = arm.transpose() * (plate + (plate_m - base_m) * out);
    // |head - knee| = lower_m, the knee outwards.
    const double far = (head.squaredNorm() + upper_m * upper_m - lower_m * lower_m) / (2.0 * upper_m);
    const double hinge = std::atan2(head.y(), head.x()) - std::acos(std::clamp(far / head.head<2>().norm(), -1.0, 1.0));
    const Matrix3 turned = Eigen::AngleAxisd(hinge, Vector3::UnitZ()).toRotationMatrix();
    const Vector3 knee = upper_m * turned.col(0);
    const Vector3 lower = (turned * hinge_to_cross).transpose() * (head - knee) / lower_m;
    const double q1 = std::asin(lower.x()), q0 = std::atan2(-lower.y(), lower.z());

    const std::string number = std::to_string(i);
    spec.bodies.push_back(rod_along("upper" + number, upper_kg, upper_m, Vector3::UnitX()));
    spec.bodies.push_back(rod_along("lower" + number, lower_kg, lower_m, Vector3::UnitZ()));
    JointSpec shoulder =
        between("hinge" + number, JointType::kRevolute, kGround, "upper" + number, {arm, base_m * out}, {});
    shoulder.initial_q = {hinge};
    drive.rest = hinge + turned_rad;
    shoulder.coordinates = {drive};
    JointSpec cross = between("knee" + number, JointType::kUniversal, "upper" + number, "lower" + number,
                              {hinge_to_cross, upper_m * Vector3::UnitX()}, {});
    cross.initial_q = {q0, q1};
    JointSpec wrist = between("wrist" + number, JointType::kUniversal, "lower" + number, "platform",
                              {swapped, lower_m * Vector3::UnitZ()}, {arm * hinge_to_cross * swapped, plate_m * out});
    spec.joints.push_back(shoulder);
    spec.joints.push_back(cross);
    if (i == 0) {
      wrist.initial_q = {-q1, -(hinge + q0)};
      spec.joints.push_back(wrist);
    } else {
      spec.loops.push_back(wrist);
    }
  }
  spec.bodies.push_back(platform);
  return spec;
}

constexpr double kDeltaFor_s = 0.2;
constexpr int kDeltaLooks = 20;

/// Where the platform is at the start and at each look; nothing where a step fails.
std::vector<Vector3> way_of(Plant& plant) {
  const Model& model = plant.model();
  State state = plant.initial_state();
  Workspace ws(model);
  const auto platform = static_cast<std::size_t>(model.find_body("platform"));
  const auto steps = std::llround(kDeltaFor_s / kDeltaLooks / plant.spec().dt_s);
  std::vector<Vector3> way;
  for (int look = 0; look <= kDeltaLooks; ++look) {
    for (long long i = 0; look > 0 && i < steps; ++i) {
      if (!is_done(plant.step({}, state))) return {};
    }
    update_kinematics(model, state, ws);
    way.push_back(ws.motion[platform].x.eigen());
  }
  return way;
}

// Springs that are hardly damped ring when they are let go, faster than steps of a millisecond follow: said in the
// reason of auto. All else, dampers of any strength and springs that do not ring, is followed.
TEST(DeltaRobot, DefaultsAreRightWithinAPercentOrItIsSaid) {
  int judged = 0, said = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Model model = mechanisms::compiled(delta_robot(random));
    PlantSpec spec;
    const auto plant = plants::made(model, spec);
    if (!plant->warnings().empty() || plant->integrator(0).reason.find("springs ring") != std::string::npos) {
      ++said;
      continue;
    }
    ++judged;
    PlantSpec fine = spec;
    fine.dt_s = spec.dt_s / 50.0;
    const std::vector<Vector3> exact = way_of(*plants::made(model, fine));
    ASSERT_FALSE(exact.empty()) << seed;

    const std::vector<Vector3> way = way_of(*plant);

    ASSERT_EQ(way.size(), exact.size()) << seed;
    double off_m = 0.0, gone_m = 0.0;
    for (std::size_t i = 0; i < way.size(); ++i) {
      off_m = std::max(off_m, (way[i] - exact[i]).norm());
      gone_m = std::max(gone_m, (exact[i] - exact[0]).norm());
    }
    EXPECT_LT(off_m, 0.01 * gone_m) << seed << ": " << plant->integrator(0).reason;
  }
  EXPECT_GT(judged, 30);
  EXPECT_GT(said, 5);
}

}  // namespace
}  // namespace kinloop
