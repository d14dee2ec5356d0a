// Implements the translation of URDF, links first, then joints, then mimics.
#include "services/import/urdf_graph.hpp"

#include <map>
#include <optional>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "services/import/frame_about_axis.hpp"
#include "services/import/joint_pose.hpp"

namespace kinloop {
namespace {

Vector3 to_vector(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

Pose to_pose(const urdf::Pose& pose) {
  // From the quaternion by hand: exact for quarter turns to the last digit that urdfdom kept.
  const urdf::Rotation& q = pose.rotation;
  Pose out;
  out.R << 1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y),
      2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x),
      2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y);
  out.p = to_vector(pose.position);
  return out;
}

/// Nothing for meshes.
std::optional<ShapeSpec> shape_of_urdf(const urdf::Geometry* geometry, const urdf::Pose& origin) {
  if (geometry == nullptr) return std::nullopt;
  ShapeSpec shape;
  shape.pose = to_pose(origin);
  switch (geometry->type) {
    case urdf::Geometry::BOX:
      shape.kind = ShapeKind::kBox;
      shape.size = to_vector(static_cast<const urdf::Box*>(geometry)->dim);
      return shape;
    case urdf::Geometry::CYLINDER: {
      const auto* cylinder = static_cast<const urdf::Cylinder*>(geometry);
      shape.kind = ShapeKind::kCylinder;
      shape.size = {cylinder->radius, cylinder->length, 0.0};
      return shape;
    }
    case urdf::Geometry::SPHERE:
      shape.kind = ShapeKind::kSphere;
      shape.size = {static_cast<const urdf::Sphere*>(geometry)->radius, 0.0, 0.0};
      return shape;
    case urdf::Geometry::MESH:
      break;
  }
  return std::nullopt;
}

class UrdfTranslator {
 public:
  UrdfTranslator(const XmlElement& robot, const urdf::ModelInterface& urdf, Diagnostics& diagnostics,
                 Diagnostics& warnings)
      : robot_(robot), urdf_(urdf), diagnostics_(diagnostics), warnings_(warnings) {}

  MechanismGraph run() {
    graph_.name = urdf_.getName();
    graph_.root = body_name(urdf_.getRoot()->name);
    place_links();
    if (!is_complete()) return {};
    for (const XmlElement& element : robot_.children) {
      if (element.name == "link") add_link(element);
    }
    for (const XmlElement& element : robot_.children) {
      if (element.name == "joint") add_joint(element);
    }
    for (const XmlElement& element : robot_.children) {
      if (element.name == "joint") add_mimic(element);
    }
    if (meshes_ > 0) warnings_.add({}, "", "meshes are not shown: " + std::to_string(meshes_));
    if (fixed_mimics_ > 0)
      warnings_.add({}, "", "mimic elements of fixed joints ignored: " + std::to_string(fixed_mimics_));
    return std::move(graph_);
  }

 private:
  static std::string label(const XmlElement& element) { return element.name + " " + in_quotes(element.title()); }
  void fail(SourcePosition position, const XmlElement& owner, std::string what) {
    diagnostics_.add(position, label(owner), std::move(what));
  }
  void warn(const XmlElement& owner, std::string what) { warnings_.add(owner.position, label(owner), std::move(what)); }

  /// False if urdfdom lacks a link or joint of the file, which would be a difference in how both read XML.
  bool is_complete() {
    for (const XmlElement& element : robot_.children) {
      const std::string name(element.title());
      const bool is_missing =
          (element.name == "link" && !urdf_.getLink(name)) || (element.name == "joint" && !urdf_.getJoint(name));
      if (is_missing) fail(element.position, element, "is not found by urdfdom");
    }
    return diagnostics_.empty();
  }

  bool is_ground(const std::string& link) const {
    return link == urdf_.getRoot()->name && (link == "world" || link == kGround);
  }
  std::string body_name(const std::string& link) const {
    if (is_ground(link)) return kGround;
    return link == kGround ? kLinkNamedGround : link;
  }

