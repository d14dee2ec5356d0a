// Implements the translation of SDF: poses are resolved into the world, then joints are cut out of them.
#include "services/import/sdf_graph.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <sdf/Joint.hh>
#include <sdf/JointAxis.hh>
#include <sdf/Link.hh>
#include <sdf/Model.hh>
#include <sdf/World.hh>
#include <string>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "services/base/trimmed.hpp"
#include "services/import/frame_about_axis.hpp"
#include "services/import/joint_pose.hpp"
#include "services/import/number_text.hpp"
#include "services/import/sdf_shapes.hpp"

namespace kinloop {
namespace {

constexpr double kNoLimit = 1e16;  // SDF's own word for "unlimited"
constexpr double kPerpendicular = 1e-6;

enum class Limits { kKept, kIgnored };

class SdfTranslator {
 public:
  SdfTranslator(const XmlElement& element, const sdf::Model& model, Diagnostics& diagnostics, Diagnostics& warnings)
      : model_element_(element), model_(model), diagnostics_(diagnostics), warnings_(warnings) {}

  MechanismGraph run() {
    graph_.name = model_.Name();
    graph_.root = body_name(model_.CanonicalLinkName());
    X_WM_ = resolved(model_element_, model_, "");
    poses_[kGround] = {};
    if (!is_complete()) return {};
    for (const XmlElement& child : model_element_.children) {
      if (child.name == "link") add_link(child, *model_.LinkByName(std::string(child.title())));
    }
    for (const XmlElement& child : model_element_.children) {
      if (child.name == "joint" && !is_gearbox(child)) {
        add_joint(child, *model_.JointByName(std::string(child.title())));
      }
    }
    for (const XmlElement& child : model_element_.children) {
      if (child.name == "joint" && is_gearbox(child)) {
        add_gearbox(child, *model_.JointByName(std::string(child.title())));
      }
    }
    if (hidden_shapes_ > 0)
      warnings_.add({}, "", "meshes and other shapes are not shown: " + std::to_string(hidden_shapes_));
    if (ball_axes_ > 0)
      warnings_.add({}, "",
                    "axes of ball joints ignored, with all that acts along them: " + std::to_string(ball_axes_));
    return std::move(graph_);
  }

 private:
  static std::string label(const XmlElement& element) { return element.name + " " + in_quotes(element.title()); }
  void fail(const XmlElement& owner, std::string what) {
    diagnostics_.add(owner.position, label(owner), std::move(what));
  }
  void warn(const XmlElement& owner, std::string what) { warnings_.add(owner.position, label(owner), std::move(what)); }
  static std::string body_name(const std::string& link) { return link == kGround ? kLinkNamedGround : link; }
  static std::string text_of(const XmlElement& element) { return std::string(trimmed(element.text, " \t\r\n")); }
  static bool is_gearbox(const XmlElement& joint) { return joint.attribute("type")->value == "gearbox"; }

  /// False if libsdformat lacks a link or joint of the file, which would be a difference in how both read XML.
  bool is_complete() {
    for (const XmlElement& child : model_element_.children) {
      const std::string name(child.title());
      const bool is_missing = (child.name == "link" && model_.LinkByName(name) == nullptr) ||
                              (child.name == "joint" && model_.JointByName(name) == nullptr);
      if (is_missing) fail(child, "is not found by libsdformat");
    }
    return diagnostics_.empty();
  }

  /// Pose of a part in the frame `to`; a model that stands alone has no graph of frames, only its own pose.
  template <class Part>
  Pose resolved(const XmlElement& element, const Part& part, const std::string& to) {
    ignition::math::Pose3d pose;
    const sdf::Errors errors = part.SemanticPose().Resolve(pose, to);
    if (errors.empty()) return to_pose(pose);
    if (!part.PoseRelativeTo().empty()) fail(element, "its pose cannot be resolved: " + errors.front().Message());
    return to_pose(part.RawPose());
  }

