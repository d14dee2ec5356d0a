// Reads springs, bushings, ropes, couplings and frames: what refers to bodies and joints that stand elsewhere in the
// file.
#include "services/files/model_sections.hpp"
#include "services/files/pose_reader.hpp"

namespace kinloop {
namespace {

/// Three values, or one for all axes.
Vector3 read_per_axis(Fields& fields, std::string_view key, const Dimension& dimension) {
  const YamlNode* node = fields.node(key);
  if (node == nullptr) return Vector3::Zero();
  if (node->is_scalar()) return Vector3::Constant(fields.number(key, dimension));
  return fields.vector3(key, dimension);
}

/// The name, the two bodies and the points on them, of what stretches from one to the other.
template <class Spec>
Spec read_line(Fields& line) {
  Spec spec;
  spec.name = line.name("name");
  spec.body_a = line.name("body_a");
  spec.body_b = line.name("body_b");
  spec.point_a = line.optional_vector3("point_a", Dimension::length()).value_or(Vector3::Zero());
  spec.point_b = line.optional_vector3("point_b", Dimension::length()).value_or(Vector3::Zero());
  return spec;
}

/// The dimension of the named joint's coordinate; any if it has not exactly one, which compile() reports.
Dimension coordinate_of(const std::string& name, const JointTypes& joints) {
  const auto found = joints.find(name);
  if (found == joints.end()) return Dimension::any();
  const std::vector<Dimension> all = position_dimensions(found->second);
  return all.size() == 1 ? all.front() : Dimension::any();
}

}  // namespace

SpringSpec read_spring(Fields& spring) {
  auto spec = read_line<SpringSpec>(spring);
  spec.stiffness = spring.number_or("stiffness", Dimension::stiffness(), 0.0);
  spec.rest_length = spring.number_or("rest_length", Dimension::length(), 0.0);
  spec.damping = spring.number_or("damping", Dimension::damping(), 0.0);
  spec.force = spring.number_or("force", Dimension::force(), 0.0);
  spring.finish();
  return spec;
}

BushingSpec read_bushing(Fields& bushing) {
  BushingSpec spec;
  spec.name = bushing.name("name");
  spec.body_a = bushing.name("body_a");
  spec.body_b = bushing.name("body_b");
  spec.frame_a = read_pose(bushing, "frame_a").pose;
  spec.frame_b = read_pose(bushing, "frame_b").pose;
  spec.stiffness = read_per_axis(bushing, "stiffness", Dimension::stiffness());
  spec.damping = read_per_axis(bushing, "damping", Dimension::damping());
  spec.rotational_stiffness = read_per_axis(bushing, "rotational_stiffness", Dimension::angular_stiffness());
  spec.rotational_damping = read_per_axis(bushing, "rotational_damping", Dimension::angular_damping());
  bushing.finish();
  return spec;
}

CouplingSpec read_coupling(Fields& coupling, const JointTypes& joints) {
  CouplingSpec spec;
  spec.name = coupling.name("name");
  spec.joint = coupling.name("joint");
  spec.of = coupling.name("of");
  const Dimension dependent = coordinate_of(spec.joint, joints);
  const Dimension of = coordinate_of(spec.of, joints);
  const bool is_known = !dependent.is_any() && !of.is_any();
  const Dimension ratio = !is_known ? Dimension::any() : dependent == of ? Dimension::none() : dependent.over(of);
  spec.ratio = coupling.number_or("ratio", ratio, 1.0);
  spec.offset = coupling.number_or("offset", dependent, 0.0);
  coupling.finish();
  return spec;
}

RopeSpec read_rope(Fields& rope, const JointTypes& joints) {
  auto spec = read_line<RopeSpec>(rope);
  spec.length = rope.number("length", Dimension::length(), Range::kNonNegative);
  spec.stiffness = rope.number("stiffness", Dimension::stiffness(), Range::kPositive);
  spec.dissipation =
      rope.number_or("dissipation", Dimension::time().over(Dimension::length()), 0.0, Range::kNonNegative);
  if (rope.has("winch")) {
    spec.winch = rope.name("winch");
    const Dimension coordinate = coordinate_of(spec.winch, joints);
    const Dimension pay_out = coordinate.is_any() ? coordinate : Dimension::length().over(coordinate);
    spec.pay_out = rope.number("pay_out", pay_out);
  } else if (rope.has("pay_out")) {
    rope.error("pay_out", "belongs to a winch, and this rope has none");
  }
  rope.finish();
  return spec;
}

FrameOnBodySpec read_frame_on_body(Fields& frame) {
  FrameOnBodySpec spec;
  spec.name = frame.name("name");
  spec.body = frame.name("body");
  spec.pose = read_pose(frame, "pose").pose;
  frame.finish();
  return spec;
}

}  // namespace kinloop
