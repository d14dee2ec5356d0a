// Reads the machines behind actuators: DC motors, cylinders with their valves, and pumps.
#include "services/rig/rig_sections.hpp"

namespace kinloop {
namespace {

constexpr std::size_t kMaxPumps = 16;

PumpSettings read_pump(Fields& pump) {
  PumpSettings settings;
  settings.pressure_Pa = pump.number("pressure", Dimension::pressure(), Range::kPositive);
  settings.flow_m3_per_s = pump.number("flow", Dimension::flow(), Range::kPositive);
  settings.volume_m3 = pump.number_or("volume", Dimension::volume(), settings.volume_m3, Range::kPositive);
  settings.tank_pressure_Pa =
      pump.number_or("tank_pressure", Dimension::pressure(), settings.tank_pressure_Pa, Range::kNonNegative);
  settings.bulk_modulus_Pa =
      pump.number_or("bulk_modulus", Dimension::pressure(), settings.bulk_modulus_Pa, Range::kPositive);
  if (settings.pressure_Pa > 0.0 && settings.pressure_Pa <= settings.tank_pressure_Pa) {
    pump.error("pressure", "must be above the tank's " + shown(settings.tank_pressure_Pa) + " Pa, got " +
                               shown(settings.pressure_Pa) + " Pa");
  }
  pump.finish();
  return settings;
}

}  // namespace

void read_pumps(Fields& root, RigSpec& spec) {
  RigNames names("pump");
  std::vector<Fields> pumps = root.optional_list("pumps");
  if (pumps.size() > kMaxPumps) {
    root.error("pumps", "at most " + std::to_string(kMaxPumps) + " pumps, got " + std::to_string(pumps.size()));
    pumps.erase(pumps.begin() + kMaxPumps, pumps.end());
  }
  for (Fields& pump : pumps) {
    PumpSpec read;
    read.name = names.read(pump);
    read.settings = read_pump(pump);
    spec.plant.pumps.push_back(read);
  }
}

DcMotorSettings read_motor(Fields& motor, double gear_ratio) {
  DcMotorSettings settings;
  settings.resistance_ohm = motor.number("resistance", Dimension::resistance(), Range::kPositive);
  settings.inductance_H =
      motor.number_or("inductance", Dimension::inductance(), settings.inductance_H, Range::kNonNegative);
  settings.torque_Nm_per_A = motor.number("torque_constant", Dimension::torque_constant(), Range::kPositive);
  settings.back_emf_Vs = motor.number_or("back_emf_constant", Dimension::back_emf_constant(), settings.torque_Nm_per_A,
                                         Range::kNonNegative);
  settings.gear_ratio = motor.number_or("gear_ratio", Dimension::none(), gear_ratio);
  if (settings.gear_ratio == 0.0) motor.error("gear_ratio", "must not be 0: the motor would move nothing");
  motor.finish();
  return settings;
}

CylinderSettings read_cylinder(Fields& cylinder) {
  CylinderSettings settings;
  const auto pressure = [&](std::string_view key, double fallback, Range range) {
    return cylinder.number_or(key, Dimension::pressure(), fallback, range);
  };
  settings.bore_m = cylinder.number("bore", Dimension::length(), Range::kPositive);
  settings.rod_m = cylinder.number("rod", Dimension::length(), Range::kNonNegative);
  settings.stroke_m = cylinder.number("stroke", Dimension::length(), Range::kPositive);
  settings.dead_volume_m3 =
      cylinder.number_or("dead_volume", Dimension::volume(), settings.dead_volume_m3, Range::kPositive);
  settings.bulk_modulus_Pa = pressure("bulk_modulus", settings.bulk_modulus_Pa, Range::kPositive);
  settings.valve_flow_m3_per_s = cylinder.number("valve_flow", Dimension::flow(), Range::kPositive);
  settings.valve_drop_Pa = pressure("valve_drop", settings.valve_drop_Pa, Range::kPositive);
  settings.overlap = cylinder.number_or("overlap", Dimension::none(), settings.overlap, Range::kZeroToOne);
  settings.leakage_m3_per_s_Pa =
      cylinder.number_or("leakage", Dimension::leakage(), settings.leakage_m3_per_s_Pa, Range::kNonNegative);
  settings.relief_Pa = pressure("relief", settings.relief_Pa, Range::kPositive);
  settings.initial_a_Pa = pressure("initial_a", settings.initial_a_Pa, Range::kNonNegative);
  settings.initial_b_Pa = pressure("initial_b", settings.initial_b_Pa, Range::kNonNegative);
  if (settings.bore_m > 0.0 && settings.rod_m >= settings.bore_m) {
    cylinder.error(
        "rod", "must be thinner than the bore, " + shown(settings.bore_m) + " m, got " + shown(settings.rod_m) + " m");
  }
  if (settings.overlap == 1.0) cylinder.error("overlap", "must be below 1, or the valve never opens");
  cylinder.finish();
  return settings;
}

}  // namespace kinloop
