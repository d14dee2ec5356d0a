// Bodies with their shapes, joints, springs. Points are in the frames in which the file describes the bodies.
#include "services/gateway/scene.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "services/plot/skeleton.hpp"

namespace kinloop::gateway {
namespace {

constexpr double kStickShare = 0.03;  // radius of a made-up stick, in lengths of the mechanism
constexpr std::array<double, 3> kStickColour{0.55, 0.58, 0.64};

v1::SceneShape::Kind wire_kind(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::kBox:
      return v1::SceneShape::KIND_BOX;
    case ShapeKind::kCylinder:
      return v1::SceneShape::KIND_CYLINDER;
    case ShapeKind::kCapsule:
      return v1::SceneShape::KIND_CAPSULE;
    case ShapeKind::kSphere:
      return v1::SceneShape::KIND_SPHERE;
  }
  return v1::SceneShape::KIND_UNSPECIFIED;
}

void add_colour(const std::array<double, 3>& colour, v1::SceneShape& out) {
  for (const double part : colour) out.add_colour(static_cast<float>(part));
}

void add_shape(const ShapeSpec& shape, v1::SceneBody& body) {
  v1::SceneShape& out = *body.add_shapes();
  out.set_kind(wire_kind(shape.kind));
  add(shape.size, *out.mutable_size());
  add(shape.pose.R, shape.pose.p, *out.mutable_pose());
  add_colour(shape.colour, out);
}

/// A ball at a point, in the axes of the body.
void add_ball(const Vector3& at, double radius_m, v1::SceneBody& body) {
  v1::SceneShape& out = *body.add_shapes();
  out.set_kind(v1::SceneShape::KIND_SPHERE);
  add(Vector3(radius_m, 0.0, 0.0), *out.mutable_size());
  add(Matrix3::Identity(), at, *out.mutable_pose());
  add_colour(kStickColour, out);
  out.set_derived(true);
}

void add_stick(const Vector3& from, const Vector3& to, double radius_m, v1::SceneBody& body) {
  const Vector3 along = to - from;
  v1::SceneShape& out = *body.add_shapes();
  out.set_kind(v1::SceneShape::KIND_CAPSULE);
  add(Vector3(radius_m, along.norm(), 0.0), *out.mutable_size());
  const Eigen::Quaterniond turn = Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), along);
  add(turn.toRotationMatrix(), (from + to) / 2.0, *out.mutable_pose());
  add_colour(kStickColour, out);
  out.set_derived(true);
}

/// What a body without shapes looks like: sticks from its first joint to all that it connects.
void add_sticks(const Model& model, const plot::Skeleton& skeleton, int k, v1::SceneBody& body) {
  const double radius_m = kStickShare * model.length_m();
  const Pose& frame = model.body_frame(k);  // of the file's axes, in the reference frame
  std::vector<Vector3> points;
  for (const Vector3& point : skeleton.sticks[static_cast<std::size_t>(k)]) {
    points.emplace_back(frame.R.transpose() * (point - frame.p));
  }
  if (points.empty()) return;
  for (const Vector3& point : points) {
    const bool is_apart = (point - points.front()).norm() > radius_m;
    if (is_apart) add_stick(points.front(), point, radius_m, body);
  }
  if (body.shapes_size() == 0) add_ball(points.front(), 2.0 * radius_m, body);
}

/// Where a joint has an axis that says something; else zero.
Vector3 axis_of(const JointSpec& joint) {
  const int axis = joint_kind(joint.type).axis;
  return axis < 0 ? Vector3(Vector3::Zero()) : Vector3(joint.frame_pred.R.col(axis));
}

std::uint32_t body_number(const Model& model, const std::string& name) {
  return static_cast<std::uint32_t>(std::max(0, model.find_body(name)));
}

enum class Closes { kNothing, kLoop };

void add_joint(const Model& model, const JointSpec& joint, Closes closes, v1::Scene& scene) {
  v1::SceneJoint& out = *scene.add_joints();
  out.set_name(joint.name);
  out.set_type(std::string(joint_kind(joint.type).name));
  out.set_predecessor(body_number(model, joint.predecessor));
  out.set_successor(body_number(model, joint.successor));
  out.set_closes_loop(closes == Closes::kLoop);
  add(joint.frame_pred.p, *out.mutable_point());
  add(axis_of(joint), *out.mutable_axis());
}

/// In the order of the model: joint k leads to body k; loops follow.
void add_joints(const Model& model, v1::Scene& scene) {
  const ModelSpec& spec = model.spec();
  for (int k = 1; k < model.body_count(); ++k) {
    const auto found = std::find_if(spec.joints.begin(), spec.joints.end(),
                                    [&](const JointSpec& joint) { return joint.name == model.joint_name(k); });
    if (found != spec.joints.end()) add_joint(model, *found, Closes::kNothing, scene);
  }
  for (const JointSpec& loop : spec.loops) add_joint(model, loop, Closes::kLoop, scene);
}

