// Reads what acts along the coordinates of a joint: springs, forces, friction, rotors, stops, motions.
#include <algorithm>
#include <array>

#include "services/files/model_sections.hpp"

namespace kinloop {
namespace {

constexpr std::array<std::string_view, 10> kCoordinateKeys{
    "stiffness",      "rest",          "damping",    "force", "dry_friction",
    "friction_speed", "rotor_inertia", "gear_ratio", "limit", "motion"};

LimitSpec read_limit(Fields& limit, const CoordinateDimensions& dimensions) {
  LimitSpec spec;
  spec.lower = limit.number("lower", dimensions.position);
  spec.upper = limit.number("upper", dimensions.position);
  spec.stiffness = limit.optional_number("stiffness", dimensions.stiffness);
  spec.damping = limit.optional_number("damping", dimensions.damping);
  limit.finish();
  return spec;
}

CoordinateSpec read_coordinate(Fields& fields, const CoordinateDimensions& dimensions) {
  CoordinateSpec spec;
  spec.stiffness = fields.number_or("stiffness", dimensions.stiffness, spec.stiffness);
  spec.rest = fields.number_or("rest", dimensions.position, spec.rest);
  spec.damping = fields.number_or("damping", dimensions.damping, spec.damping);
  spec.force = fields.number_or("force", dimensions.force, spec.force);
  spec.dry_friction = fields.number_or("dry_friction", dimensions.force, spec.dry_friction);
  spec.friction_speed = fields.number_or("friction_speed", dimensions.speed, spec.friction_speed);
  spec.rotor_inertia = fields.number_or("rotor_inertia", Dimension::inertia(), spec.rotor_inertia);
  spec.gear_ratio = fields.number_or("gear_ratio", dimensions.gear_ratio, spec.gear_ratio);
  if (std::optional<Fields> limit = fields.optional_child("limit")) spec.limit = read_limit(*limit, dimensions);
  if (std::optional<Fields> motion = fields.optional_child("motion")) {
    spec.motion = read_function(*motion, Dimension::time(), dimensions.position);
  }
  return spec;
}

std::string count_of_coordinates(const JointKind& kind) {
  return "a " + std::string(kind.name) + " joint has " + (kind.nv == 0 ? "no" : std::to_string(kind.nv)) +
         " coordinates";
}

}  // namespace

bool has_coordinate_keys(const YamlNode& joint) {
  return joint.find("coordinates") == nullptr &&
         std::any_of(kCoordinateKeys.begin(), kCoordinateKeys.end(),
                     [&](std::string_view key) { return joint.find(key) != nullptr; });
}

std::vector<CoordinateSpec> read_coordinates(Fields& joint, const JointKind& kind) {
  const std::vector<CoordinateDimensions> dimensions = coordinate_dimensions(kind.type);
  std::vector<CoordinateSpec> all;
  if (joint.has("coordinates")) {
    std::vector<Fields> list = joint.list("coordinates");
    if (joint.node("coordinates")->is_sequence() && list.size() != dimensions.size()) {
      joint.error("coordinates", count_of_coordinates(kind) + ", not " + std::to_string(list.size()));
      return all;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      all.push_back(read_coordinate(list[i], dimensions[i]));
      list[i].finish();
    }
  } else if (dimensions.size() == 1) {
    all.push_back(read_coordinate(joint, dimensions.front()));
    return all;
  }
  for (const std::string_view key : kCoordinateKeys) {
    if (!joint.has(key)) continue;
    if (joint.has("coordinates")) {
      joint.error(key, "belongs into the list 'coordinates'");
    } else if (kind.nv == 0) {
      joint.error(key, count_of_coordinates(kind));
    } else {
      joint.error(key, count_of_coordinates(kind) + "; write a list 'coordinates' with one entry for each");
    }
  }
  return all;
}

}  // namespace kinloop
