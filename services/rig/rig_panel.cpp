// Reads what the page shows of a rig: controls, cameras, plots, the instructor's buttons.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/nearest_name.hpp"
#include "services/files/motion_columns.hpp"
#include "services/rig/rig_sections.hpp"
#include "services/rig/rig_words.hpp"

namespace kinloop {
namespace {

constexpr std::size_t kMaxAxes = 64;
constexpr std::size_t kMaxCameras = 16;
constexpr std::size_t kMaxPlots = 16;
constexpr std::size_t kMaxScenarios = 64;
constexpr std::size_t kMaxActions = 32;
constexpr long long kMaxGamepadAxes = 16;
constexpr double kLongest_s = 1e6;
constexpr double kLeastAge_s = 0.1;  // of commands by hand

using Names = std::vector<std::string>;

template <class Spec>
void add_names(const std::vector<Spec>& specs, const std::string& prefix, Names& names) {
  for (const Spec& spec : specs) names.push_back(prefix + spec.name);
}

std::string unknown(const char* kind, const std::string& name, const Names& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  return std::string("the rig has no ") + kind + " " + in_quotes(name) + did_you_mean(name, known);
}

/// A name of the list, or an error.
std::string read_one_of(Fields& item, std::string_view key, const char* kind, const Names& names) {
  std::string name = item.text(key);
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
    item.error(key, unknown(kind, name, names));
  }
  return name;
}

/// A list with at most so many items.
std::vector<Fields> read_list(Fields& fields, std::string_view key, std::size_t most) {
  std::vector<Fields> items = fields.optional_list(key);
  if (items.size() > most) {
    fields.error(key, "at most " + std::to_string(most) + ", got " + std::to_string(items.size()));
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(most), items.end());
  }
  return items;
}

double read_action_duration(Fields& item) {
  const double duration_s = item.number_or("for", Dimension::time(), 0.0, Range::kNonNegative);
  if (duration_s > kLongest_s) item.error("for", "is at most 1e6 s, got " + shown(duration_s) + " s");
  return duration_s;
}

class PanelReader {
 public:
  PanelReader(const RigScope& scope, const RigSpec& spec) : scope_(scope), spec_(spec) {
    add_names(spec.plant.actuators, "", actuators_);
    add_names(spec.plant.sensors, "", signals_);
    add_names(spec.plant.actuators, "", signals_);
    add_names(spec.plant.sensors, "sensor.", plotted_);
    add_names(spec.plant.actuators, "command.", plotted_);
    if (scope.model == nullptr) return;
    for (int k = 1; k < scope.model->body_count(); ++k) bodies_.push_back(scope.model->body_name(k));
    for (const MotionColumn& column : position_columns(*scope.model)) plotted_.push_back(column.name);
    for (int i = 0; i < scope.model->nv(); ++i) plotted_.push_back("u." + scope.model->speed_name(i));
  }

  void read(Fields& panel, PanelSpec& out) {
    for (Fields& item : read_list(panel, "drive", kMaxAxes)) out.axes.push_back(read_axis(item));
    for (Fields& item : read_list(panel, "cameras", kMaxCameras)) out.cameras.push_back(read_camera(item));
    read_plots(panel, out);
    for (Fields& item : read_list(panel, "scenarios", kMaxScenarios)) out.scenarios.push_back(read_scenario(item));
    panel.finish();
  }

 private:
  DriveAxisSpec read_axis(Fields& item) {
    DriveAxisSpec axis;
    axis.actuator = read_one_of(item, "actuator", "actuator", actuators_);
    axis.label = item.optional_text("label").value_or("");
    axis.up = item.optional_text("up").value_or("");
    axis.down = item.optional_text("down").value_or("");
    read_keys(item, axis);
    axis.gamepad_axis = static_cast<int>(item.integer_or("gamepad", -kMaxGamepadAxes, kMaxGamepadAxes, 0));
    read_deflection(item, axis);
    axis.holds = item.boolean_or("holds", false);
    item.finish();
    return axis;
  }

