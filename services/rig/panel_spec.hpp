// Owns PanelSpec: what a rig file says about the page on which people watch and drive it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/plant/step_change.hpp"
#include "core/spatial/types.hpp"
#include "services/files/parameter_settings.hpp"

namespace kinloop {

/// How a person moves an actuator.
struct DriveAxisSpec {
  std::string actuator;
  std::string label;                    // empty: the actuator's name
  std::string up, down;                 // what the two directions are called
  std::string key_up, key_down;         // "w", "left"; empty: none
  int gamepad_axis = 0;                 // counted from 1, negative: turned round; 0: none
  double lowest = -1.0, highest = 1.0;  // commands at full deflection
  double rest = 0.0;
  bool holds = false;  // it stays where it is let go
};

struct CameraSpec {
  std::string name;
  Vector3 from = Vector3::Zero(), to = Vector3::Zero();
  std::string follows;  // a body; empty: the world
};

enum class ScenarioVerb { kFault, kOverride, kForce, kParameters, kClear, kReset, kPause, kResume, kNote };

/// One thing that an instructor's button does.
struct ScenarioAction {
  ScenarioVerb verb = ScenarioVerb::kNote;
  std::string target;  // signal, body or text; empty with kClear: everything
  SignalFault fault = SignalFault::kNone;
  double value = 0.0;
  double duration_s = 0.0;
  Vector3 point = Vector3::Zero(), force = Vector3::Zero();
  std::vector<ParameterSetting> parameters;
};

struct ScenarioSpec {
  std::string name;
  std::string notes;
  std::vector<ScenarioAction> actions;
};

struct PanelSpec {
  std::vector<DriveAxisSpec> axes;
  std::vector<CameraSpec> cameras;
  std::vector<std::vector<std::string>> plots;  // signals of each pane
  std::vector<ScenarioSpec> scenarios;

  bool is_empty() const noexcept { return axes.empty() && cameras.empty() && plots.empty() && scenarios.empty(); }
};

/// KeyboardEvent.code of a key as rig files name it, "w" → "KeyW"; empty where there is no such key.
std::string key_code(std::string_view key);

}  // namespace kinloop
