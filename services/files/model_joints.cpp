// Reads the joints of the tree and those that close loops.
#include "core/base/nearest_name.hpp"
#include "services/files/model_sections.hpp"
#include "services/files/pose_reader.hpp"

namespace kinloop {
namespace {

const JointKind* read_type(Fields& joint) {
  std::vector<KindName<JointType>> table;
  for (const JointKind& kind : joint_kinds()) table.push_back({kind.type, kind.name});
  const std::optional<JointType> type = joint.choice<JointType>("type", table);
  return type ? &joint_kind(*type) : nullptr;
}

/// One value, or a list of them; one dimension each.
std::vector<double> read_start(Fields& joint, std::string_view key, const JointKind& kind,
                               const std::vector<Dimension>& dimensions) {
  const YamlNode* node = joint.node(key);
  if (node == nullptr) return {};
  const ValueReader& values = joint.values();
  const std::string path = joint.path_of(key);
  if (node->is_scalar() && dimensions.size() == 1) {
    return {values.number(*node, path, dimensions.front(), Range::kAny).value_or(0.0)};
  }
  if (!node->is_sequence() || node->items.size() != dimensions.size()) {
    std::string what = "a " + std::string(kind.name) + " joint needs " + std::to_string(dimensions.size()) +
                       (dimensions.size() == 1 ? " value" : " values") + ", not ";
    what += node->is_sequence() ? std::to_string(node->items.size()) : std::string(kind_name(*node));
    joint.error(key, std::move(what));
    return {};
  }
  std::vector<double> start;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const auto value = values.number(node->items[i], item_path(path, i), dimensions[i], Range::kAny);
    start.push_back(value.value_or(0.0));
  }
  return start;
}

constexpr double kAlongTolerance = 1e-6;  // sine of the angle between an axis and the z that a frame gives itself

/// The frames; `axis` turns those that give no rotation themselves, and must not contradict those that do.
void read_frames(Fields& joint, JointSpec& spec) {
  ReadPose pred = read_pose(joint, "frame_pred");
  ReadPose succ = read_pose(joint, "frame_succ");
  if (const std::optional<Vector3> axis = read_direction(joint, "axis")) {
    const Matrix3 R = rotation_with_z_along(*axis);
    const auto turn = [&](ReadPose& own, const std::string& name, const std::string& other) {
      if (!own.has_rotation) {
        own.pose.R = R;
      } else if (!((own.pose.R.col(2) - R.col(2)).norm() < kAlongTolerance) && !joint.may_be_former()) {
        joint.error("axis", "is not along the z axis of '" + name + "', which gives its own rotation; write 'z' in '" +
                                other + "' instead of 'axis'");
      }
    };
    if (pred.has_rotation && succ.has_rotation) {
      joint.error("axis", "both frames already give their rotation");
    } else {
      turn(pred, "frame_pred", "frame_succ");
      turn(succ, "frame_succ", "frame_pred");
    }
  }
  spec.frame_pred = pred.pose;
  spec.frame_succ = succ.pose;
}

/// What joints of the tree and of loops have in common; null if the type is wrong, so that no key can be judged.
const JointKind* read_common(Fields& joint, JointSpec& spec) {
  spec.name = joint.name("name");
  const JointKind* kind = read_type(joint);
  spec.predecessor = joint.name("predecessor");
  spec.successor = joint.name("successor");
  read_frames(joint, spec);
  if (kind == nullptr) return nullptr;

  spec.type = kind->type;
  if (kind->type == JointType::kScrew) {
    spec.pitch = joint.number("pitch", Dimension::length());
  } else if (joint.has("pitch")) {
    joint.error("pitch", "only a screw joint has a pitch");
  }
  if (kind->type == JointType::kCam && !joint.has("profile")) {
    joint.error("", "missing key 'profile'");
  } else if (kind->type != JointType::kCam && joint.has("profile")) {
    joint.error("profile", "only a cam joint has a profile");
  } else if (std::optional<Fields> profile = joint.optional_child("profile")) {
    spec.profile = read_function(*profile, Dimension::angle(), Dimension::length());
  }
  return kind;
}

}  // namespace

JointSpec read_joint(Fields& joint) {
  JointSpec spec;
  const JointKind* kind = read_common(joint, spec);
  if (kind == nullptr) return spec;
  std::vector<Dimension> speeds;
  for (const CoordinateDimensions& coordinate : coordinate_dimensions(kind->type)) speeds.push_back(coordinate.speed);
  spec.coordinates = read_coordinates(joint, *kind);
  spec.initial_q = read_start(joint, "q", *kind, position_dimensions(kind->type));
  spec.initial_u = read_start(joint, "u", *kind, speeds);
  joint.finish();
  return spec;
}

JointSpec read_loop(Fields& joint) {
  JointSpec spec;
  const JointKind* kind = read_common(joint, spec);
  if (kind == nullptr) return spec;
  spec.coordinates = read_coordinates(joint, *kind);
  for (const std::string_view key : {"q", "u"}) {
    if (joint.has(key)) joint.error(key, "a loop joint starts where the joints of the tree leave it; give it at those");
  }
  joint.finish();
  return spec;
}

}  // namespace kinloop
