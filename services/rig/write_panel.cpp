// Keys stand in the order of docs/rig-format.md.
#include "services/rig/write_panel.hpp"

namespace kinloop {
namespace {

std::string vector3(const Vector3& v) {
  return "[" + number(v.x()) + ", " + number(v.y()) + ", " + number(v.z()) + "]";
}

void add_text(std::string_view key, const std::string& text, Lines& lines) {
  if (!text.empty()) lines.add(key, in_double_quotes(text));
}

void write_axis(const DriveAxisSpec& axis, Lines& lines) {
  lines.add("actuator", in_double_quotes(axis.actuator));
  add_text("label", axis.label, lines);
  add_text("up", axis.up, lines);
  add_text("down", axis.down, lines);
  if (!axis.key_up.empty()) lines.add("keys", names({axis.key_up, axis.key_down}));
  lines.add("gamepad", std::to_string(axis.gamepad_axis));
  lines.add("range", "[" + number(axis.lowest) + ", " + number(axis.highest) + "]");
  lines.add("rest", number(axis.rest));
  lines.add("holds", yes_or_no(axis.holds));
}

void write_camera(const CameraSpec& camera, Lines& lines) {
  lines.add("name", in_double_quotes(camera.name));
  lines.add("from", vector3(camera.from));
  lines.add("to", vector3(camera.to));
  add_text("follows", camera.follows, lines);
}

void write_time(const ScenarioAction& action, Lines& lines) { lines.add("for", number(action.duration_s, "s")); }

void write_action(const ScenarioAction& action, Lines& lines) {
  switch (action.verb) {
    case ScenarioVerb::kFault:
      lines.add("fault", in_double_quotes(action.target));
      lines.add("kind", name_of(action.fault));
      lines.add("value", number(action.value));
      return write_time(action, lines);
    case ScenarioVerb::kOverride:
      lines.add("override", in_double_quotes(action.target));
      lines.add("value", number(action.value));
      return write_time(action, lines);
    case ScenarioVerb::kForce:
      lines.add("push", in_double_quotes(action.target));
      lines.add("force", vector3(action.force));
      lines.add("at", vector3(action.point));
      return write_time(action, lines);
    case ScenarioVerb::kParameters:
      lines.open("set");
      for (const ParameterSetting& setting : action.parameters) {
        lines.add(in_double_quotes(setting.name), in_double_quotes(setting.value));
      }
      return lines.close();
    case ScenarioVerb::kClear:
      return lines.add("clear", action.target.empty() ? "all" : in_double_quotes(action.target));
    case ScenarioVerb::kNote:
      return lines.add("note", in_double_quotes(action.target));
    case ScenarioVerb::kReset:
      return lines.add("verb", "reset");
    case ScenarioVerb::kPause:
      return lines.add("verb", "pause");
    case ScenarioVerb::kResume:
      return lines.add("verb", "resume");
  }
}

void write_scenario(const ScenarioSpec& scenario, Lines& lines) {
  lines.add("name", in_double_quotes(scenario.name));
  add_text("notes", scenario.notes, lines);
  if (scenario.actions.empty()) lines.add("do", "[]");
  write_list("do", scenario.actions, lines, [&](std::size_t i) { write_action(scenario.actions[i], lines); });
}

}  // namespace

void write_panel(const PanelSpec& panel, Lines& lines) {
  lines.open("panel");
  write_list("drive", panel.axes, lines, [&](std::size_t i) { write_axis(panel.axes[i], lines); });
  write_list("cameras", panel.cameras, lines, [&](std::size_t i) { write_camera(panel.cameras[i], lines); });
  if (!panel.plots.empty()) {
    std::string panes;
    for (const std::vector<std::string>& pane : panel.plots) panes += (panes.empty() ? "" : ", ") + names(pane);
    lines.add("plots", "[" + panes + "]");
  }
  write_list("scenarios", panel.scenarios, lines, [&](std::size_t i) { write_scenario(panel.scenarios[i], lines); });
  lines.close();
}

}  // namespace kinloop
