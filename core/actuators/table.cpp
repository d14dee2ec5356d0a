// The table of actuator types: a new one is its file, its line in actuator_type.hpp and its entry here.
#include <array>
#include <cstddef>

#include "core/actuators/actuator_type.hpp"

namespace kinloop {
namespace {

const std::array<ActuatorType, 3>& table_of_actuators() noexcept {
  // Made on first use: the entries live in other files and are no constant expressions here.
  static const std::array<ActuatorType, 3> types = {actuators::kForce, actuators::kDcMotor, actuators::kCylinder};
  return types;
}

}  // namespace

std::span<const ActuatorType> actuator_types() noexcept { return table_of_actuators(); }

const ActuatorType& actuator_type(ActuatorKind kind) noexcept {
  return table_of_actuators()[static_cast<std::size_t>(kind)];
}

std::string_view name_of(ActuatorKind kind) noexcept { return actuator_type(kind).name; }

}  // namespace kinloop
