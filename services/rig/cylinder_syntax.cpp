// Hydraulic cylinders with their valve: its opening is the command.
#include <algorithm>

#include "core/base/nearest_name.hpp"
#include "services/rig/actuator_syntax.hpp"
#include "services/rig/drive_quantities.hpp"
#include "services/rig/field_kinds.hpp"

namespace kinloop {
namespace {

Number length(Range range) { return {Dimension::length(), "m", range}; }

CommandDimensions valve_command(const std::optional<MovedCoordinate>& /*moved*/) {
  return {Dimension::none(), Dimension::per_time()};
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

std::string range_text(double lower_m, double upper_m) { return shown(lower_m) + " to " + shown(upper_m) + " m"; }

/// Whether the joint can go where the cylinder can.
void check_stroke(Fields& cylinder, const MovedCoordinate& moved, const CylinderSettings& settings,
                  const RigScope& scope) {
  const CoordinateConstants& joint = moved.constants();
  const double start_m = joint.q < 0 ? 0.0 : moved.model.initial_q()[joint.q];
  const double slack_m = 1e-6 * settings.stroke_m;
  if (start_m < -slack_m || start_m > settings.stroke_m + slack_m) {
    cylinder.error("stroke", "the joint starts at " + shown(start_m) + " m, outside of the stroke from " +
                                 range_text(0.0, settings.stroke_m) +
                                 ": its coordinate must be the extension from fully retracted");
  } else if (!joint.limited) {
    warn(cylinder, "stroke", "nothing stops the joint at the ends of the stroke: give it a 'limit' in the model",
         scope);
  } else if (joint.lower < -slack_m || joint.upper > settings.stroke_m + slack_m) {
    warn(cylinder, "stroke",
         "the joint's stops, " + range_text(joint.lower, joint.upper) + ", lie beyond the stroke of " +
             shown(settings.stroke_m) + " m",
         scope);
  }
}

void check_pump(Fields& cylinder, const std::vector<PumpSpec>& pumps, const ActuatorSpec& spec, const RigScope& scope) {
  std::vector<std::string_view> known;
  known.reserve(pumps.size());
  for (const PumpSpec& pump : pumps) known.push_back(pump.name);
  const auto found = std::find(known.begin(), known.end(), spec.pump);
  if (found == known.end()) {
    const bool all_known = std::find(known.begin(), known.end(), "") == known.end();
    const std::string none = "; the rig has no pumps: list them under 'pumps'";
    if (!spec.pump.empty() && all_known) {
      cylinder.error(
          "pump", "no pump is named " + in_quotes(spec.pump) + (known.empty() ? none : did_you_mean(spec.pump, known)));
    }
    return;
  }
  const PumpSettings& pump = pumps[static_cast<std::size_t>(found - known.begin())].settings;
  if (spec.cylinder.relief_Pa > 0.0 && spec.cylinder.relief_Pa < pump.pressure_Pa) {
    warn(cylinder, "relief",
         "opens at " + shown(spec.cylinder.relief_Pa) + " Pa, before the pump's " + shown(pump.pressure_Pa) +
             " Pa are reached",
         scope);
  }
}

void read_cylinder_actuator(Fields& item, const std::optional<MovedCoordinate>& moved, const RigScope& scope,
                            ActuatorSpec& spec) {
  if (moved && (moved->kind() != SpeedKind::kLength || moved->constants().q < 0)) {
    item.error("joint", "a cylinder moves along a length, and " + in_quotes(spec.joint) + " of a " +
                            moved->joint_type() + " joint is an angle: name the prismatic joint of its piston");
  }
  Fields cylinder = item.child("cylinder");
  const std::size_t errors_before = cylinder.values().diagnostics().count();
  read_cylinder(cylinder, scope, spec);
  check_pump(cylinder, scope.rig->plant.pumps, spec, scope);
  const bool is_read = cylinder.values().diagnostics().count() == errors_before;
  if (is_read && moved && moved->kind() == SpeedKind::kLength) check_stroke(cylinder, *moved, spec.cylinder, scope);
}

RigField<ActuatorItem> cylinder_mapping() {
  return section<ActuatorItem>(
      "cylinder", "cylinder", cylinder_fields(), "of kind `cylinder`, see below",
      [](const ActuatorItem& item) { return item.spec; },
      [](const ActuatorItem& item) { return item.spec.kind == ActuatorKind::kCylinder; });
}

}  // namespace

const ActuatorSyntax syntax::kCylinder = {.kind = ActuatorKind::kCylinder,
                                          .command = &valve_command,
                                          .lower = -1.0,
                                          .upper = 1.0,
                                          .bounds_reason = "a valve opens from -1 (retract) to 1 (extend)",
                                          .mapping = &cylinder_mapping,
                                          .read = &read_cylinder_actuator};

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

}  // namespace kinloop
