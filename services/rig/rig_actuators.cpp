// Actuators: what each moves, what its commands are measured in, and what lies between command and machine.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/actuators/actuator_type.hpp"
#include "core/base/nearest_name.hpp"
#include "core/plant/coordinate_names.hpp"
#include "rt/messages/command.hpp"
#include "services/rig/actuator_syntax.hpp"
#include "services/rig/field_kinds.hpp"
#include "services/rig/rig_tables.hpp"

namespace kinloop {
namespace {

/// Nothing where it is wrong or the model is not known.
std::optional<MovedCoordinate> read_moved(Fields& item, const RigScope& scope, std::string& joint) {
  joint = item.text("joint");
  if (joint.empty() || scope.model == nullptr) return std::nullopt;
  const Result<int> speed = find_speed(*scope.model, joint);
  if (!speed) {
    item.error("joint", speed.error().what);
    return std::nullopt;
  }
  const MovedCoordinate moved{*scope.model, *speed};
  if (moved.constants().motion >= 0) {
    item.error("joint", "the model prescribes the motion of " + in_quotes(joint) + ": no actuator can move it");
    return std::nullopt;
  }
  return moved;
}

void check_chain(Fields& item, const ActuatorSyntax& syntax, const ActuatorSpec& spec) {
  if (spec.chain.lower < syntax.lower || spec.chain.upper > syntax.upper) {
    item.error("limits", std::string(syntax.bounds_reason) + ", got " + shown(spec.chain.lower) + " to " +
                             shown(spec.chain.upper));
  }
  if (spec.initial < spec.chain.lower || spec.initial > spec.chain.upper) {
    item.error(item.has("initial") ? "initial" : "limits",
               "the initial command, " + shown(spec.initial) + ", lies beyond the limits" +
                   (item.has("initial") ? "" : "; give another under 'initial'"));
  }
}

constexpr std::string_view kWhatToWrite =
    "how old a command may grow before the actuator is made safe; write 'command: {max_age: 200 ms, when_stale: "
    "zero}', "
    "or 'command: {max_age: none}' where the last one shall hold whatever becomes of who sent it";

/// A rig that says nothing of it is not taken: a controller that dies would leave its last command in force. Where
/// nobody keeps time, in free mode, it is warned of.
void object_to_ageless(Fields& fields, std::string_view key, const RigScope& scope) {
  const std::string what = "missing key '" + std::string(key) + "': " + std::string(kWhatToWrite);
  if (scope.rig->mode == rt::Mode::kFree) {
    warn(fields, "", what, scope);
  } else {
    fields.error("", what);
  }
}

void check_age(Fields& command, const RigScope& scope, const rt::CommandSettings& settings) {
  if (!command.has("max_age")) return object_to_ageless(command, "max_age", scope);
  if (!is_word(command, "max_age", kNoneWord)) return;
  if (settings.when_stale != rt::StaleKind::kHold) {
    command.error("when_stale", "has no effect on commands that do not age: give 'max_age' a time");
  }
  scope.warnings->add(command.node("max_age")->position, command.path_of("max_age"),
                      "commands of this actuator never grow old: the last one stays in force when who sent it is gone");
}

void read_command(Fields& command, const RigScope& scope, rt::CommandSettings& settings) {
  read_fields(command_fields(), command, scope, settings);
  check_age(command, scope, settings);
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

/// The keys of one kind are no typing errors in another.
void refuse_keys_of_other_kinds(Fields& item, ActuatorKind kind) {
  for (const ActuatorSyntax& other : actuator_syntaxes()) {
    const std::string_view key = name_of(other.kind);
    if (other.kind == kind || other.mapping == nullptr || !item.has(key)) continue;
    item.error(key, "belongs to an actuator of kind " + in_quotes(key) + ", and this one is of kind " +
                        in_quotes(name_of(kind)));
  }
}

/// An actuator of unknown kind has no name afterwards: what refers to it is not judged.
ActuatorItem read_actuator(Fields& item, RigScope scope) {
  ActuatorItem read;
  ActuatorSpec& spec = read.spec;
  spec.name = scope.names->read(item);
  const std::optional<ActuatorKind> kind = item.choice("kind", actuator_words());
  const std::optional<MovedCoordinate> moved = read_moved(item, scope, spec.joint);
  if (!kind) return {};
  spec.kind = *kind;
  const ActuatorSyntax& syntax = actuator_syntax(*kind);
  const CommandDimensions dimensions = syntax.command(moved);
  scope.value = dimensions.value;
  scope.rate = dimensions.rate;
  spec.chain.lower = syntax.lower;
  spec.chain.upper = syntax.upper;
  read_fields(actuator_fields(), item, scope, read);
  check_chain(item, syntax, spec);
  read.command.lower = spec.chain.lower;
  read.command.upper = spec.chain.upper;
  read.command.initial = spec.initial;
  if (!item.has("command")) object_to_ageless(item, "command", scope);
  read.lacks_age = !item.has("command");
  if (std::optional<Fields> command = item.optional_child("command")) {
    read.lacks_age = !command->has("max_age");
    read_command(*command, scope, read.command);
  }
  if (syntax.read != nullptr) syntax.read(item, moved, scope, spec);
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

RigFields<ActuatorItem> make_actuator_fields() {
  using Item = ActuatorItem;
  constexpr auto kIn = &Item::spec;
  constexpr auto kChain = &ActuatorSpec::chain;
  using Chain = CommandChainSettings;
  RigFields<Item> fields = {
      unread(field("name", ItemName{}, kRequired,
                   "unique among actuators: a letter or `_`, then letters, digits and `_`", kIn, &ActuatorSpec::name)),
      unread(field("joint", Text{}, kRequired,
                   "what it moves: a joint, or `gimbal.0`, `gimbal.1` where a joint has several speeds. Not one with a "
                   "prescribed motion",
                   kIn, &ActuatorSpec::joint)),
      unread(field("kind", Word<ActuatorKind>{actuator_words}, kRequired,
                   "`force`, `dc_motor` or `cylinder`; the latter two need the mapping of that name", kIn,
                   &ActuatorSpec::kind)),
  };
  for (const ActuatorSyntax& syntax : actuator_syntaxes()) {
    if (syntax.mapping != nullptr) fields.push_back(syntax.mapping());
  }
  const RigFields<Item> of_the_chain = {
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
      required(section<Item>("command", "command", command_fields(),
                             "what happens to commands that grow old, see below",
                             [](const Item& item) { return item.command; })),
  };
  fields.insert(fields.end(), of_the_chain.begin(), of_the_chain.end());
  return fields;
}

}  // namespace

const RigFields<rt::CommandSettings>& command_fields() {
  using S = rt::CommandSettings;
  static const RigFields<S> kFields = {
      field("max_age", Ticks{Rounding::kDown}, kRequired,
            "of a command in force, rounded down to whole steps; `none`: commands do not age, of which `check`, `run` "
            "and the page warn. In mode `free` alone it may be left out, which means `none` and is warned of by the "
            "same three; such a rig runs in no other mode",
            &S::max_age_ticks),
      field("when_stale", Word<rt::StaleKind>{rt::stale_names}, "hold",
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
  static const RigFields<ActuatorItem> kFields = make_actuator_fields();
  return kFields;
}

void read_actuators(Fields& root, const RigScope& scope, RigSpec& spec) {
  RigNames names("actuator");
  RigScope of_actuators = scope;
  of_actuators.names = &names;
  for (Fields& item : read_list(root, "actuators", kMaxActuators, "actuators fit into a command")) {
    const ActuatorItem read = read_actuator(item, of_actuators);
    spec.plant.actuators.push_back(read.spec);
    spec.commands.push_back(read.command);
    if (read.lacks_age) spec.lacking_age.push_back(read.spec.name);
  }
  warn_of_idle_pumps(root, scope, spec.plant);
}

}  // namespace kinloop