  void add_link(const XmlElement& element, const sdf::Link& link) {
    GraphLink out;
    out.body.name = body_name(link.Name());
    if (out.body.name != link.Name()) {
      warn(element, "is called " + in_quotes(out.body.name) + " here: 'ground' is the body that does not move");
    }
    out.X_WL = X_WM_ * resolved(element, link, "__model__");
    poses_[out.body.name] = out.X_WL;
    const ignition::math::Inertiald& inertial = link.Inertial();
    const Pose X_LI = to_pose(inertial.Pose());
    const ignition::math::Vector3d diagonal = inertial.MassMatrix().DiagonalMoments();
    const ignition::math::Vector3d products = inertial.MassMatrix().OffDiagonalMoments();
    Matrix3 I;
    I << diagonal.X(), products.X(), products.Y(), products.X(), diagonal.Y(), products.Z(), products.Y(), products.Z(),
        diagonal.Z();
    out.body.mass = inertial.MassMatrix().Mass();
    out.body.com = X_LI.p;
    const Matrix3 rotated = X_LI.R * I * X_LI.R.transpose();
    out.body.inertia = 0.5 * (rotated + rotated.transpose());
    const XmlElement* place = element.child("inertial");
    out.mass_position = place == nullptr ? element.position : place->position;
    if (out.body.mass < 0.0) diagnostics_.add(out.mass_position, label(element), "the mass is negative");
    if (element.child("inertial") == nullptr)
      warn(element, "has no <inertial>: by SDF's default it has 1 kg and 1 kg m^2");
    const XmlElement* gravity = element.child("gravity");
    if (gravity != nullptr && (gravity->text == "0" || gravity->text == "false")) {
      warn(element, "falls like all others: a link without gravity is not supported");
    }
    out.body.shapes = sdf_shapes(link, hidden_shapes_);
    graph_.links.push_back(std::move(out));
  }

  /// The link a joint's end is attached to; ends may name frames.
  std::string end_of(const XmlElement& element, const sdf::Errors& errors, const std::string& link) {
    if (!errors.empty()) fail(element, errors.front().Message());
    if (link == "world") return kGround;
    std::string body = body_name(link);
    if (!poses_.contains(body)) fail(element, "no link is named " + in_quotes(link));
    return body;
  }

  void add_joint(const XmlElement& element, const sdf::Joint& joint) {
    JointSpec out;
    out.name = joint.Name();
    std::string link;
    sdf::Errors errors = joint.ResolveParentLink(link);
    out.predecessor = end_of(element, errors, link);
    errors = joint.ResolveChildLink(link);
    out.successor = end_of(element, errors, link);
    Pose X_WJ = X_WM_ * resolved(element, joint, "__model__");
    out.type = set_motion(element, joint, X_WJ, out.coordinates);
    if (out.type == JointType::kScrew) out.pitch = screw_pitch(element, joint);
    out.frame_pred = inverse(poses_[out.predecessor]) * X_WJ;
    out.frame_succ = inverse(poses_[out.successor]) * X_WJ;
    lock_if_empty_range(element, out);
    graph_.joints.push_back(std::move(out));
  }

