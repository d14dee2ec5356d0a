// Owns RigSpec: everything a rig file says, SI units, defaults filled in.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/plant/plant_spec.hpp"
#include "rt/messages/frame.hpp"
#include "rt/policies/command_policy.hpp"
#include "rt/policies/fault_policy.hpp"
#include "rt/policies/mode.hpp"
#include "rt/policies/overrun_policy.hpp"
#include "rt/policies/watchdog.hpp"
#include "services/files/parameter_settings.hpp"
#include "services/import/imported_model.hpp"
#include "services/rig/adapter_spec.hpp"
#include "services/rig/panel_spec.hpp"
#include "services/rig/stop_input_spec.hpp"

namespace kinloop {

struct RigSpec {
  std::string name;
  std::string notes;
  std::filesystem::path model;               // beside the rig file unless absolute, resolved
  BaseKind base = BaseKind::kAuto;           // of a URDF or SDF
  std::vector<ParameterSetting> parameters;  // that replace the model's

  rt::Mode mode = rt::Mode::kRealTime;
  double duration_s = 0.0;  // of the plant's time; 0: until it is stopped
  int core = -1;            // -1: the last isolated one, else the last one permitted
  int priority = 80;        // SCHED_FIFO, in real_time
  PlantSpec plant;
  std::vector<rt::CommandSettings> commands;  // one for each actuator
  std::vector<std::string> lacking_age;       // actuators whose max_age is left out, as free mode permits
  rt::OverrunSettings overrun;
  rt::FaultSettings fault;
  rt::WatchdogSettings watchdog;
  rt::FrameSettings frames;
  std::vector<AdapterSpec> adapters;
  std::vector<StopInputSpec> stop_inputs;
  PanelSpec panel;
};

/// On one core, with a watchdog that is not above the plant: a plant that hangs would keep it from seeing that.
inline bool plant_starves_watchdog(const RigSpec& rig) noexcept {
  return rig.core >= 0 && rig.core == rig.watchdog.core && rig.watchdog.priority <= rig.priority;
}

/// Of the clock that releases the steps.
inline std::int64_t period_ns(const RigSpec& rig) { return std::llround(rig.plant.dt_s * 1e9); }

}  // namespace kinloop
