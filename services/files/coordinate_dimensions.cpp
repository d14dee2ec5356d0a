// The table of coordinates, one line a joint type.
#include "services/files/coordinate_dimensions.hpp"

#include <string_view>

#include "core/joints/joint.hpp"

namespace kinloop {
namespace {

constexpr CoordinateDimensions kAngle{Dimension::angle(),           Dimension::angular_speed(),
                                      Dimension::torque(),          Dimension::angular_stiffness(),
                                      Dimension::angular_damping(), Dimension::none()};
constexpr CoordinateDimensions kLength{Dimension::length(),    Dimension::speed(),   Dimension::force(),
                                       Dimension::stiffness(), Dimension::damping(), Dimension::per_length()};

/// One letter a speed coordinate: a(ngle) or l(ength).
std::string_view letters(JointType type) {
  switch (type) {
    case JointType::kFixed:
      return "";
    case JointType::kRevolute:
    case JointType::kScrew:
      return "a";
    case JointType::kPrismatic:
      return "l";
    case JointType::kCylindrical:
      return "al";
    case JointType::kUniversal:
    case JointType::kCam:
      return "aa";
    case JointType::kSpherical:
      return "aaa";
    case JointType::kPlanar:
      return "lla";
    case JointType::kFree:
      return "lllaaa";
    case JointType::kPinSlot:
      return "la";
  }
  return "";
}

}  // namespace

std::vector<CoordinateDimensions> coordinate_dimensions(JointType type) {
  std::vector<CoordinateDimensions> all;
  for (const char letter : letters(type)) all.push_back(letter == 'a' ? kAngle : kLength);
  return all;
}

std::vector<Dimension> position_dimensions(JointType type) {
  const JointKind& kind = joint_kind(type);
  std::vector<Dimension> all;
  for (const CoordinateDimensions& speed : coordinate_dimensions(type)) all.push_back(speed.position);
  if (kind.quaternion < 0) return all;
  all.resize(static_cast<std::size_t>(kind.quaternion), Dimension::none());
  all.resize(static_cast<std::size_t>(kind.nq), Dimension::none());
  return all;
}

}  // namespace kinloop