  void place_links() {
    std::vector<urdf::LinkConstSharedPtr> stack{urdf_.getRoot()};
    X_WL_[stack.back()->name] = {};
    while (!stack.empty()) {
      const urdf::LinkConstSharedPtr link = stack.back();
      stack.pop_back();
      for (const urdf::JointSharedPtr& joint : link->child_joints) {
        X_WL_[joint->child_link_name] = X_WL_.at(link->name) * to_pose(joint->parent_to_joint_origin_transform);
        stack.push_back(urdf_.getLink(joint->child_link_name));
      }
    }
  }

  void add_link(const XmlElement& element) {
    const urdf::LinkConstSharedPtr link = urdf_.getLink(std::string(element.title()));
    if (is_ground(link->name)) {
      if (link->inertial) warn(element, "is the ground, so its mass has no effect");
      return;
    }
    GraphLink out;
    out.body.name = body_name(link->name);
    if (out.body.name != link->name) {
      warn(element, "is called " + in_quotes(out.body.name) + " here: 'ground' is the body that does not move");
    }
    out.X_WL = X_WL_.at(link->name);
    if (link->inertial) {
      out.mass_position = element.child("inertial")->position;
      set_inertia(element, *link->inertial, out.body);
    }
    add_shapes(*link, out.body);
    graph_.links.push_back(std::move(out));
  }

  void set_inertia(const XmlElement& element, const urdf::Inertial& inertial, BodySpec& body) {
    const Pose X_LI = to_pose(inertial.origin);
    Matrix3 I;
    I << inertial.ixx, inertial.ixy, inertial.ixz, inertial.ixy, inertial.iyy, inertial.iyz, inertial.ixz, inertial.iyz,
        inertial.izz;
    body.mass = inertial.mass;
    body.com = X_LI.p;
    const Matrix3 rotated = X_LI.R * I * X_LI.R.transpose();
    body.inertia = 0.5 * (rotated + rotated.transpose());
    if (body.mass < 0.0) fail(element.child("inertial")->position, element, "the mass is negative");
  }

  void add_shapes(const urdf::Link& link, BodySpec& body) {
    for (const urdf::VisualSharedPtr& visual : link.visual_array) {
      auto shape = shape_of_urdf(visual->geometry.get(), visual->origin);
      if (!shape) {
        ++meshes_;
        continue;
      }
      if (visual->material) {
        const urdf::Color& colour = visual->material->color;
        shape->colour = {colour.r, colour.g, colour.b};
      }
      body.shapes.push_back(*shape);
    }
    if (!body.shapes.empty()) return;
    for (const urdf::CollisionSharedPtr& collision : link.collision_array) {
      if (const auto shape = shape_of_urdf(collision->geometry.get(), collision->origin)) body.shapes.push_back(*shape);
    }
  }

  void add_joint(const XmlElement& element) {
    const urdf::JointConstSharedPtr joint = urdf_.getJoint(std::string(element.title()));
    JointSpec out;
    out.name = joint->name;
    out.predecessor = body_name(joint->parent_link_name);
    out.successor = body_name(joint->child_link_name);
    out.frame_pred = to_pose(joint->parent_to_joint_origin_transform);
    switch (joint->type) {
      case urdf::Joint::FIXED:
        break;
      case urdf::Joint::FLOATING:
        out.type = JointType::kFree;
        break;
      case urdf::Joint::PLANAR:
        out.type = JointType::kPlanar;
        turn_to_axis(*joint, out);
        break;
      case urdf::Joint::PRISMATIC:
        out.type = JointType::kPrismatic;
        set_coordinate(element, *joint, out);
        break;
      default:  // revolute and continuous: check_urdf() lets no other through
        out.type = JointType::kRevolute;
        set_coordinate(element, *joint, out);
    }
    joint_index_[out.name] = graph_.joints.size();
    graph_.joints.push_back(std::move(out));
  }