  static void read_keys(Fields& item, DriveAxisSpec& axis) {
    const auto keys = item.optional_texts("keys");
    if (!keys) return;
    if (keys->size() != 2) return item.error("keys", "expected two, [up, down], got " + std::to_string(keys->size()));
    for (const std::string& key : *keys) {
      if (key_code(key).empty()) {
        item.error("keys", "there is no key " + in_quotes(key) + "; a to z, 0 to 9, up, down, left, right");
      }
    }
    axis.key_up = keys->at(0);
    axis.key_down = keys->at(1);
  }

  /// As far as the actuator goes, unless it is given; an actuator without limits must be given its range.
  void read_deflection(Fields& item, DriveAxisSpec& axis) {
    const auto found = std::find(actuators_.begin(), actuators_.end(), axis.actuator);
    const bool is_known = found != actuators_.end() && !has_unnamed(spec_.plant.actuators);
    const auto at = static_cast<std::size_t>(found - actuators_.begin());
    const bool is_limited =
        is_known && std::isfinite(spec_.commands[at].lower) && std::isfinite(spec_.commands[at].upper);
    if (is_limited) {
      axis.lowest = spec_.commands[at].lower;
      axis.highest = spec_.commands[at].upper;
    }
    if (const auto range = read_range(item, "range", Dimension::any())) {
      axis.lowest = range->lower;
      axis.highest = range->upper;
      if (is_limited && (range->lower < spec_.commands[at].lower || range->upper > spec_.commands[at].upper)) {
        item.error("range", "goes beyond the actuator's limits: commands there are refused");
      }
    } else if (is_known && !is_limited && !item.has("range")) {
      item.error("", "missing key 'range': the actuator has no limits");
    }
    const double first = is_known ? spec_.plant.actuators[at].initial : 0.0;  // taking control then changes nothing
    axis.rest = item.number_or("rest", Dimension::any(), std::clamp(first, axis.lowest, axis.highest));
    if (axis.rest < axis.lowest || axis.rest > axis.highest) item.error("rest", "lies outside the range");
    if (is_known) warn_of_age(item, spec_.commands[at]);
  }

  void warn_of_age(Fields& item, const rt::CommandSettings& command) const {
    if (command.max_age_ticks == 0 || !scope_.dt_s) return;
    const double age_s = static_cast<double>(command.max_age_ticks) * *scope_.dt_s;
    if (age_s >= kLeastAge_s) return;
    warn(item, "actuator",
         "its commands are too old before the next comes: a page sends one every 33 ms, or later; let max_age be 200 "
         "ms",
         scope_);
  }

  CameraSpec read_camera(Fields& item) {
    CameraSpec camera;
    camera.name = item.text("name");
    camera.from = item.vector3("from", Dimension::length());
    camera.to = item.vector3("to", Dimension::length());
    if (item.has("follows")) camera.follows = read_body(item, "follows");
    if (camera.from == camera.to && item.has("from") && item.has("to")) item.error("to", "is where it stands itself");
    item.finish();
    return camera;
  }

  std::string read_body(Fields& item, std::string_view key) {
    if (scope_.model == nullptr) return item.text(key);
    return read_one_of(item, key, "body", bodies_);
  }