/// A spring or a rope.
template <class Spec>
void add_line(const Model& model, const Spec& line, v1::SceneLine::Kind kind, v1::Scene& scene) {
  v1::SceneLine& out = *scene.add_lines();
  out.set_name(line.name);
  out.set_kind(kind);
  out.set_body_a(body_number(model, line.body_a));
  out.set_body_b(body_number(model, line.body_b));
  add(line.point_a, *out.mutable_point_a());
  add(line.point_b, *out.mutable_point_b());
}

void add_plane(const Model& model, const PlaneSpec& plane, v1::Scene& scene) {
  v1::ScenePlane& out = *scene.add_planes();
  out.set_name(plane.name);
  out.set_body(body_number(model, plane.body));
  out.set_kind(plane.kind == PlaneKind::kSoil ? "soil" : "firm");
  add(plane.frame.p, *out.mutable_point());
  add(plane.frame.R.col(2), *out.mutable_normal());
}

/// A box around all joints and shapes as they start.
void add_extent(const Model& model, v1::Scene& scene) {
  Workspace ws(model);
  const plot::Posture posture = plot::initial_posture(model, ws);
  if (posture.empty()) return;
  Eigen::AlignedBox3d box;
  const auto extend = [&](std::uint32_t body, const Floats& point, float margin) {
    const auto k = static_cast<int>(body);
    const Pose& frame = model.body_frame(k);
    const Pose& at = posture[static_cast<std::size_t>(k)];
    const Vector3 local(static_cast<double>(point[0]), static_cast<double>(point[1]), static_cast<double>(point[2]));
    const Vector3 world = at.R * (frame.R * local + frame.p) + at.p;
    box.extend(Vector3(world.array() - static_cast<double>(margin)));
    box.extend(Vector3(world.array() + static_cast<double>(margin)));
  };
  for (const v1::SceneJoint& joint : scene.joints()) extend(joint.predecessor(), joint.point(), 0.0F);
  for (int k = 1; k < scene.bodies_size(); ++k) {
    for (const v1::SceneShape& shape : scene.bodies(k).shapes()) {
      const float half = *std::max_element(shape.size().begin(), shape.size().end()) / 2.0F;
      extend(static_cast<std::uint32_t>(k), shape.pose(), half);
    }
  }
  if (box.isEmpty()) return;
  add(box.center(), *scene.mutable_centre());
  scene.set_size_m(static_cast<float>(box.diagonal().norm()));
}

}  // namespace

void add(const Vector3& vector, Floats& out) {
  for (int i = 0; i < 3; ++i) out.Add(static_cast<float>(vector[i]));
}

void add(const Matrix3& R, const Vector3& p, Floats& out) {
  add(p, out);
  const Eigen::Quaterniond turn(R);
  for (const double part : {turn.w(), turn.x(), turn.y(), turn.z()}) out.Add(static_cast<float>(part));
}

v1::Scene make_scene(const LoadedRig& rig) {
  const Model& model = rig.model.model;
  const ModelSpec& spec = model.spec();
  const plot::Skeleton skeleton = plot::make_skeleton(model);
  v1::Scene scene;
  for (int k = 0; k < model.body_count(); ++k) {
    v1::SceneBody& body = *scene.add_bodies();
    body.set_name(model.body_name(k));
    const auto described = std::find_if(spec.bodies.begin(), spec.bodies.end(),
                                        [&](const BodySpec& one) { return one.name == model.body_name(k); });
    if (described != spec.bodies.end()) {
      for (const ShapeSpec& shape : described->shapes) add_shape(shape, body);
    }
    if (k > 0 && body.shapes_size() == 0) add_sticks(model, skeleton, k, body);
  }
  for (const ShapeSpec& shape : spec.scenery) add_shape(shape, *scene.mutable_bodies(0));
  add_joints(model, scene);
  for (const SpringSpec& spring : spec.springs) add_line(model, spring, v1::SceneLine::KIND_SPRING, scene);
  for (const RopeSpec& rope : spec.ropes) add_line(model, rope, v1::SceneLine::KIND_ROPE, scene);
  for (const PlaneSpec& plane : spec.planes) add_plane(model, plane, scene);
  add_extent(model, scene);
  add(model.gravity(), *scene.mutable_gravity());
  *scene.mutable_panel() = make_panel(rig.spec);
  return scene;
}

}  // namespace kinloop::gateway