  static void turn_to_axis(const urdf::Joint& joint, JointSpec& out) {
    const Matrix3 R = frame_about_axis(to_vector(joint.axis).normalized());
    out.frame_pred.R = out.frame_pred.R * R;
    out.frame_succ.R = R;
  }

  void set_coordinate(const XmlElement& element, const urdf::Joint& joint, JointSpec& out) {
    turn_to_axis(joint, out);
    CoordinateSpec coordinate;
    if (joint.dynamics) {
      coordinate.damping = joint.dynamics->damping;
      coordinate.dry_friction = joint.dynamics->friction;
      const SourcePosition position = element.child("dynamics")->position;
      if (coordinate.damping < 0.0) fail(position, element, "the damping is negative");
      if (coordinate.dry_friction < 0.0) fail(position, element, "the friction is negative");
    }
    if (joint.limits && joint.type != urdf::Joint::CONTINUOUS) {
      const double lower = joint.limits->lower;
      const double upper = joint.limits->upper;
      if (lower > upper) fail(element.child("limit")->position, element, "the lower limit is above the upper one");
      if (lower == upper && lower != 0.0) {
        lock(element, lower, out);
        return;
      }
      if (lower == upper) {
        warn(element, "moves without limits, since its lower and upper limit are both zero, as if left blank");
      } else {
        coordinate.limit = LimitSpec{lower, upper, {}, {}};
      }
      if (lower > 0.0 || upper < 0.0) {
        out.initial_q = {0.5 * (lower + upper)};
        warn(element, "starts in the middle of its range, since that does not contain zero");
      }
    }
    out.coordinates = {coordinate};
  }

  void lock(const XmlElement& element, double value, JointSpec& out) {
    out.frame_pred = out.frame_pred * joint_pose(out.type, 0.0, {value});
    out.type = JointType::kFixed;
    warn(element, "is locked, since its lower limit equals its upper one");
  }

  void add_mimic(const XmlElement& element) {
    const urdf::JointConstSharedPtr joint = urdf_.getJoint(std::string(element.title()));
    if (!joint->mimic) return;
    JointSpec& dependent = graph_.joints[joint_index_.at(joint->name)];
    if (dependent.type == JointType::kFixed) {
      ++fixed_mimics_;
      return;
    }
    const auto index = joint_index_.find(joint->mimic->joint_name);
    if (index == joint_index_.end()) return;  // check_urdf() has said so
    const JointSpec& of = graph_.joints[index->second];
    const SourcePosition position = element.child("mimic")->position;
    for (const JointSpec* end : {&std::as_const(dependent), &of}) {
      const bool is_single = end->type == JointType::kRevolute || end->type == JointType::kPrismatic;
      if (!is_single)
        fail(position, element, "mimic: joint " + in_quotes(end->name) + " has not exactly one coordinate");
    }
    const double q_of = of.initial_q.empty() ? 0.0 : of.initial_q[0];
    dependent.initial_q = {joint->mimic->multiplier * q_of + joint->mimic->offset};
    graph_.couplings.push_back(
        {joint->name + "_mimic", joint->name, of.name, joint->mimic->multiplier, joint->mimic->offset});
  }

  const XmlElement& robot_;
  const urdf::ModelInterface& urdf_;
  Diagnostics& diagnostics_;
  Diagnostics& warnings_;
  MechanismGraph graph_;
  std::map<std::string, Pose> X_WL_;
  std::map<std::string, std::size_t> joint_index_;
  int meshes_ = 0;
  int fixed_mimics_ = 0;
};

}  // namespace

MechanismGraph urdf_graph(const XmlElement& robot, const urdf::ModelInterface& urdf, Diagnostics& diagnostics,
                          Diagnostics& warnings) {
  return UrdfTranslator(robot, urdf, diagnostics, warnings).run();
}

}  // namespace kinloop
