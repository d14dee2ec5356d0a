// The table of what rigs say of actuators, and what all kinds ask of the coordinate that they move.
#include "services/rig/actuator_syntax.hpp"

#include <array>

namespace kinloop {
namespace {

const std::array<ActuatorSyntax, 3>& table_of_syntaxes() noexcept {
  // Made on first use: the entries live in other files and are no constant expressions here.
  static const std::array<ActuatorSyntax, 3> kTable = {syntax::kForce, syntax::kDcMotor, syntax::kCylinder};
  return kTable;
}

}  // namespace

std::span<const ActuatorSyntax> actuator_syntaxes() noexcept { return table_of_syntaxes(); }

const ActuatorSyntax& actuator_syntax(ActuatorKind kind) noexcept {
  return table_of_syntaxes()[static_cast<std::size_t>(kind)];
}

SpeedKind MovedCoordinate::kind() const {
  const BodyConstants& body = model.body(model.coordinate(speed).body);
  return speed_kinds(body.joint)[static_cast<std::size_t>(speed - body.v)];
}

std::string MovedCoordinate::joint_type() const {
  return std::string(joint_kind(model.body(model.coordinate(speed).body).joint).name);
}

double MovedCoordinate::gear_ratio() const {
  const int k = constants().body;
  for (const JointSpec& joint : model.spec().joints) {
    if (joint.name != model.joint_name(k) || joint.coordinates.empty()) continue;
    return joint.coordinates[static_cast<std::size_t>(speed - model.body(k).v)].gear_ratio;
  }
  return 1.0;
}

}  // namespace kinloop
