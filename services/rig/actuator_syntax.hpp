// Owns ActuatorSyntax: what a rig file says of one kind of actuator beyond what all kinds share. One file a kind, one
// entry in actuator_syntax.cpp.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/joints/joint.hpp"
#include "core/model/model.hpp"
#include "services/rig/rig_tables.hpp"

namespace kinloop {

/// The coordinate that an actuator moves.
struct MovedCoordinate {
  const Model& model;
  int speed;

  SpeedKind kind() const;
  const CoordinateConstants& constants() const { return model.coordinate(speed); }
  std::string joint_type() const;
  /// Motor turns per joint turn, as the model says.
  double gear_ratio() const;
};

/// What a command and its rate of change are measured in.
struct CommandDimensions {
  Dimension value = Dimension::any();
  Dimension rate = Dimension::any();
};

struct ActuatorSyntax {
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();

  ActuatorKind kind;
  /// Of a coordinate that is wrong, or of a model that did not load, nothing is known.
  CommandDimensions (*command)(const std::optional<MovedCoordinate>& moved);
  /// Commands can not lie beyond; the reason begins the message.
  double lower = -kUnlimited;
  double upper = kUnlimited;
  std::string_view bounds_reason;
  /// The mapping that has the name of the kind: as a key, and how it is read. Null: there is none.
  RigField<ActuatorItem> (*mapping)() = nullptr;
  void (*read)(Fields& item, const std::optional<MovedCoordinate>& moved, const RigScope& scope,
               ActuatorSpec& spec) = nullptr;
};

/// In the order of actuator_types().
std::span<const ActuatorSyntax> actuator_syntaxes() noexcept;
const ActuatorSyntax& actuator_syntax(ActuatorKind kind) noexcept;

/// The entries of the table: each is defined in the file of its name.
namespace syntax {

extern const ActuatorSyntax kForce;
extern const ActuatorSyntax kDcMotor;
extern const ActuatorSyntax kCylinder;

}  // namespace syntax
}  // namespace kinloop
