// DC motors behind a gear: a voltage is the command.
#include "core/base/nearest_name.hpp"
#include "services/rig/actuator_syntax.hpp"
#include "services/rig/field_kinds.hpp"

namespace kinloop {
namespace {

CommandDimensions motor_command(const std::optional<MovedCoordinate>& /*moved*/) {
  return {Dimension::voltage(), Dimension::voltage_rate()};
}

/// The gear's ratio is that of the model's joint unless it is given.
void read_motor(Fields& motor, const RigScope& scope, double gear_ratio, DcMotorSettings& settings) {
  settings.gear_ratio = gear_ratio;
  read_fields(dc_motor_fields(), motor, scope, settings);
  settings.back_emf_Vs = motor.number_or("back_emf_constant", Dimension::back_emf_constant(), settings.torque_Nm_per_A,
                                         Range::kNonNegative);
  if (settings.gear_ratio == 0.0) motor.error("gear_ratio", "must not be 0: the motor would move nothing");
  motor.finish();
}

void read_dc_motor(Fields& item, const std::optional<MovedCoordinate>& moved, const RigScope& scope,
                   ActuatorSpec& spec) {
  if (moved && moved->kind() != SpeedKind::kAngle) {
    item.error("joint", "a dc_motor turns, and " + in_quotes(spec.joint) + " of a " + moved->joint_type() +
                            " joint is a length; kind 'force' pushes along it");
  }
  Fields motor = item.child("dc_motor");
  read_motor(motor, scope, moved ? moved->gear_ratio() : spec.motor.gear_ratio, spec.motor);
}

RigField<ActuatorItem> dc_motor_mapping() {
  return section<ActuatorItem>(
      "dc_motor", "dc_motor", dc_motor_fields(), "of kind `dc_motor`, see below",
      [](const ActuatorItem& item) { return item.spec.motor; },
      [](const ActuatorItem& item) { return item.spec.kind == ActuatorKind::kDcMotor; });
}

}  // namespace

const ActuatorSyntax syntax::kDcMotor = {.kind = ActuatorKind::kDcMotor,
                                         .command = &motor_command,
                                         .bounds_reason = {},
                                         .mapping = &dc_motor_mapping,
                                         .read = &read_dc_motor};

const RigFields<DcMotorSettings>& dc_motor_fields() {
  using S = DcMotorSettings;
  static const RigFields<S> kFields = {
      field("resistance", Number{Dimension::resistance(), "ohm", Range::kPositive}, kRequired, "of the winding",
            &S::resistance_ohm),
      field("inductance", Number{Dimension::inductance(), "H", Range::kNonNegative}, "0 H",
            "of the winding; 0: the current follows at once", &S::inductance_H),
      field("torque_constant", Number{Dimension::torque_constant(), "Nm/A", Range::kPositive}, kRequired,
            "at the motor's shaft", &S::torque_Nm_per_A),
      unread(field("back_emf_constant", Number{Dimension::back_emf_constant(), "V*s/rad", Range::kNonNegative},
                   derived("the torque constant"), "at the motor's shaft", &S::back_emf_Vs)),
      field("gear_ratio", Number{.bounds = R"("not": {"const": 0})"}, derived("that of the joint in the model"),
            "motor turns per turn of the joint", &S::gear_ratio),
  };
  return kFields;
}

}  // namespace kinloop