  /// A gearbox is no joint but a relation between two: the angles of its parent and its child about the body that
  /// carries both, theta_2 = -ratio theta_1, each in the direction of its axis.
  void add_gearbox(const XmlElement& element, const sdf::Joint& gearbox) {
    std::string link;
    sdf::Errors errors = gearbox.ResolveParentLink(link);
    const std::string parent = end_of(element, errors, link);
    errors = gearbox.ResolveChildLink(link);
    const std::string child = end_of(element, errors, link);
    const std::string carrier = body_name(text_of(*element.child("gearbox_reference_body")));
    const JointSpec* first = hinge_between(carrier, parent);
    const JointSpec* second = hinge_between(carrier, child);
    if (first == nullptr || second == nullptr || gearbox.Axis(0) == nullptr || gearbox.Axis(1) == nullptr) {
      const std::string& lonely = first == nullptr ? parent : child;
      warn(element, "is ignored: no revolute joint is between " + in_quotes(carrier) + " and " + in_quotes(lonely));
      return;
    }
    const XmlElement* given = element.child("gearbox_ratio");
    const auto ratio = given == nullptr ? std::nullopt : to_number(text_of(*given));
    const Matrix3 R_WJ = (X_WM_ * resolved(element, gearbox, "__model__")).R;
    const double sign = sense(*first, carrier, R_WJ * axis_in_joint(element, *gearbox.Axis(0))) *
                        sense(*second, carrier, R_WJ * axis_in_joint(element, *gearbox.Axis(1)));
    graph_.couplings.push_back({gearbox.Name(), second->name, first->name, -sign * ratio.value_or(1.0), 0.0});
  }

  const JointSpec* hinge_between(const std::string& a, const std::string& b) const {
    for (const JointSpec& joint : graph_.joints) {
      const bool joins =
          (joint.predecessor == a && joint.successor == b) || (joint.predecessor == b && joint.successor == a);
      if (joins && joint.type == JointType::kRevolute) return &joint;
    }
    return nullptr;
  }

  /// 1 if the hinge's angle grows as its other body turns about the axis, seen from the carrier; else -1.
  double sense(const JointSpec& hinge, const std::string& carrier, const Vector3& axis) const {
    const Matrix3& R_WB = poses_.at(hinge.predecessor).R;
    const Vector3 own = R_WB * hinge.frame_pred.R.col(2);
    const double along = own.dot(axis) < 0.0 ? -1.0 : 1.0;
    return hinge.predecessor == carrier ? along : -along;
  }

  /// Turns the joint's frame so that its axes are ours, and fills its coordinates.
  JointType set_motion(const XmlElement& element, const sdf::Joint& joint, Pose& X_WJ,
                       std::vector<CoordinateSpec>& coordinates) {
    const bool has_two = joint.Type() == sdf::JointType::UNIVERSAL || joint.Type() == sdf::JointType::REVOLUTE2;
    const bool has_none = joint.Type() == sdf::JointType::FIXED || joint.Type() == sdf::JointType::BALL;
    if ((!has_none && joint.Axis(0) == nullptr) || (has_two && joint.Axis(1) == nullptr)) {
      fail(element, "its axis is not found by libsdformat");
      return JointType::kFixed;
    }
    switch (joint.Type()) {
      case sdf::JointType::FIXED:
        return JointType::kFixed;
      case sdf::JointType::BALL:
        if (joint.Axis(0) != nullptr) ++ball_axes_;
        return JointType::kSpherical;
      case sdf::JointType::UNIVERSAL:
      case sdf::JointType::REVOLUTE2: {
        const Vector3 x = axis_in_joint(element, *joint.Axis(0));
        const Vector3 y = axis_in_joint(element, *joint.Axis(1));
        if (std::abs(x.dot(y)) > kPerpendicular) fail(element, "its two axes are not perpendicular");
        Matrix3 R;
        R.col(0) = x;
        R.col(2) = x.cross(y).normalized();
        R.col(1) = R.col(2).cross(x);
        X_WJ.R = X_WJ.R * R;
        coordinates = {coordinate(element, *joint.Axis(0), Limits::kKept),
                       coordinate(element, *joint.Axis(1), Limits::kKept)};
        return JointType::kUniversal;
      }
      default:
        break;
    }
    X_WJ.R = X_WJ.R * frame_about_axis(axis_in_joint(element, *joint.Axis(0)));
    const Limits limits = joint.Type() == sdf::JointType::CONTINUOUS ? Limits::kIgnored : Limits::kKept;
    coordinates = {coordinate(element, *joint.Axis(0), limits)};
    if (joint.Type() == sdf::JointType::PRISMATIC) return JointType::kPrismatic;
    return joint.Type() == sdf::JointType::SCREW ? JointType::kScrew : JointType::kRevolute;
  }

