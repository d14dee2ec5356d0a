// Actuators: what each moves, what its commands are measured in, and what lies between command and machine.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/nearest_name.hpp"
#include "core/joints/joint.hpp"
#include "core/plant/coordinate_names.hpp"
#include "rt/messages/command.hpp"
#include "services/rig/field_kinds.hpp"
#include "services/rig/rig_tables.hpp"

namespace kinloop {
namespace {

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

/// What a command and its rate of change are measured in.
void set_command_dimensions(ActuatorKind kind, const std::optional<Moved>& moved, RigScope& scope) {
  scope.value = scope.rate = Dimension::any();
  switch (kind) {
    case ActuatorKind::kForce:
      if (!moved) return;
      scope.value = moved->kind() == SpeedKind::kAngle ? Dimension::torque() : Dimension::force();
      scope.rate = moved->kind() == SpeedKind::kAngle ? Dimension::torque_rate() : Dimension::force_rate();
      return;
    case ActuatorKind::kDcMotor:
      scope.value = Dimension::voltage();
      scope.rate = Dimension::voltage_rate();
      return;
    case ActuatorKind::kCylinder:
      scope.value = Dimension::none();
      scope.rate = Dimension::per_time();
  }
}

void check_chain(Fields& item, const ActuatorSpec& spec) {
  const bool is_valve = spec.kind == ActuatorKind::kCylinder;
  if (is_valve && (spec.chain.lower < -1.0 || spec.chain.upper > 1.0)) {
    item.error("limits", "a valve opens from -1 (retract) to 1 (extend), got " + shown(spec.chain.lower) + " to " +
                             shown(spec.chain.upper));
  }
  if (spec.initial < spec.chain.lower || spec.initial > spec.chain.upper) {
    item.error(item.has("initial") ? "initial" : "limits",
               "the initial command, " + shown(spec.initial) + ", lies beyond the limits" +
                   (item.has("initial") ? "" : "; give another under 'initial'"));
  }
}

void read_command(Fields& command, const RigScope& scope, rt::CommandSettings& settings) {
  read_fields(command_fields(), command, scope, settings);
  const bool ages = command.has("max_age") && !is_word(command, "max_age", kNoneWord);
  if (settings.when_stale != rt::StaleKind::kHold && !ages) {
    command.error("when_stale", "has no effect on commands that do not age: give 'max_age'");
  }
  const std::optional<double> ramp_per_s = command.optional_number("ramp", scope.rate, Range::kPositive);
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

/// The rate per second that gives exactly this change a step again.
std::string ramp_text(const double& per_step, const WriteScope& scope) {
  const double rate = per_step / scope.dt_s;
  double lower = rate;
  double upper = rate;
  constexpr int kNeighbours = 4;  // quotient and product are rounded once each
  for (int i = 0; i < kNeighbours; ++i) {
    if (lower * scope.dt_s == per_step) return number(lower);
    if (upper * scope.dt_s == per_step) return number(upper);
    lower = std::nextafter(lower, -std::numeric_limits<double>::infinity());
    upper = std::nextafter(upper, std::numeric_limits<double>::infinity());
  }
  return number(rate);
}

void read_dc_motor(Fields& item, const std::optional<Moved>& moved, const RigScope& scope, ActuatorSpec& spec) {
  if (moved && moved->kind() != SpeedKind::kAngle) {
    item.error("joint", "a dc_motor turns, and " + in_quotes(spec.joint) + " of a " + moved->joint_type() +
                            " joint is a length; kind 'force' pushes along it");
  }
  Fields motor = item.child("dc_motor");
  read_motor(motor, scope, moved ? moved->gear_ratio() : spec.motor.gear_ratio, spec.motor);
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
  read_cylinder(cylinder, scope, spec);
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
ActuatorItem read_actuator(Fields& item, RigScope scope, const RigSpec& rig) {
  ActuatorItem read;
  ActuatorSpec& spec = read.spec;
  spec.name = scope.names->read(item);
  const std::optional<ActuatorKind> kind = item.choice("kind", actuator_words());
  const std::optional<Moved> moved = read_moved(item, scope, spec.joint);
  if (!kind) return {};
  spec.kind = *kind;
  set_command_dimensions(*kind, moved, scope);
  if (*kind == ActuatorKind::kCylinder) {
    spec.chain.lower = -1.0;
    spec.chain.upper = 1.0;
  }
  read_fields(actuator_fields(), item, scope, read);
  check_chain(item, spec);
  read.command.lower = spec.chain.lower;
  read.command.upper = spec.chain.upper;
  read.command.initial = spec.initial;
  if (std::optional<Fields> command = item.optional_child("command")) read_command(*command, scope, read.command);
  if (*kind == ActuatorKind::kDcMotor) read_dc_motor(item, moved, scope, spec);
  if (*kind == ActuatorKind::kCylinder) read_cylinder_actuator(item, moved, scope, rig.plant.pumps, spec);
  refuse_keys_of_other_kinds(item, *kind);
  item.finish();
  return read;
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

const RigFields<rt::CommandSettings>& command_fields() {
  using S = rt::CommandSettings;
  static const RigFields<S> kFields = {
      field("max_age", Ticks{Rounding::kDown}, "none",
            "of a command in force, rounded down to whole steps; `none`: commands do not age", &S::max_age_ticks),
      field("when_stale", Word<rt::StaleKind>{stale_words}, "hold",
            "what an older one becomes: `hold`, `zero`, `ramp` (to zero), `freeze` (the plant stands still)",
            &S::when_stale),
      written_if(
          [](const S& command) { return command.when_stale == rt::StaleKind::kRamp; },
          unread(field("ramp", Special<double>{nullptr, ramp_text, quantity_schema(R"("exclusiveMinimum": 0)")},
                       derived("required with `ramp`"), "how fast it goes to zero, per second", &S::ramp_per_tick))),
  };
  return kFields;
}

const RigFields<ActuatorItem>& actuator_fields() {
  using Item = ActuatorItem;
  constexpr auto kIn = &Item::spec;
  constexpr auto kChain = &ActuatorSpec::chain;
  using Chain = CommandChainSettings;
  static const RigFields<Item> kFields = {
      unread(field("name", ItemName{}, kRequired,
                   "unique among actuators: a letter or `_`, then letters, digits and `_`", kIn, &ActuatorSpec::name)),
      unread(field("joint", Text{}, kRequired,
                   "what it moves: a joint, or `gimbal.0`, `gimbal.1` where a joint has several speeds. Not one with a "
                   "prescribed motion",
                   kIn, &ActuatorSpec::joint)),
      unread(field("kind", Word<ActuatorKind>{actuator_words}, kRequired,
                   "`force`, `dc_motor` or `cylinder`; the latter two need the mapping of that name", kIn,
                   &ActuatorSpec::kind)),
      section<Item>(
          "dc_motor", "dc_motor", dc_motor_fields(), "of kind `dc_motor`, see below",
          [](const Item& item) { return item.spec.motor; },
          [](const Item& item) { return item.spec.kind == ActuatorKind::kDcMotor; }),
      section<Item>(
          "cylinder", "cylinder", cylinder_fields(), "of kind `cylinder`, see below",
          [](const Item& item) { return item.spec; },
          [](const Item& item) { return item.spec.kind == ActuatorKind::kCylinder; }),
      field("limits", Limits{}, derived("`none`; of a cylinder `[-1, 1]`"),
            "`[lower, upper]`: commands beyond are refused; `none`", kIn, kChain),
      field("rate_limit",
            Number{.range = Range::kPositive,
                   .word = kNoneWord,
                   .stands_for = std::numeric_limits<double>::infinity(),
                   .of_scope = &RigScope::rate},
            "none", "how fast the effective command may change, per second; `none`", kIn, kChain, &Chain::rate_per_s),
      field("delay", Delay{}, "0 s",
            "of commands, at most 10 s and 100 000 steps; all delays of a rig together at most 1 000 000 steps", kIn,
            kChain, &Chain::delay_s),
      field("lag", Number{Dimension::time(), "s", Range::kNonNegative}, "0 s",
            "time constant of a first-order lag; 0: none", kIn, kChain, &Chain::lag_s),
      field("initial", in_unit(&RigScope::value), "0", "in force until the first command", kIn, &ActuatorSpec::initial),
      section<Item>("command", "command", command_fields(), "what happens to commands that grow old, see below",
                    [](const Item& item) { return item.command; }),
  };
  return kFields;
}

void read_actuators(Fields& root, const RigScope& scope, RigSpec& spec) {
  RigNames names("actuator");
  RigScope of_actuators = scope;
  of_actuators.names = &names;
  for (Fields& item : read_list(root, "actuators", kMaxActuators, "actuators fit into a command")) {
    const ActuatorItem read = read_actuator(item, of_actuators, spec);
    spec.plant.actuators.push_back(read.spec);
    spec.commands.push_back(read.command);
  }
  warn_of_idle_pumps(root, scope, spec.plant);
}

}  // namespace kinloop
