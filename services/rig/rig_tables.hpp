// Owns the tables of rig files: every key of every section, in the order in which they are written.
#pragma once

#include "services/rig/rig_field.hpp"
#include "services/rig/rig_spec.hpp"

namespace kinloop {

inline constexpr std::size_t kMaxDegradedSolvers = 15;
inline constexpr std::size_t kMaxPumps = 16;
inline constexpr std::size_t kMaxAdapters = 16;
inline constexpr std::size_t kMaxStopInputs = 16;
inline constexpr std::size_t kMaxAxes = 64;
inline constexpr std::size_t kMaxCameras = 16;
inline constexpr std::size_t kMaxPlots = 16;
inline constexpr std::size_t kMaxScenarios = 64;
inline constexpr std::size_t kMaxActions = 32;

/// What one item of `actuators` says.
struct ActuatorItem {
  ActuatorSpec spec;
  rt::CommandSettings command;
  bool lacks_age = false;  // its max_age is left out
};

const RigFields<RigSpec>& rig_fields();
const RigFields<SolverLevel>& solver_fields();
const RigFields<rt::OverrunSettings>& overrun_fields();
const RigFields<rt::WatchdogSettings>& watchdog_fields();
const RigFields<rt::FrameSettings>& frames_fields();
const RigFields<PumpSpec>& pump_fields();
const RigFields<ActuatorItem>& actuator_fields();
const RigFields<DcMotorSettings>& dc_motor_fields();
const RigFields<ActuatorSpec>& cylinder_fields();
const RigFields<rt::CommandSettings>& command_fields();
const RigFields<SensorSpec>& sensor_fields();
const RigFields<UdpAdapterSpec>& udp_fields();
const RigFields<PlaybackAdapterSpec>& playback_fields();
/// The table of an adapter's kind.
inline const RigFields<UdpAdapterSpec>& fields_of(const UdpAdapterSpec& /*spec*/) { return udp_fields(); }
inline const RigFields<PlaybackAdapterSpec>& fields_of(const PlaybackAdapterSpec& /*spec*/) {
  return playback_fields();
}
const RigFields<StopInputSpec>& stop_input_fields();
const RigFields<PanelSpec>& panel_fields();
const RigFields<DriveAxisSpec>& axis_fields();
const RigFields<CameraSpec>& camera_fields();
const RigFields<ScenarioSpec>& scenario_fields();
const RigFields<ScenarioAction>& action_fields();

}  // namespace kinloop
