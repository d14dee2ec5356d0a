// What the page shows of a rig: controls, cameras, plots, the instructor's buttons.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/nearest_name.hpp"
#include "services/files/motion_columns.hpp"
#include "services/rig/field_kinds.hpp"
#include "services/rig/rig_tables.hpp"

namespace kinloop {
namespace {

constexpr long long kMaxGamepadAxes = 16;
constexpr double kLongest_s = 1e6;
constexpr double kLeastAge_s = 0.1;  // of commands by hand

template <class Spec>
void add_names(const std::vector<Spec>& specs, const std::string& prefix, std::vector<std::string>& names) {
  for (const Spec& spec : specs) names.push_back(prefix + spec.name);
}

RigNameLists lists_of(const Model* model, const PlantSpec& plant) {
  RigNameLists lists;
  add_names(plant.actuators, "", lists.actuators);
  add_names(plant.sensors, "", lists.signals);
  add_names(plant.actuators, "", lists.signals);
  add_names(plant.sensors, "sensor.", lists.plotted);
  add_names(plant.actuators, "command.", lists.plotted);
  if (model == nullptr) return lists;
  for (int k = 1; k < model->body_count(); ++k) lists.bodies.push_back(model->body_name(k));
  for (const MotionColumn& column : position_columns(*model)) lists.plotted.push_back(column.name);
  for (int i = 0; i < model->nv(); ++i) lists.plotted.push_back("u." + model->speed_name(i));
  return lists;
}

void read_keys(const KeyReading& key, DriveAxisSpec& axis) {
  const auto keys = key.fields.optional_texts(key.name);
  if (!keys) return;
  if (keys->size() != 2) return key.error("expected two, [up, down], got " + std::to_string(keys->size()));
  for (const std::string& one : *keys) {
    if (key_code(one).empty()) {
      key.error("there is no key " + in_quotes(one) + "; a to z, 0 to 9, up, down, left, right");
    }
  }
  axis.key_up = keys->at(0);
  axis.key_down = keys->at(1);
}

void warn_of_age(Fields& item, const rt::CommandSettings& command, const RigScope& scope) {
  if (command.max_age_ticks == 0 || !scope.dt_s) return;
  const double age_s = static_cast<double>(command.max_age_ticks) * *scope.dt_s;
  if (age_s >= kLeastAge_s) return;
  warn(item, "actuator",
       "its commands are too old before the next comes: a page sends one every 33 ms, or later; let max_age be 200 "
       "ms",
       scope);
}

/// As far as the actuator goes, unless it is given; an actuator without limits must be given its range.
void read_deflection(Fields& item, const RigScope& scope, DriveAxisSpec& axis) {
  const RigSpec& rig = *scope.rig;
  const std::vector<std::string>& actuators = scope.lists->actuators;
  const auto found = std::find(actuators.begin(), actuators.end(), axis.actuator);
  const bool is_known = found != actuators.end() && !has_unnamed(rig.plant.actuators);
  const auto at = static_cast<std::size_t>(found - actuators.begin());
  const bool is_limited = is_known && std::isfinite(rig.commands[at].lower) && std::isfinite(rig.commands[at].upper);
  if (is_limited) {
    axis.lowest = rig.commands[at].lower;
    axis.highest = rig.commands[at].upper;
  }
  if (const auto range = read_range(item, "range", Dimension::any())) {
    axis.lowest = range->lower;
    axis.highest = range->upper;
    if (is_limited && (range->lower < rig.commands[at].lower || range->upper > rig.commands[at].upper)) {
      item.error("range", "goes beyond the actuator's limits: commands there are refused");
    }
  } else if (is_known && !is_limited && !item.has("range")) {
    item.error("", "missing key 'range': the actuator has no limits");
  }
  const double first = is_known ? rig.plant.actuators[at].initial : 0.0;  // taking control then changes nothing
  axis.rest = item.number_or("rest", Dimension::any(), std::clamp(first, axis.lowest, axis.highest));
  if (axis.rest < axis.lowest || axis.rest > axis.highest) item.error("rest", "lies outside the range");
  if (is_known) warn_of_age(item, rig.commands[at], scope);
}

void check_camera(Fields& item, const CameraSpec& camera) {
  if (camera.from == camera.to && item.has("from") && item.has("to")) item.error("to", "is where it stands itself");
}

void read_plots(Fields& panel, const RigScope& scope, PanelSpec& out) {
  const YamlNode* list = panel.optional_sequence("plots");
  if (list == nullptr) return;
  if (list->items.size() > kMaxPlots) {
    return panel.error("plots", "at most 16, got " + std::to_string(list->items.size()));
  }
  const PlantSpec& plant = scope.rig->plant;
  const std::vector<std::string>& plotted = scope.lists->plotted;
  const bool is_sure = scope.model != nullptr && !has_unnamed(plant.actuators) && !has_unnamed(plant.sensors);
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const std::string path = panel.path_of("plots") + "[" + std::to_string(i) + "]";
    const auto signals = panel.values().texts(list->items[i], path);
    if (!signals) continue;
    for (std::size_t k = 0; k < signals->size(); ++k) {
      const std::string& name = (*signals)[k];
      const bool is_known = std::find(plotted.begin(), plotted.end(), name) != plotted.end();
      if (is_known || !is_sure) continue;
      panel.values().report(list->items[i].items[k], path + "[" + std::to_string(k) + "]",
                            no_such("signal", name, plotted));
    }
    out.plots.push_back(*signals);
  }
}

std::string plots_text(const std::vector<std::vector<std::string>>& plots, const WriteScope& /*scope*/) {
  std::string panes;
  for (const std::vector<std::string>& pane : plots) panes += (panes.empty() ? "" : ", ") + names(pane);
  return panes.empty() ? panes : "[" + panes + "]";
}

void read_fault_kind(const KeyReading& key, SignalFault& value) {
  const std::string kind = key.fields.text(key.name);
  const Result<SignalFault> fault = find_signal_fault(kind);
  if (fault && *fault != SignalFault::kNone) {
    value = *fault;
  } else if (!kind.empty()) {
    key.error("off, stuck, bias, drift, noise, wrong_sign, delay or drop, got " + in_quotes(kind));
  }
}

/// A fault may have one, an override must.
void read_action_value(const KeyReading& key, ScenarioAction& action) {
  const bool must = action.verb == ScenarioVerb::kOverride;
  action.value = must ? key.fields.number(key.name, Dimension::any())
                      : key.fields.number_or(key.name, Dimension::any(), action.value);
}

void read_action_duration(const KeyReading& key, double& duration_s) {
  duration_s = key.fields.number_or(key.name, Dimension::time(), duration_s, Range::kNonNegative);
  if (duration_s > kLongest_s) key.error("is at most 1e6 s, got " + shown(duration_s) + " s");
}

void read_new_parameters(Fields& item, const RigScope& /*scope*/, ScenarioAction& action) {
  const YamlNode* settings = item.node("set");
  if (!settings->is_mapping() || settings->entries.empty()) {
    return item.error("set", "expected a mapping of parameters of the model to what they are to be");
  }
  for (const YamlEntry& entry : settings->entries) {
    if (entry.value.is_scalar()) {
      action.parameters.push_back({entry.key, entry.value.text});
    } else {
      item.error("set", in_quotes(entry.key) + " wants a number or an expression");
    }
  }
}

void read_cleared(const KeyReading& key, std::string& target) {
  if (!key.is_word("all")) OneOf{"signal", &RigNameLists::signals}.read(key, target);
}

constexpr std::array<Choice<ScenarioVerb>, 9> kActionVerbs{{{"fault", ScenarioVerb::kFault},
                                                            {"override", ScenarioVerb::kOverride},
                                                            {"push", ScenarioVerb::kForce},
                                                            {"set", ScenarioVerb::kParameters},
                                                            {"clear", ScenarioVerb::kClear},
                                                            {"note", ScenarioVerb::kNote},
                                                            {"reset", ScenarioVerb::kReset},
                                                            {"pause", ScenarioVerb::kPause},
                                                            {"resume", ScenarioVerb::kResume}}};
constexpr std::size_t kVerbKeys = 6;  // that are keys of their own; the others are words under `verb`

/// By the key that the action has.
ScenarioVerb read_verb(Fields& item) {
  for (std::size_t i = 0; i < kVerbKeys; ++i) {
    if (item.has(kActionVerbs[i].name)) return kActionVerbs[i].value;
  }
  const auto words = ChoiceTable<ScenarioVerb>(kActionVerbs).subspan(kVerbKeys);
  if (item.has("verb")) return item.choice("verb", words).value_or(ScenarioVerb::kReset);
  item.error("", "wants one of fault, override, push, set, clear, note or verb (reset, pause, resume)");
  return ScenarioVerb::kReset;
}

std::string verb_word(const ScenarioAction& action, const WriteScope& /*scope*/) {
  for (const Choice<ScenarioVerb>& choice : ChoiceTable<ScenarioVerb>(kActionVerbs).subspan(kVerbKeys)) {
    if (choice.value == action.verb) return std::string(choice.name);
  }
  return {};
}

/// A field of actions with one of these verbs.
template <class... Verbs>
RigField<ScenarioAction> of(RigField<ScenarioAction> field, Verbs... verbs) {
  return only_if([=](const ScenarioAction& action) { return ((action.verb == verbs) || ...); }, std::move(field));
}

std::string axis_range_text(const DriveAxisSpec& axis, const WriteScope& /*scope*/) {
  return Limits::range_text(axis.lowest, axis.highest);
}

}  // namespace

