// Draws stiff elements for the random trees and linkages.
#include "tests/support/stiff_mechanism.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <string>
#include <vector>

#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop::mechanisms {
namespace {

double power_of_ten(Random& random, double from, double to) { return std::pow(10.0, random.uniform(from, to)); }

void add_stiff_coordinates(JointSpec& joint, Random& random) {
  const JointKind& kind = joint_kind(joint.type);
  for (int i = 0; i < kind.nv; ++i) {
    CoordinateSpec& c = joint.coordinates[static_cast<std::size_t>(i)];
    const bool is_scalar = kind.quaternion < 0 || i < kind.quaternion;
    if (random.happens(0.3)) c.damping = power_of_ten(random, 0.0, 8.0);
    if (random.happens(0.2)) {
      c.dry_friction = power_of_ten(random, -1.0, 4.0);
      c.friction_speed = power_of_ten(random, -5.0, -1.0);
    }
    if (!is_scalar) continue;
    const double q = joint.initial_q[static_cast<std::size_t>(i)];
    if (random.happens(0.3)) {
      c.stiffness = power_of_ten(random, 2.0, 12.0);
      c.rest = q;
    }
    if (random.happens(0.3)) {
      LimitSpec limit;
      limit.lower = q - random.uniform(1e-4, 0.3);
      limit.upper = q + random.uniform(1e-4, 0.3);
      if (random.happens(0.7)) {
        limit.stiffness = power_of_ten(random, 2.0, 12.0);
        limit.damping = random.happens(0.5) ? power_of_ten(random, 0.0, 6.0) : 0.0;
      }
      c.limit = limit;
    }
  }
}

struct Ends {
  std::string a, b;
};

/// Of two bodies that may be connected.
Ends random_ends(const ModelSpec& spec, bool far, Random& random) {
  if (!far) {
    const JointSpec& joint = spec.joints[static_cast<std::size_t>(random.below(static_cast<int>(spec.joints.size())))];
    return {joint.predecessor, joint.successor};
  }
  const int count = static_cast<int>(spec.bodies.size());
  const int a = random.below(count + 1);
  const int b = (a + 1 + random.below(count)) % (count + 1);
  const auto name = [&](int i) { return i == 0 ? kGround : spec.bodies[static_cast<std::size_t>(i - 1)].name; };
  return {name(a), name(b)};
}

void add_stiff_elements(ModelSpec& spec, bool far_elements, Random& random) {
  const Model model = compiled(spec);
  const State state(model);
  Workspace ws(model);
  update_kinematics(model, state, ws);
  const auto pose_of = [&](const std::string& name) {
    const int k = model.find_body(name);
    const BodyMotion& m = ws.motion[static_cast<std::size_t>(k)];
    return Pose{m.R.eigen(), m.x.eigen()} * model.body_frame(k);
  };
  const int count = 1 + random.below(static_cast<int>(spec.bodies.size()));
  for (int i = 0; i < count; ++i) {
    const Ends ends = random_ends(spec, far_elements && random.happens(0.5), random);
    const Vector3 point_a = random.vector(0.5);
    const Vector3 point_b = random.vector(0.5);
    const Pose X_a = pose_of(ends.a);
    const Pose X_b = pose_of(ends.b);
    const double length = (X_b.p + X_b.R * point_b - X_a.p - X_a.R * point_a).norm();
    const double stiffness = power_of_ten(random, 2.0, 12.0);
    const std::string name = "stiff" + std::to_string(i);
    const int kind = random.below(3);
    if (kind == 0) {
      spec.springs.push_back({name, ends.a, ends.b, point_a, point_b, stiffness, length,
                              random.happens(0.5) ? power_of_ten(random, 0.0, 8.0) : 0.0, 0.0});
    } else if (kind == 1) {
      RopeSpec rope;
      rope.name = name;
      rope.body_a = ends.a;
      rope.body_b = ends.b;
      rope.point_a = point_a;
      rope.point_b = point_b;
      rope.length = length;
      rope.stiffness = stiffness;
      rope.dissipation = random.uniform(0.0, 1.0);
      spec.ropes.push_back(rope);
    } else {
      BushingSpec bushing;
      bushing.name = name;
      bushing.body_a = ends.a;
      bushing.body_b = ends.b;
      bushing.frame_a = random.pose(0.3);
      bushing.frame_b = inverse(X_b) * X_a * bushing.frame_a;
      for (int c = 0; c < 3; ++c) {
        bushing.stiffness[c] = power_of_ten(random, 2.0, 12.0);
        bushing.rotational_stiffness[c] = power_of_ten(random, 2.0, 10.0);
        if (random.happens(0.5)) bushing.damping[c] = power_of_ten(random, 0.0, 8.0);
        if (random.happens(0.5)) bushing.rotational_damping[c] = power_of_ten(random, 0.0, 6.0);
      }
      spec.bushings.push_back(bushing);
    }
  }
}

/// What stood on the ground stands on a body of its own.
void put_on_a_hull(ModelSpec& spec, Random& random) {
  const std::string name = "hull";
  const auto move = [&](std::string& body) {
    if (body == kGround) body = name;
  };
  for (std::vector<JointSpec>* joints : {&spec.joints, &spec.loops}) {
    for (JointSpec& joint : *joints) {
      move(joint.predecessor);
      move(joint.successor);
    }
  }
  const auto move_ends = [&](auto& elements) {
    for (auto& element : elements) {
      move(element.body_a);
      move(element.body_b);
    }
  };
  move_ends(spec.springs);
  move_ends(spec.bushings);
  move_ends(spec.ropes);
  BodySpec hull;
  hull.name = name;
  hull.mass = random.uniform(2.0, 20.0);
  hull.inertia = (hull.mass * Vector3(0.1, 0.13, 0.17)).asDiagonal();
  spec.bodies.push_back(hull);
  JointSpec joint;
  joint.name = "float";
  joint.type = JointType::kFree;
  joint.predecessor = kGround;
  joint.successor = name;
  joint.initial_q = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
  const double spin_rad_s = random.happens(0.5) ? power_of_ten(random, 0.0, 2.0) : 0.0;
  for (int i = 0; i < 6; ++i) joint.initial_u.push_back((i < 3 ? 1.0 : spin_rad_s) * random.uniform(-1.0, 1.0));
  spec.joints.push_back(joint);
}

void add_floor(ModelSpec& spec, Random& random) {
  PlaneSpec floor;
  floor.name = "floor";
  floor.frame.p = Vector3(0.0, 0.0, -random.uniform(0.5, 2.5));
  const double slope = random.happens(0.3) ? random.uniform(0.0, 1.0) : 0.0;
  floor.frame.R = Eigen::AngleAxisd(slope, Vector3::UnitY()).toRotationMatrix();
  floor.stiffness = power_of_ten(random, 3.0, 9.0);
  floor.dissipation = random.uniform(0.0, 1.0);
  floor.friction = random.uniform(0.0, 1.0);
  floor.friction_speed = power_of_ten(random, -3.0, -1.0);
  spec.planes.push_back(floor);
  for (const BodySpec& body : spec.bodies) {
    ContactSpec shape;
    shape.name = "shape_of_" + body.name;
    shape.body = body.name;
    if (random.happens(0.5)) {
      shape.shape = ContactShape::kBox;
      shape.size = Vector3(0.2, 0.3, 0.1);
    } else {
      shape.size = Vector3(0.1, 0.0, 0.0);
    }
    spec.contacts.push_back(shape);
  }
}

}  // namespace

ModelSpec stiff_mechanism(std::uint64_t seed, const StiffOptions& options) {
  Random random(seed);
  const int bodies = (options.loops ? 2 : 1) + random.below(options.max_bodies);
  LinkageOptions linkage;
  linkage.loops = 1 + random.below(2);
  ModelSpec spec = options.loops ? random_linkage(seed, bodies, linkage) : random_tree(seed, bodies);
  for (JointSpec& joint : spec.joints) add_stiff_coordinates(joint, random);
  add_stiff_elements(spec, options.far_elements, random);
  if (options.floats) put_on_a_hull(spec, random);
  if (options.touches) add_floor(spec, random);
  spec.name = "stiff" + std::to_string(seed);
  return spec;
}

}  // namespace kinloop::mechanisms
