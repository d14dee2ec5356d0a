// Builds random trees with joints of all types.
#include <string>
#include <vector>

#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/mechanisms.hpp"

namespace kinloop::mechanisms {
namespace {

std::string random_tree_body_name(int i) { return i == 0 ? kGround : "body" + std::to_string(i); }

/// A rigid body that could exist: its inertia comes from positive second moments of mass.
BodySpec random_body(int i, Random& random) {
  BodySpec body;
  body.name = random_tree_body_name(i);
  body.mass = random.uniform(0.5, 2.0);
  body.com = random.vector(0.3);
  const double xx = random.uniform(0.01, 0.1);
  const double yy = random.uniform(0.01, 0.1);
  const double zz = random.uniform(0.01, 0.1);
  const Matrix3 R = random.rotation();
  const Vector3 principal = body.mass * Vector3(yy + zz, xx + zz, xx + yy);
  const Matrix3 inertia = R * principal.asDiagonal() * R.transpose();
  body.inertia = 0.5 * (inertia + inertia.transpose());
  return body;
}

/// Radius 0.5 m with two harmonics too small to bring it near zero.
FunctionSpec random_tree_random_profile(Random& random) {
  FunctionSpec profile;
  profile.polynomial = {0.5};
  for (int k = 0; k < 2; ++k) {
    const double c = random.uniform(-0.08, 0.08);
    profile.harmonics.push_back({c, random.uniform(-0.08, 0.08)});
  }
  return profile;
}

/// A slow swing about a random place.
FunctionSpec random_motion(Random& random) {
  FunctionSpec motion;
  motion.polynomial = {random.uniform(-0.5, 0.5), random.uniform(-0.2, 0.2)};
  motion.frequency_rad = random.uniform(1.0, 4.0);
  const double c = random.uniform(-0.3, 0.3);
  motion.harmonics = {{c, random.uniform(-0.3, 0.3)}};
  return motion;
}

CoordinateSpec random_coordinate(bool is_scalar, const TreeOptions& options, Random& random) {
  CoordinateSpec c;
  if (options.joint_forces && random.happens(0.7)) {
    if (is_scalar) c.stiffness = random.uniform(1.0, 20.0);
    if (is_scalar) c.rest = random.uniform(-0.5, 0.5);
    c.damping = random.uniform(0.0, 1.0);
    c.dry_friction = random.happens(0.3) ? random.uniform(0.1, 0.5) : 0.0;
    c.friction_speed = 0.5;
  }
  if (options.armature && random.happens(0.7)) {
    c.rotor_inertia = random.uniform(1e-5, 1e-4);
    c.gear_ratio = random.uniform(10.0, 100.0);
  }
  if (options.driven && is_scalar && random.happens(0.3)) c.motion = random_motion(random);
  return c;
}

JointSpec random_joint(int i, JointType type, int parent, const TreeOptions& options, Random& random) {
  const JointKind& kind = joint_kind(type);
  JointSpec joint;
  joint.name = "joint" + std::to_string(i);
  joint.type = type;
  joint.predecessor = random_tree_body_name(parent);
  joint.successor = random_tree_body_name(i);
  joint.frame_pred = random.pose(0.5);
  joint.frame_succ = random.pose(0.3);
  if (type == JointType::kScrew) joint.pitch = random.uniform(-0.2, 0.2);
  if (type == JointType::kCam) joint.profile = random_tree_random_profile(random);
  for (int c = 0; c < kind.nv; ++c) {
    joint.coordinates.push_back(random_coordinate(kind.quaternion < 0 || c < kind.quaternion, options, random));
    joint.initial_u.push_back(random.uniform(-1.0, 1.0));
  }
  for (int c = 0; c < kind.nq; ++c) joint.initial_q.push_back(random.uniform(-1.0, 1.0));
  if (kind.quaternion >= 0) {
    const Eigen::Vector4d quaternion = random.unit_quaternion();
    for (int c = 0; c < 4; ++c) joint.initial_q[static_cast<std::size_t>(kind.quaternion + c)] = quaternion[c];
  }
  return joint;
}

/// Two different bodies of 0 ... n, the ground included.
struct BodyPair {
  int a, b;
};
BodyPair random_pair(int n, Random& random) {
  const int a = random.below(n + 1);
  return {a, (a + 1 + random.below(n)) % (n + 1)};
}

void add_random_springs(int n, Random& random, ModelSpec& spec) {
  for (int i = 0; i < n / 2 + 1; ++i) {
    const BodyPair pair = random_pair(n, random);
    SpringSpec spring;
    spring.name = "spring" + std::to_string(i);
    spring.body_a = random_tree_body_name(pair.a);
    spring.body_b = random_tree_body_name(pair.b);
    spring.point_a = random.vector(0.5);
    spring.point_b = random.vector(0.5);
    spring.stiffness = random.uniform(5.0, 50.0);
    spring.rest_length = random.uniform(0.1, 1.0);
    spring.damping = random.uniform(0.0, 2.0);
    spring.force = random.happens(0.3) ? random.uniform(-1.0, 1.0) : 0.0;
    spec.springs.push_back(spring);
  }
}

/// Frame A anywhere on a, frame B where that is in the initial state, but for a small deflection.
void add_random_bushings(int n, Random& random, ModelSpec& spec) {
  const Model model = compiled(spec);
  const State state(model);
  Workspace ws(model);
  update_kinematics(model, state, ws);
  const auto pose_of = [&](int i) {
    const int k = model.find_body(random_tree_body_name(i));
    const BodyMotion& m = ws.motion[static_cast<std::size_t>(k)];
    return Pose{m.R.eigen(), m.x.eigen()} * model.body_frame(k);
  };
  for (int i = 0; i < n / 4 + 1; ++i) {
    const BodyPair pair = random_pair(n, random);
    BushingSpec bushing;
    bushing.name = "bushing" + std::to_string(i);
    bushing.body_a = random_tree_body_name(pair.a);
    bushing.body_b = random_tree_body_name(pair.b);
    bushing.frame_a = random.pose(0.3);
    const Vector3 half = random.vector(0.1);
    const Matrix3 turn =
        Matrix3::Identity() + 2.0 / (1.0 + half.squaredNorm()) * (skew(half) + skew(half) * skew(half));
    bushing.frame_b = inverse(pose_of(pair.b)) * pose_of(pair.a) * bushing.frame_a * Pose{turn, random.vector(0.05)};
    for (int c = 0; c < 3; ++c) {
      bushing.stiffness[c] = random.uniform(20.0, 100.0);
      bushing.damping[c] = random.uniform(0.0, 2.0);
      bushing.rotational_stiffness[c] = random.uniform(2.0, 10.0);
      bushing.rotational_damping[c] = random.uniform(0.0, 0.5);
    }
    spec.bushings.push_back(bushing);
  }
}

}  // namespace

TreeOptions tree_options_in_turn(int i) {
  TreeOptions options;
  options.joint_forces = (i & 1) != 0;
  options.armature = (i & 2) != 0;
  options.driven = (i & 4) != 0;
  options.springs = (i & 8) != 0;
  return options;
}

ModelSpec random_tree(std::uint64_t seed, int n, const TreeOptions& options) {
  Random random(seed);
  ModelSpec spec;
  spec.name = "random_tree" + std::to_string(n) + "_" + std::to_string(seed);
  std::vector<JointType> types;
  for (const JointKind& kind : joint_kinds()) types.push_back(kind.type);
  for (int i = 1; i <= n; ++i) {
    const std::size_t turn = static_cast<std::size_t>(i - 1) % types.size();
    if (turn == 0) random.shuffle(types);
    // Half of the bodies prolong the last branch: long chains and wide trees both occur.
    const int parent = options.chain || random.happens(0.5) ? i - 1 : random.below(i);
    spec.bodies.push_back(random_body(i, random));
    spec.joints.push_back(random_joint(i, types[turn], parent, options, random));
  }
  if (options.shuffled) random.shuffle(spec.joints);
  if (options.springs) add_random_springs(n, random, spec);
  if (options.bushings) add_random_bushings(n, random, spec);
  return spec;
}

}  // namespace kinloop::mechanisms
