// Writes YAML in flow style, one entry a line.
#include "tests/adversary/model_text.hpp"

#include <cstdio>

#include "core/joints/joint.hpp"

namespace kinloop::adversary {
namespace {

std::string number(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.17g", value);
  return digits;
}

template <class Values>
std::string list(const Values& values) {
  std::string out = "[";
  bool first = true;
  for (const double value : values) {
    if (!first) out += ", ";
    first = false;
    out += number(value);
  }
  return out + "]";
}

std::string list3(const Vector3& v) { return "[" + number(v.x()) + ", " + number(v.y()) + ", " + number(v.z()) + "]"; }

std::string rows(const Matrix3& m) {
  const auto row = [&](int i) { return list3(m.row(i).transpose()); };
  return "[" + row(0) + ", " + row(1) + ", " + row(2) + "]";
}

std::string pose(const Pose& X) { return "{p: " + list3(X.p) + ", R: " + rows(X.R) + "}"; }

std::string function(const FunctionSpec& f) {
  std::string out = "{polynomial: " + list(f.polynomial) + ", frequency: " + number(f.frequency_rad);
  if (!f.harmonics.empty()) {
    out += ", harmonics: [";
    for (std::size_t i = 0; i < f.harmonics.size(); ++i) out += (i > 0 ? ", " : "") + list(f.harmonics[i]);
    out += "]";
  }
  return out + "}";
}

std::string coordinate_text(const CoordinateSpec& c) {
  std::string out;
  const auto add = [&](const char* key, double value, double absent) {
    if (value != absent) out += std::string(out.empty() ? "" : ", ") + key + ": " + number(value);
  };
  add("stiffness", c.stiffness, 0.0);
  add("rest", c.rest, 0.0);
  add("damping", c.damping, 0.0);
  add("force", c.force, 0.0);
  add("dry_friction", c.dry_friction, 0.0);
  add("friction_speed", c.friction_speed, 1e-2);
  add("rotor_inertia", c.rotor_inertia, 0.0);
  add("gear_ratio", c.gear_ratio, 1.0);
  if (c.motion) out += (out.empty() ? "motion: " : ", motion: ") + function(*c.motion);
  return "{" + out + "}";
}

std::string joint(const JointSpec& spec) {
  std::string out = "  - {name: " + spec.name + ", type: " + std::string(joint_kind(spec.type).name) +
                    ", predecessor: " + spec.predecessor + ", successor: " + spec.successor +
                    ", frame_pred: " + pose(spec.frame_pred) + ", frame_succ: " + pose(spec.frame_succ);
  if (spec.type == JointType::kScrew) out += ", pitch: " + number(spec.pitch);
  if (spec.profile) out += ", profile: " + function(*spec.profile);
  if (!spec.coordinates.empty()) {
    out += ", coordinates: [";
    for (std::size_t i = 0; i < spec.coordinates.size(); ++i)
      out += (i > 0 ? ", " : "") + coordinate_text(spec.coordinates[i]);
    out += "]";
  }
  if (!spec.initial_q.empty()) out += ", q: " + list(spec.initial_q);
  if (!spec.initial_u.empty()) out += ", u: " + list(spec.initial_u);
  return out + "}\n";
}

}  // namespace

std::string model_text(const ModelSpec& spec) {
  std::string out = "kinloop: 1\nname: " + spec.name + "\ngravity: " + list3(spec.gravity) + "\nbodies:\n";
  for (const BodySpec& body : spec.bodies) {
    out += "  - {name: " + body.name + ", mass: " + number(body.mass) + ", com: " + list3(body.com);
    if (!body.inertia.isZero(0.0)) out += ", inertia: " + rows(body.inertia);
    out += "}\n";
  }
  out += "joints:\n";
  for (const JointSpec& one : spec.joints) out += joint(one);
  if (!spec.loops.empty()) out += "loops:\n";
  for (const JointSpec& one : spec.loops) out += joint(one);
  if (!spec.springs.empty()) out += "springs:\n";
  for (const SpringSpec& spring : spec.springs) {
    out += "  - {name: " + spring.name + ", body_a: " + spring.body_a + ", point_a: " + list3(spring.point_a) +
           ", body_b: " + spring.body_b + ", point_b: " + list3(spring.point_b) +
           ", stiffness: " + number(spring.stiffness) + ", rest_length: " + number(spring.rest_length) +
           ", damping: " + number(spring.damping) + ", force: " + number(spring.force) + "}\n";
  }
  if (!spec.couplings.empty()) out += "couplings:\n";
  for (const CouplingSpec& gear : spec.couplings) {
    out += "  - {name: " + gear.name + ", joint: " + gear.joint + ", of: " + gear.of +
           ", ratio: " + number(gear.ratio) + ", offset: " + number(gear.offset) + "}\n";
  }
  return out;
}

}  // namespace kinloop::adversary