const RigFields<DriveAxisSpec>& axis_fields() {
  using S = DriveAxisSpec;
  static const RigFields<S> kFields = {
      field("actuator", OneOf{"actuator", &RigNameLists::actuators}, kRequired, "that it moves", &S::actuator),
      field("label", Text{}, derived("the actuator's name"), "on the page", &S::label),
      field("up", Text{}, derived("none"), "what its upper end means: `raise`", &S::up),
      field("down", Text{}, derived("none"), "what its lower end means: `lower`", &S::down),
      shared_field<S>(
          "keys",
          array_schema(2, R"({"type": ["string", "integer"], "pattern": "^([a-z0-9]|up|down|left|right)$", )"
                          R"("minimum": 0, "maximum": 9})"),
          derived("none"), "`[up, down]`: `a` to `z`, `0` to `9`, `up`, `down`, `left`, `right`", read_keys,
          [](const S& axis, const WriteScope&) {
            return axis.key_up.empty() ? std::string{} : names({axis.key_up, axis.key_down});
          }),
      field("gamepad", Whole{-kMaxGamepadAxes, kMaxGamepadAxes}, "0",
            "axis of a gamepad, counted from 1; negative: turned round; 0: none", &S::gamepad_axis),
      shared_field<S>("range", array_schema(2, kQuantitySchema), derived("the actuator's limits"),
                      "`[lowest, highest]` command, within the limits", nullptr, axis_range_text),
      unread(field("rest", Number{Dimension::any()}, derived("the actuator's `initial`, or the nearest in the range"),
                   "where it springs back to", &S::rest)),
      field("holds", YesNo{}, "false", "it stays where it is let go", &S::holds),
  };
  return kFields;
}