  Vector3 axis_in_joint(const XmlElement& element, const sdf::JointAxis& axis) {
    ignition::math::Vector3d xyz = axis.Xyz();
    const sdf::Errors errors = axis.ResolveXyz(xyz);
    if (!errors.empty()) fail(element, "its axis cannot be resolved: " + errors.front().Message());
    return to_vector(xyz).normalized();
  }

  CoordinateSpec coordinate(const XmlElement& element, const sdf::JointAxis& axis, Limits limits) {
    CoordinateSpec out;
    out.damping = axis.Damping();
    out.dry_friction = axis.Friction();
    out.stiffness = axis.SpringStiffness();
    out.rest = axis.SpringReference();
    if (out.damping < 0.0) fail(element, "the damping is negative");
    if (out.dry_friction < 0.0) fail(element, "the friction is negative");
    if (limits == Limits::kKept && (axis.Lower() > -kNoLimit || axis.Upper() < kNoLimit)) {
      out.limit = LimitSpec{std::max(axis.Lower(), -kNoLimit), std::min(axis.Upper(), kNoLimit), {}, {}};
    }
    return out;
  }

  /// Metres per radian. SDF 1.10 states metres per turn of a right-handed thread, which libsdformat 12 does not know;
  /// before, as in Gazebo, it was radians per metre of a left-handed one.
  double screw_pitch(const XmlElement& element, const sdf::Joint& joint) {
    if (const XmlElement* pitch = element.child("screw_thread_pitch")) {
      const auto values = to_numbers(pitch->text);
      if (values && values->size() == 1) return (*values)[0] / (2.0 * std::numbers::pi);
    }
    if (joint.ThreadPitch() == 0.0) {
      fail(element, "the thread pitch is zero");
      return 0.0;
    }
    return -1.0 / joint.ThreadPitch();
  }

  void lock_if_empty_range(const XmlElement& element, JointSpec& joint) {
    if (joint.coordinates.empty()) return;
    const auto is_empty = [](const CoordinateSpec& c) { return c.limit && c.limit->lower == c.limit->upper; };
    if (joint.coordinates.size() > 1) {
      for (const CoordinateSpec& c : joint.coordinates) {
        if (is_empty(c)) fail(element, "one of its axes is locked by equal limits, which is not supported");
      }
      return;
    }
    if (!is_empty(joint.coordinates[0])) return;
    joint.frame_pred = joint.frame_pred * joint_pose(joint.type, joint.pitch, {joint.coordinates[0].limit->lower});
    joint.type = JointType::kFixed;
    joint.coordinates.clear();
    warn(element, "is locked, since its lower limit equals its upper one");
  }

  const XmlElement& model_element_;
  const sdf::Model& model_;
  Diagnostics& diagnostics_;
  Diagnostics& warnings_;
  MechanismGraph graph_;
  Pose X_WM_;
  std::map<std::string, Pose> poses_;  // of links and the ground, in the world
  int hidden_shapes_ = 0;
  int ball_axes_ = 0;
};

}  // namespace

MechanismGraph sdf_graph(const XmlElement& model, const sdf::Root& root, Diagnostics& diagnostics,
                         Diagnostics& warnings) {
  const sdf::World* world = root.WorldCount() > 0 ? root.WorldByIndex(0) : nullptr;
  const sdf::Model* parsed = world == nullptr ? root.Model() : world->ModelByName(std::string(model.title()));
  if (parsed == nullptr) {
    diagnostics.add(model.position, "model " + in_quotes(model.title()), "is not found by libsdformat");
    return {};
  }
  MechanismGraph graph = SdfTranslator(model, *parsed, diagnostics, warnings).run();
  if (world != nullptr) graph.gravity = to_vector(world->Gravity());
  return graph;
}

}  // namespace kinloop
