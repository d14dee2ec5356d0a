// What is said about an angle, and about a length.
#include "services/files/coordinate_dimensions.hpp"

#include "core/joints/joint.hpp"

namespace kinloop {
namespace {

constexpr CoordinateDimensions kAngle{Dimension::angle(),           Dimension::angular_speed(),
                                      Dimension::torque(),          Dimension::angular_stiffness(),
                                      Dimension::angular_damping(), Dimension::none()};
constexpr CoordinateDimensions kLength{Dimension::length(),    Dimension::speed(),   Dimension::force(),
                                       Dimension::stiffness(), Dimension::damping(), Dimension::per_length()};

}  // namespace

std::vector<CoordinateDimensions> coordinate_dimensions(JointType type) {
  std::vector<CoordinateDimensions> all;
  for (const SpeedKind kind : speed_kinds(type)) all.push_back(kind == SpeedKind::kAngle ? kAngle : kLength);
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