const RigFields<CameraSpec>& camera_fields() {
  using S = CameraSpec;
  static const RigFields<S> kFields = {
      field("name", Text{}, kRequired, "on the page", &S::name),
      field("from", Point{Dimension::length()}, kRequired, "where it stands, m", &S::from),
      field("to", Point{Dimension::length()}, kRequired, "what it looks at, m", &S::to),
      field("follows", OneOf{"body", &RigNameLists::bodies}, derived("the world"), "a body with which both move",
            &S::follows),
  };
  return kFields;
}

const RigFields<ScenarioAction>& action_fields() {
  using S = ScenarioAction;
  using Verb = ScenarioVerb;
  const OneOf signal{"signal", &RigNameLists::signals};
  static const RigFields<S> kFields = {
      of(field("fault", signal, kRequired, "injects a fault into a signal; with `kind`, `value`, `for`", &S::target),
         Verb::kFault),
      of(field("override", signal, kRequired, "a value instead of the signal's own; with `value`, `for`", &S::target),
         Verb::kOverride),
      of(field("push", OneOf{"body", &RigNameLists::bodies}, kRequired,
               "a body that a force acts on; with `force`, `at`, `for`", &S::target),
         Verb::kForce),
      of(field("kind",
               Special<SignalFault>{
                   read_fault_kind,
                   [](const SignalFault& fault, const WriteScope&) { return std::string(name_of(fault)); },
                   words_schema({"off", "stuck", "bias", "drift", "noise", "wrong_sign", "delay", "drop"})},
               derived("required with `fault`"),
               "`off`, `stuck`, `bias`, `drift`, `noise`, `wrong_sign`, `delay`, `drop`", &S::fault),
         Verb::kFault),
      of(shared_field<S>("value", quantity_schema(""), derived("0; required with `override`"), "of fault or override",
                         read_action_value, [](const S& action, const WriteScope&) { return number(action.value); }),
         Verb::kFault, Verb::kOverride),
      of(field("force", Point{Dimension::force()}, kRequired, "in world axes", &S::force), Verb::kForce),
      of(field("at", Point{Dimension::length()}, "[0, 0, 0]", "a point of the body", &S::point), Verb::kForce),
      of(field("for",
               Special<double>{read_action_duration,
                               [](const double& duration_s, const WriteScope&) { return number(duration_s, "s"); },
                               quantity_schema("")},
               derived("until it is cleared; a push one step"), "how long", &S::duration_s),
         Verb::kFault, Verb::kOverride, Verb::kForce),
      of(read_by(read_new_parameters,
                 settings_field("set", R"("type": "object", "minProperties": 1)",
                                "parameters of the model and what they are to be", &S::parameters)),
         Verb::kParameters),
      of(field("clear",
               Special<std::string>{read_cleared,
                                    [](const std::string& target, const WriteScope&) {
                                      return target.empty() ? std::string("all") : in_double_quotes(target);
                                    },
                                    Text{}.schema()},
               kRequired, "a signal: ends its fault and override; `all`: of all signals, and forces", &S::target),
         Verb::kClear),
      of(field("note", Text{}, kRequired, "a text into events and record", &S::target), Verb::kNote),
      shared_field<S>("verb", words_schema({"reset", "pause", "resume"}), derived(""), "`reset`, `pause` or `resume`",
                      nullptr, verb_word),
  };
  return kFields;
}