  void read_plots(Fields& panel, PanelSpec& out) {
    const YamlNode* list = panel.optional_sequence("plots");
    if (list == nullptr) return;
    if (list->items.size() > kMaxPlots) {
      return panel.error("plots", "at most 16, got " + std::to_string(list->items.size()));
    }
    const bool is_sure =
        scope_.model != nullptr && !has_unnamed(spec_.plant.actuators) && !has_unnamed(spec_.plant.sensors);
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const std::string path = panel.path_of("plots") + "[" + std::to_string(i) + "]";
      const auto signals = panel.values().texts(list->items[i], path);
      if (!signals) continue;
      for (std::size_t k = 0; k < signals->size(); ++k) {
        const std::string& name = (*signals)[k];
        const bool is_known = std::find(plotted_.begin(), plotted_.end(), name) != plotted_.end();
        if (is_known || !is_sure) continue;
        panel.values().report(list->items[i].items[k], path + "[" + std::to_string(k) + "]",
                              unknown("signal", name, plotted_));
      }
      out.plots.push_back(*signals);
    }
  }

  ScenarioSpec read_scenario(Fields& item) {
    ScenarioSpec scenario;
    scenario.name = item.text("name");
    scenario.notes = item.optional_text("notes").value_or("");
    if (!item.has("do")) item.error("", "missing key 'do': what the button does");
    for (Fields& action : read_list(item, "do", kMaxActions)) scenario.actions.push_back(read_action(action));
    item.finish();
    return scenario;
  }

  ScenarioAction read_action(Fields& item) {
    ScenarioAction action;
    if (item.has("fault")) {
      read_fault(item, action);
    } else if (item.has("override")) {
      action.verb = ScenarioVerb::kOverride;
      action.target = read_one_of(item, "override", "signal", signals_);
      action.value = item.number("value", Dimension::any());
      action.duration_s = read_action_duration(item);
    } else if (item.has("push")) {
      action.verb = ScenarioVerb::kForce;
      action.target = read_body(item, "push");
      action.force = item.vector3("force", Dimension::force());
      action.point = item.optional_vector3("at", Dimension::length()).value_or(Vector3::Zero());
      action.duration_s = read_action_duration(item);
    } else if (item.has("set")) {
      read_settings(item, action);
    } else if (item.has("clear")) {
      action.verb = ScenarioVerb::kClear;
      if (!is_word(item, "clear", "all")) action.target = read_one_of(item, "clear", "signal", signals_);
    } else if (item.has("note")) {
      action.verb = ScenarioVerb::kNote;
      action.target = item.text("note");
    } else {
      read_verb(item, action);
    }
    item.finish();
    return action;
  }

  void read_fault(Fields& item, ScenarioAction& action) const {
    action.verb = ScenarioVerb::kFault;
    action.target = read_one_of(item, "fault", "signal", signals_);
    const std::string kind = item.text("kind");
    const Result<SignalFault> fault = find_signal_fault(kind);
    if (fault && *fault != SignalFault::kNone) {
      action.fault = *fault;
    } else if (!kind.empty()) {
      item.error("kind", "off, stuck, bias, drift, noise, wrong_sign, delay or drop, got " + in_quotes(kind));
    }
    action.value = item.number_or("value", Dimension::any(), 0.0);
    action.duration_s = read_action_duration(item);
  }

  static void read_settings(Fields& item, ScenarioAction& action) {
    action.verb = ScenarioVerb::kParameters;
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

  static void read_verb(Fields& item, ScenarioAction& action) {
    static constexpr std::array<Choice<ScenarioVerb>, 3> kWords{
        {{"reset", ScenarioVerb::kReset}, {"pause", ScenarioVerb::kPause}, {"resume", ScenarioVerb::kResume}}};
    if (!item.has("verb")) {
      return item.error("", "wants one of fault, override, push, set, clear, note or verb (reset, pause, resume)");
    }
    action.verb = item.choice("verb", ChoiceTable<ScenarioVerb>(kWords)).value_or(action.verb);
  }

  const RigScope& scope_;
  const RigSpec& spec_;
  Names actuators_, signals_, plotted_, bodies_;
};

}  // namespace

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

void read_panel(Fields& root, const RigScope& scope, RigSpec& spec) {
  std::optional<Fields> panel = root.optional_child("panel");
  if (!panel) return;
  PanelReader(scope, spec).read(*panel, spec.panel);
}

}  // namespace kinloop
