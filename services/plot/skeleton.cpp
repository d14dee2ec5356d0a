// Joints, loop joints, spring and rope ends are the points of a body; its centre of mass where it has no others.
#include "services/plot/skeleton.hpp"

#include <cmath>
#include <numbers>

#include "core/kinematics/forward_kinematics.hpp"

namespace kinloop::plot {
namespace {

constexpr int kCirclePoints = 24;
constexpr int kProfilePoints = 120;

class Maker {
 public:
  explicit Maker(const Model& model) : model_(model) { figure_.sticks.resize(count(model.body_count())); }

  Skeleton make(const std::vector<BodyPoint>& marked) {
    tree_joints();
    loop_joints();
    springs();
    for (const BodyPoint& point : marked) add_point(point.body, point.point);
    centres();
    shapes();
    return std::move(figure_);
  }

 private:
  static std::size_t count(int n) { return static_cast<std::size_t>(n); }

  void add_point(int body, const Vector3& point) {
    if (body > 0) figure_.sticks[count(body)].push_back(point);
  }

  static std::vector<Vector3> profile_of(JointType type, const JointParameters& parameters) {
    std::vector<Vector3> points;
    for (int i = 0; type == JointType::kCam && i < kProfilePoints; ++i) {
      const double phi = 2.0 * std::numbers::pi * i / kProfilePoints;
      const double radius = parameters.profile(phi).f;
      points.emplace_back(radius * std::cos(phi), radius * std::sin(phi), 0.0);
    }
    return points;
  }

  void add_joint(SkeletonJoint joint) {
    if (joint.type != JointType::kFree) {  // touches neither body anywhere
      add_point(joint.predecessor, joint.X_PA.p);
      add_point(joint.successor, joint.X_SB.p);
    }
    figure_.joints.push_back(std::move(joint));
  }

  void tree_joints() {
    for (int k = 1; k < model_.body_count(); ++k) {
      const BodyConstants& body = model_.body(k);
      add_joint({body.joint,
                 body.parent,
                 k,
                 {body.R_PA.eigen(), body.p_PA.eigen()},
                 {},
                 false,
                 profile_of(body.joint, model_.joint_parameters(k))});
    }
  }

  void loop_joints() {
    for (const LoopJoint& loop : model_.loops()) {
      add_joint({loop.type, loop.predecessor, loop.successor, Pose{loop.R_PA.eigen(), loop.p_PA.eigen()},
                 Pose{loop.R_SB.eigen(), loop.p_SB.eigen()}, true, profile_of(loop.type, loop.parameters)});
    }
  }

  void springs() {
    for (const PointSpring& spring : model_.springs()) {
      add_point(spring.body_a, spring.point_a.eigen());
      add_point(spring.body_b, spring.point_b.eigen());
      figure_.springs.push_back(
          {spring.body_a, spring.body_b, spring.point_a.eigen(), spring.point_b.eigen(), spring.stiffness != 0.0});
    }
    for (const Rope& rope : model_.ropes()) {
      add_point(rope.body_a, rope.point_a.eigen());
      add_point(rope.body_b, rope.point_b.eigen());
      figure_.ropes.push_back({rope.body_a, rope.body_b, rope.point_a.eigen(), rope.point_b.eigen()});
    }
    for (const Bushing& bushing : model_.bushings()) {
      add_point(bushing.body_a, bushing.X_A.p);
      add_point(bushing.body_b, bushing.X_B.p);
      figure_.bushings.push_back({bushing.body_a, bushing.X_A.p});
    }
  }

  /// Needed where nothing else would show the body: no second point, or no joint that holds it.
  void centres() {
    for (int k = 1; k < model_.body_count(); ++k) {
      const BodyConstants& body = model_.body(k);
      const std::vector<Vector3>& points = figure_.sticks[count(k)];
      double extent = 0.0;
      for (const Vector3& p : points) extent = std::max(extent, (p - points.front()).norm());
      if (extent > 0.0 || body.mass <= 0.0) continue;
      const Vector3 centre = body.first_moment.eigen() / body.mass;
      figure_.mass_points.push_back({k, centre});
      add_point(k, centre);
    }
  }

  void shapes() {
    for (const BodySpec& spec : model_.spec().bodies) {
      const int k = model_.find_body(spec.name);
      if (k < 0) continue;
      for (const ShapeSpec& shape : spec.shapes) add_shape(k, shape);
    }
    for (const ShapeSpec& shape : model_.spec().scenery) add_shape(0, shape);
  }