const RigFields<ScenarioSpec>& scenario_fields() {
  using S = ScenarioSpec;
  static const RigFields<S> kFields = [] {
    RigFields<S> fields = {
        field("name", Text{}, kRequired, "on the button", &S::name),
        field("notes", Text{}, derived("none"), "beside it", &S::notes),
        list<S>("do", "action", kMaxActions, action_fields(), "what happens, one after the other",
                [](const S& scenario) { return scenario.actions; }),
    };
    fields.back().fallback = kRequired;
    fields.back().write = [actions = fields.back().write](const S& scenario, const WriteScope& scope, Lines& lines) {
      if (scenario.actions.empty()) lines.add("do", "[]");
      actions(scenario, scope, lines);
    };
    return fields;
  }();
  return kFields;
}

const RigFields<PanelSpec>& panel_fields() {
  using S = PanelSpec;
  static const RigFields<S> kFields = {
      list<S>("drive", "drive_axis", kMaxAxes, axis_fields(), "controls, in the order of the page",
              [](const S& panel) { return panel.axes; }),
      list<S>("cameras", "camera", kMaxCameras, camera_fields(), "places to look from",
              [](const S& panel) { return panel.cameras; }),
      read_by(
          read_plots,
          field("plots",
                Special<std::vector<std::vector<std::string>>>{
                    nullptr, plots_text,
                    R"("type": "array", "maxItems": 16, "items": {"type": "array", "items": {"type": "string", )"
                    R"("minLength": 1}})"},
                derived("none"),
                "the panes of the page, each a list of signals: `sensor.NAME`, `command.NAME`, `q.JOINT`, `u.JOINT`",
                &S::plots)),
      list<S>("scenarios", "scenario", kMaxScenarios, scenario_fields(), "the instructor's buttons",
              [](const S& panel) { return panel.scenarios; }),
  };
  return kFields;
}

std::string key_code(std::string_view key) {
  if (key.size() == 1 && key[0] >= 'a' && key[0] <= 'z')
    return std::string("Key") + static_cast<char>(key[0] - 'a' + 'A');
  if (key.size() == 1 && key[0] >= '0' && key[0] <= '9') return "Digit" + std::string(key);
  if (key == "up") return "ArrowUp";
  if (key == "down") return "ArrowDown";
  if (key == "left") return "ArrowLeft";
  if (key == "right") return "ArrowRight";
  return {};
}

namespace {

ScenarioAction read_action(Fields& item, const RigScope& scope) {
  ScenarioAction action;
  action.verb = read_verb(item);
  read_fields(action_fields(), item, scope, action);
  item.finish();
  return action;
}

void read_drive(Fields& panel, const RigScope& scope, PanelSpec& out) {
  for (Fields& item : read_list(panel, "drive", kMaxAxes)) {
    DriveAxisSpec axis;
    read_fields(axis_fields(), item, scope, axis);
    read_deflection(item, scope, axis);
    item.finish();
    out.axes.push_back(axis);
  }
}

void read_cameras(Fields& panel, const RigScope& scope, PanelSpec& out) {
  for (Fields& item : read_list(panel, "cameras", kMaxCameras)) {
    CameraSpec camera;
    read_fields(camera_fields(), item, scope, camera);
    check_camera(item, camera);
    item.finish();
    out.cameras.push_back(camera);
  }
}

void read_scenarios(Fields& panel, const RigScope& scope, PanelSpec& out) {
  for (Fields& item : read_list(panel, "scenarios", kMaxScenarios)) {
    ScenarioSpec scenario;
    read_fields(scenario_fields(), item, scope, scenario);
    if (!item.has("do")) item.error("", "missing key 'do': what the button does");
    for (Fields& action : read_list(item, "do", kMaxActions)) scenario.actions.push_back(read_action(action, scope));
    item.finish();
    out.scenarios.push_back(scenario);
  }
}

}  // namespace

void read_panel(Fields& root, const RigScope& scope, RigSpec& spec) {
  std::optional<Fields> panel = root.optional_child("panel");
  if (!panel) return;
  const RigNameLists lists = lists_of(scope.model, spec.plant);
  RigScope of_panel = scope;
  of_panel.lists = &lists;
  read_drive(*panel, of_panel, spec.panel);
  read_cameras(*panel, of_panel, spec.panel);
  read_fields(panel_fields(), *panel, of_panel, spec.panel);
  read_scenarios(*panel, of_panel, spec.panel);
  panel->finish();
}

}  // namespace kinloop
