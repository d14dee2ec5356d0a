// Axes by which a person moves actuators: range, keys, gamepad.
#include <algorithm>
#include <cmath>

#include "core/base/nearest_name.hpp"
#include "services/rig/field_kinds.hpp"
#include "services/rig/panel_sections.hpp"
#include "services/rig/rig_tables.hpp"

namespace kinloop {
namespace {

constexpr long long kMaxGamepadAxes = 16;
constexpr double kLeastAge_s = 0.1;  // of commands by hand

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

void read_drive(Fields& panel, const RigScope& scope, PanelSpec& out) {
  for (Fields& item : read_list(panel, "drive", kMaxAxes)) {
    DriveAxisSpec axis;
    read_fields(axis_fields(), item, scope, axis);
    read_deflection(item, scope, axis);
    item.finish();
    out.axes.push_back(axis);
  }
}

}  // namespace kinloop
