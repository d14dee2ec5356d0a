// Reads actuators: what each moves, what its commands are measured in, and what lies between command and machine.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/nearest_name.hpp"
#include "core/joints/joint.hpp"
#include "core/plant/coordinate_names.hpp"
#include "rt/messages/command.hpp"
#include "services/rig/rig_times.hpp"
#include "services/rig/rig_words.hpp"

namespace kinloop {
namespace {

/// What a command and its rate of change are measured in.
struct CommandDimensions {
  Dimension value = Dimension::any();
  Dimension rate = Dimension::any();
};

/// The coordinate an actuator moves; nothing where it is wrong or the model is not known.
struct Moved {
  const Model& model;
  int speed;

  SpeedKind kind() const {
    const BodyConstants& body = model.body(model.coordinate(speed).body);
    return speed_kinds(body.joint)[static_cast<std::size_t>(speed - body.v)];
  }
  const CoordinateConstants& constants() const { return model.coordinate(speed); }
  std::string joint_type() const {
    return std::string(joint_kind(model.body(model.coordinate(speed).body).joint).name);
  }
  /// Motor turns per joint turn, as the model says.
  double gear_ratio() const;
};

double Moved::gear_ratio() const {
  const int k = constants().body;
  for (const JointSpec& joint : model.spec().joints) {
    if (joint.name != model.joint_name(k) || joint.coordinates.empty()) continue;
    return joint.coordinates[static_cast<std::size_t>(speed - model.body(k).v)].gear_ratio;
  }
  return 1.0;
}

std::optional<Moved> read_moved(Fields& item, const RigScope& scope, std::string& joint) {
  joint = item.text("joint");
  if (joint.empty() || scope.model == nullptr) return std::nullopt;
  const Result<int> speed = find_speed(*scope.model, joint);
  if (!speed) {
    item.error("joint", speed.error().what);
    return std::nullopt;
  }
  const Moved moved{*scope.model, *speed};
  if (moved.constants().motion >= 0) {
    item.error("joint", "the model prescribes the motion of " + in_quotes(joint) + ": no actuator can move it");
    return std::nullopt;
  }
  return moved;
}

CommandDimensions command_dimensions(ActuatorKind kind, const std::optional<Moved>& moved) {
  switch (kind) {
    case ActuatorKind::kForce:
      if (!moved) return {};
      if (moved->kind() == SpeedKind::kAngle) return {Dimension::torque(), Dimension::torque_rate()};
      return {Dimension::force(), Dimension::force_rate()};
    case ActuatorKind::kDcMotor:
      return {Dimension::voltage(), Dimension::voltage_rate()};
    case ActuatorKind::kCylinder:
      return {Dimension::none(), Dimension::per_time()};
  }
  return {};
}

/// Limits, initial value, and what delays and smoothes commands.
void read_chain(Fields& item, const CommandDimensions& dimensions, const RigScope& scope, ActuatorSpec& spec) {
  const bool is_valve = spec.kind == ActuatorKind::kCylinder;
  const std::optional<RigRange> limits = read_range(item, "limits", dimensions.value);
  if (limits) {
    spec.chain.lower = limits->lower;
    spec.chain.upper = limits->upper;
    if (is_valve && (limits->lower < -1.0 || limits->upper > 1.0)) {
      item.error("limits", "a valve opens from -1 (retract) to 1 (extend), got " + shown(limits->lower) + " to " +
                               shown(limits->upper));
    }
  } else if (is_valve) {
    spec.chain.lower = -1.0;
    spec.chain.upper = 1.0;
  }
  spec.initial = item.number_or("initial", dimensions.value, spec.initial);
  if (spec.initial < spec.chain.lower || spec.initial > spec.chain.upper) {
    item.error(item.has("initial") ? "initial" : "limits",
               "the initial command, " + shown(spec.initial) + ", lies beyond the limits" +
                   (item.has("initial") ? "" : "; give another under 'initial'"));
  }
  if (!is_word(item, "rate_limit", kNoneWord)) {
    spec.chain.rate_per_s = item.number_or("rate_limit", dimensions.rate, spec.chain.rate_per_s, Range::kPositive);
  }
  spec.chain.delay_s = read_delay(item, "delay", spec.chain.delay_s, scope);
  spec.chain.lag_s = item.number_or("lag", Dimension::time(), spec.chain.lag_s, Range::kNonNegative);
}

void read_staleness(Fields& command, const CommandDimensions& dimensions, const RigScope& scope,
                    rt::CommandSettings& settings) {
  settings.max_age_ticks = read_steps(command, "max_age", Rounding::kDown, scope);
  settings.when_stale = command.choice_or("when_stale", stale_words(), settings.when_stale);
  const bool ages = command.has("max_age") && !is_word(command, "max_age", kNoneWord);
  if (settings.when_stale != rt::StaleKind::kHold && !ages) {
    command.error("when_stale", "has no effect on commands that do not age: give 'max_age'");
  }
  const std::optional<double> ramp_per_s = command.optional_number("ramp", dimensions.rate, Range::kPositive);
  const bool ramps = settings.when_stale == rt::StaleKind::kRamp;
  if (ramps && !command.has("ramp")) command.error("", "missing key 'ramp': how fast a stale command goes to zero");
  if (!ramps && command.has("ramp")) command.error("ramp", "only 'when_stale: ramp' uses it");
  if (ramps && ramp_per_s && scope.dt_s) {
    settings.ramp_per_tick = *ramp_per_s * *scope.dt_s;
    if (!std::isnormal(settings.ramp_per_tick)) command.error("ramp", "is too slow or too fast to be counted in steps");
  }
  const bool goes_to_zero = ramps || settings.when_stale == rt::StaleKind::kZero;
  if (goes_to_zero && (settings.lower > 0.0 || settings.upper < 0.0)) {
    command.error("when_stale", "a stale command goes to zero, which the limits forbid");
  }
  command.finish();
}

rt::CommandSettings read_command(Fields& item, const CommandDimensions& dimensions, const RigScope& scope,
                                 const ActuatorSpec& spec) {
  rt::CommandSettings settings;
  settings.lower = spec.chain.lower;
  settings.upper = spec.chain.upper;
  settings.initial = spec.initial;
  if (std::optional<Fields> command = item.optional_child("command")) {
    read_staleness(*command, dimensions, scope, settings);
  }
  return settings;
}

void read_dc_motor(Fields& item, const std::optional<Moved>& moved, ActuatorSpec& spec) {
  if (moved && moved->kind() != SpeedKind::kAngle) {
    item.error("joint", "a dc_motor turns, and " + in_quotes(spec.joint) + " of a " + moved->joint_type() +
                            " joint is a length; kind 'force' pushes along it");
  }
  Fields motor = item.child("dc_motor");
  spec.motor = read_motor(motor, moved ? moved->gear_ratio() : spec.motor.gear_ratio);
}

std::string range_text(double lower_m, double upper_m) { return shown(lower_m) + " to " + shown(upper_m) + " m"; }

/// Whether the joint can go where the cylinder can.
void check_stroke(Fields& cylinder, const Moved& moved, const CylinderSettings& settings, const RigScope& scope) {
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

void read_cylinder_actuator(Fields& item, const std::optional<Moved>& moved, const RigScope& scope,
                            const std::vector<PumpSpec>& pumps, ActuatorSpec& spec) {
  if (moved && (moved->kind() != SpeedKind::kLength || moved->constants().q < 0)) {
    item.error("joint", "a cylinder moves along a length, and " + in_quotes(spec.joint) + " of a " +
                            moved->joint_type() + " joint is an angle: name the prismatic joint of its piston");
  }
  Fields cylinder = item.child("cylinder");
  const std::size_t errors_before = cylinder.values().diagnostics().count();
  spec.pump = cylinder.text("pump");
  spec.cylinder = read_cylinder(cylinder);
  check_pump(cylinder, pumps, spec, scope);
  const bool is_read = cylinder.values().diagnostics().count() == errors_before;
  if (is_read && moved && moved->kind() == SpeedKind::kLength) check_stroke(cylinder, *moved, spec.cylinder, scope);
}

/// The keys of one kind are no typing errors in another.
void refuse_keys_of_other_kinds(Fields& item, ActuatorKind kind) {
  for (const ActuatorKind other : {ActuatorKind::kDcMotor, ActuatorKind::kCylinder}) {
    const std::string_view key = name_of(other);
    if (other == kind || !item.has(key)) continue;
    item.error(key, "belongs to an actuator of kind " + in_quotes(key) + ", and this one is of kind " +
                        in_quotes(name_of(kind)));
  }
}

/// An actuator of unknown kind has no name afterwards: what refers to it is not judged.
void read_actuator(Fields& item, const RigScope& scope, RigNames& names, RigSpec& rig) {
  ActuatorSpec spec;
  spec.name = names.read(item);
  const std::optional<ActuatorKind> kind = item.choice("kind", actuator_words());
  const std::optional<Moved> moved = read_moved(item, scope, spec.joint);
  if (!kind) {
    rig.plant.actuators.emplace_back();
    rig.commands.emplace_back();
    return;
  }
  spec.kind = *kind;
  const CommandDimensions dimensions = command_dimensions(*kind, moved);
  read_chain(item, dimensions, scope, spec);
  const rt::CommandSettings command = read_command(item, dimensions, scope, spec);
  if (*kind == ActuatorKind::kDcMotor) read_dc_motor(item, moved, spec);
  if (*kind == ActuatorKind::kCylinder) read_cylinder_actuator(item, moved, scope, rig.plant.pumps, spec);
  refuse_keys_of_other_kinds(item, *kind);
  item.finish();
  rig.plant.actuators.push_back(spec);
  rig.commands.push_back(command);
}

void warn_of_idle_pumps(Fields& root, const RigScope& scope, const PlantSpec& plant) {
  for (std::size_t i = 0; i < plant.pumps.size(); ++i) {
    const std::string& name = plant.pumps[i].name;
    const bool is_used = std::any_of(plant.actuators.begin(), plant.actuators.end(),
                                     [&](const ActuatorSpec& actuator) { return actuator.pump == name; });
    if (is_used || name.empty()) continue;
    scope.warnings->add(root.node("pumps")->items[i].position, item_path("pumps", i), "no cylinder uses it");
  }
}

}  // namespace

void read_actuators(Fields& root, const RigScope& scope, RigSpec& spec) {
  std::vector<Fields> items = root.optional_list("actuators");
  if (items.size() > kMaxActuators) {
    root.error("actuators", "at most " + std::to_string(kMaxActuators) + " actuators fit into a command, got " +
                                std::to_string(items.size()));
    items.erase(items.begin() + kMaxActuators, items.end());
  }
  RigNames names("actuator");
  for (Fields& item : items) read_actuator(item, scope, names, spec);
  warn_of_idle_pumps(root, scope, spec.plant);
}

}  // namespace kinloop