  void add_shape(int k, const ShapeSpec& shape) {
    SkeletonShape result;
    result.body = k;
    result.colour = shape.colour;
    const Pose pose = model_.body_frame(k) * shape.pose;
    const auto add = [&](double x, double y, double z) {
      result.points.emplace_back(pose.p + pose.R * Vector3(x, y, z));
    };
    const double half_length = 0.5 * shape.size[1];
    switch (shape.kind) {
      case ShapeKind::kBox:
        for (const double x : {-0.5, 0.5}) {
          for (const double y : {-0.5, 0.5}) {
            for (const double z : {-0.5, 0.5}) add(x * shape.size[0], y * shape.size[1], z * shape.size[2]);
          }
        }
        break;
      case ShapeKind::kCylinder:
        for (int i = 0; i < kCirclePoints; ++i) {
          const double angle = 2.0 * std::numbers::pi * i / kCirclePoints;
          for (const double z : {-half_length, half_length}) {
            add(shape.size[0] * std::cos(angle), shape.size[0] * std::sin(angle), z);
          }
        }
        break;
      case ShapeKind::kCapsule:
        add(0.0, 0.0, -half_length);
        add(0.0, 0.0, half_length);
        result.radius = shape.size[0];
        break;
      case ShapeKind::kSphere:
        add(0.0, 0.0, 0.0);
        result.radius = shape.size[0];
        break;
    }
    figure_.shapes.push_back(std::move(result));
  }

  const Model& model_;
  Skeleton figure_;
};

Posture posture_of(const Workspace& ws) {
  Posture posture;
  posture.reserve(ws.motion.size());
  for (const BodyMotion& body : ws.motion) posture.push_back({body.R.eigen(), body.x.eigen()});
  return posture;
}

}  // namespace

Skeleton make_skeleton(const Model& model, const std::vector<BodyPoint>& marked) { return Maker(model).make(marked); }

Posture posture_at(const Model& model, VectorX q, Workspace& ws) {
  require(q.size() == model.nq(), "q has nq entries");
  if (!q.allFinite()) return {};
  for (const int k : model.quaternion_bodies()) {
    auto quaternion = q.segment<4>(model.body(k).q + joint_kind(model.body(k).joint).quaternion);
    const double norm = quaternion.norm();
    if (!(norm > 0.0)) return {};
    quaternion /= norm;
  }
  const VectorX v = VectorX::Zero(model.nv());
  update_kinematics(model, q.data(), v.data(), 0.0, ws);
  return posture_of(ws);
}

Posture initial_posture(const Model& model, Workspace& ws) {
  VectorX q = model.initial_q();
  VectorX v = model.initial_v();
  apply_prescribed_motion(model, 0.0, q.data(), v.data());
  return posture_at(model, std::move(q), ws);
}

Vector3 possible_motion(const Model& model, const Skeleton& skeleton, const Workspace& ws) {
  Vector3 most = Vector3::Zero();
  const Posture posture = posture_of(ws);
  for (int body = 1; body < model.body_count(); ++body) {
    for (const Vector3& point : skeleton.sticks[static_cast<std::size_t>(body)]) {
      const Vector3 p = at(posture, body, point);
      for (int k = body; k > 0; k = model.body(k).parent) {
        for (int i = model.body(k).v; i < model.body(k).v + model.body(k).nv; ++i) {
          const Vec3 arm(p - posture[static_cast<std::size_t>(k)].p);
          const auto n = static_cast<std::size_t>(i);
          most = most.cwiseMax((ws.Hv[n] + cross(ws.Hw[n], arm)).eigen().cwiseAbs());
        }
      }
    }
  }
  return most;
}

std::vector<Vector3> points_of(const Skeleton& skeleton, const Posture& posture) {
  std::vector<Vector3> points;
  for (std::size_t k = 1; k < skeleton.sticks.size(); ++k) {
    for (const Vector3& p : skeleton.sticks[k]) points.push_back(at(posture, static_cast<int>(k), p));
  }
  for (const SkeletonJoint& joint : skeleton.joints) {
    if (joint.type == JointType::kFree) continue;
    points.push_back(at(posture, joint.predecessor, joint.X_PA.p));
  }
  for (const SkeletonSpring& spring : skeleton.springs) {
    points.push_back(at(posture, spring.body_a, spring.point_a));
    points.push_back(at(posture, spring.body_b, spring.point_b));
  }
  return points;
}

}  // namespace kinloop::plot
