// The machines behind actuators: DC motors, cylinders with their valves, and pumps.
#include "services/rig/field_kinds.hpp"
#include "services/rig/rig_tables.hpp"

namespace kinloop {
namespace {

Number pressure(Range range) { return {Dimension::pressure(), "Pa", range}; }
Number volume() { return {Dimension::volume(), "m^3", Range::kPositive}; }
Number flow() { return {Dimension::flow(), "m^3/s", Range::kPositive}; }
Number length(Range range) { return {Dimension::length(), "m", range}; }

}  // namespace

const RigFields<PumpSpec>& pump_fields() {
  using S = PumpSettings;
  constexpr auto kIn = &PumpSpec::settings;
  static const RigFields<PumpSpec> kFields = {
      field("name", ItemName{}, kRequired, "unique among pumps", &PumpSpec::name),
      field("pressure", pressure(Range::kPositive), kRequired, "that it keeps as long as its flow suffices", kIn,
            &S::pressure_Pa),
      field("flow", flow(), kRequired, "the most it delivers", kIn, &S::flow_m3_per_s),
      field("volume", volume(), "2 L", "of the line behind it", kIn, &S::volume_m3),
      field("tank_pressure", pressure(Range::kNonNegative), "1 bar", "of the return", kIn, &S::tank_pressure_Pa),
      field("bulk_modulus", pressure(Range::kPositive), "1.4 GPa", "of the oil in the line, hoses included", kIn,
            &S::bulk_modulus_Pa),
  };
  return kFields;
}

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

const RigFields<ActuatorSpec>& cylinder_fields() {
  using S = CylinderSettings;
  constexpr auto kIn = &ActuatorSpec::cylinder;
  static const RigFields<ActuatorSpec> kFields = {
      field("pump", Text{}, kRequired, "that feeds it", &ActuatorSpec::pump),
      field("bore", length(Range::kPositive), kRequired, "diameter of the piston", kIn, &S::bore_m),
      field("rod", length(Range::kNonNegative), kRequired, "diameter of the rod, below the bore", kIn, &S::rod_m),
      field("stroke", length(Range::kPositive), kRequired, "of the piston", kIn, &S::stroke_m),
      field("dead_volume", volume(), "0.2 L", "of each chamber and its hose with the piston at that end", kIn,
            &S::dead_volume_m3),
      field("bulk_modulus", pressure(Range::kPositive), "1.4 GPa", "of the oil, hoses included", kIn,
            &S::bulk_modulus_Pa),
      field("valve_flow", flow(), kRequired, "through one edge of the valve, fully open, at `valve_drop`", kIn,
            &S::valve_flow_m3_per_s),
      field("valve_drop", pressure(Range::kPositive), "35 bar", "drop of pressure at `valve_flow`", kIn,
            &S::valve_drop_Pa),
      field("overlap", Number{.range = Range::kZeroToOne, .bounds = R"("minimum": 0, "exclusiveMaximum": 1)"}, "0",
            "share of the valve's travel around the middle in which it stays shut", kIn, &S::overlap),
      field("leakage", Number{Dimension::leakage(), "m^3/s/Pa", Range::kNonNegative}, "0",
            "past the piston, `L/min/bar`", kIn, &S::leakage_m3_per_s_Pa),
      field("relief", pressure(Range::kPositive), "350 bar", "pressure at which a port opens to the tank", kIn,
            &S::relief_Pa),
      field("initial_a", pressure(Range::kNonNegative), "10 bar", "first pressure of the chamber that extends", kIn,
            &S::initial_a_Pa),
      field("initial_b", pressure(Range::kNonNegative), "10 bar", "first pressure of the chamber that retracts", kIn,
            &S::initial_b_Pa),
  };
  return kFields;
}

void read_pumps(Fields& root, const RigScope& scope, RigSpec& spec) {
  RigNames names("pump");
  RigScope of_pumps = scope;
  of_pumps.names = &names;
  for (Fields& item : read_list(root, "pumps", kMaxPumps, "pumps")) {
    PumpSpec pump;
    read_fields(pump_fields(), item, of_pumps, pump);
    const PumpSettings& settings = pump.settings;
    if (settings.pressure_Pa > 0.0 && settings.pressure_Pa <= settings.tank_pressure_Pa) {
      item.error("pressure", "must be above the tank's " + shown(settings.tank_pressure_Pa) + " Pa, got " +
                                 shown(settings.pressure_Pa) + " Pa");
    }
    item.finish();
    spec.plant.pumps.push_back(pump);
  }
}

void read_motor(Fields& motor, const RigScope& scope, double gear_ratio, DcMotorSettings& settings) {
  settings.gear_ratio = gear_ratio;
  read_fields(dc_motor_fields(), motor, scope, settings);
  settings.back_emf_Vs = motor.number_or("back_emf_constant", Dimension::back_emf_constant(), settings.torque_Nm_per_A,
                                         Range::kNonNegative);
  if (settings.gear_ratio == 0.0) motor.error("gear_ratio", "must not be 0: the motor would move nothing");
  motor.finish();
}

void read_cylinder(Fields& cylinder, const RigScope& scope, ActuatorSpec& spec) {
  read_fields(cylinder_fields(), cylinder, scope, spec);
  const CylinderSettings& settings = spec.cylinder;
  if (settings.bore_m > 0.0 && settings.rod_m >= settings.bore_m) {
    cylinder.error(
        "rod", "must be thinner than the bore, " + shown(settings.bore_m) + " m, got " + shown(settings.rod_m) + " m");
  }
  if (settings.overlap == 1.0) cylinder.error("overlap", "must be below 1, or the valve never opens");
  cylinder.finish();
}

}  // namespace kinloop
