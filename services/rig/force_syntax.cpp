// Actuators whose command is a force along the coordinate, or a torque about it.
#include "services/rig/actuator_syntax.hpp"

namespace kinloop {
namespace {

CommandDimensions force_command(const std::optional<MovedCoordinate>& moved) {
  if (!moved) return {};
  if (moved->kind() == SpeedKind::kAngle) return {Dimension::torque(), Dimension::torque_rate()};
  return {Dimension::force(), Dimension::force_rate()};
}

}  // namespace

const ActuatorSyntax syntax::kForce = {.kind = ActuatorKind::kForce, .command = &force_command, .bounds_reason = {}};

}  // namespace kinloop
