// Writes YAML line by line; keys stand in the order of docs/rig-format.md.
#include "services/rig/write_rig.hpp"

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "core/base/require.hpp"
#include "services/rig/rig_words.hpp"
#include "services/rig/write_panel.hpp"
#include "services/rig/yaml_lines.hpp"

namespace kinloop {
namespace {

std::string or_none(bool exists, const std::string& text) { return exists ? text : std::string(kNoneWord); }

std::string range(double lower, double upper) {
  return or_none(std::isfinite(lower) && std::isfinite(upper), "[" + number(lower) + ", " + number(upper) + "]");
}

/// The rate per second that gives exactly this change a step again.
double per_second(double per_step, double dt_s) {
  const double rate = per_step / dt_s;
  double lower = rate;
  double upper = rate;
  constexpr int kNeighbours = 4;  // quotient and product are rounded once each
  for (int i = 0; i < kNeighbours; ++i) {
    if (lower * dt_s == per_step) return lower;
    if (upper * dt_s == per_step) return upper;
    lower = std::nextafter(lower, -std::numeric_limits<double>::infinity());
    upper = std::nextafter(upper, std::numeric_limits<double>::infinity());
  }
  return rate;
}

std::string rate_of(int every, double dt_s) { return number(1.0 / (dt_s * every), "Hz"); }
std::string steps(std::int64_t count) { return or_none(count > 0, std::to_string(count)); }
std::string core(int core) { return core < 0 ? std::string(kAutoWord) : std::to_string(core); }

void write_head(const RigSpec& spec, const std::string& model, Lines& lines) {
  lines.add("kinloop_rig", "1");
  lines.add("name", in_double_quotes(spec.name));
  if (!spec.notes.empty()) lines.add("notes", in_double_quotes(spec.notes));
  lines.add("model", in_double_quotes(model));
  if (spec.parameters.empty()) return;
  lines.open("parameters");
  for (const ParameterSetting& setting : spec.parameters)
    lines.add(in_double_quotes(setting.name), in_double_quotes(setting.value));
  lines.close();
}

void write_level(const SolverLevel& level, Lines& lines) {
  lines.add("dynamics", level.dynamics);
  lines.add("integrator", level.integrator);
  lines.add("substeps", std::to_string(level.substeps));
  lines.add("loops", name_of(level.loops.kind));
  lines.add("loop_tolerance", number(level.loops.tolerance));
  lines.add("loop_iterations", std::to_string(level.loops.max_iterations));
  lines.add("loop_max_open", number(level.loops.max_open));
  lines.add("baumgarte",
            "[" + number(level.loops.baumgarte.a_per_s) + ", " + number(level.loops.baumgarte.b_per_s) + "]");
}

void write_solvers(const PlantSpec& plant, Lines& lines) {
  lines.open("solver");
  write_level(plant.levels.front(), lines);
  lines.close();
  if (plant.levels.size() < 2) return;
  lines.open("degraded_solvers");
  for (std::size_t i = 1; i < plant.levels.size(); ++i) {
    lines.open_item();
    write_level(plant.levels[i], lines);
    lines.close();
  }
  lines.close();
}

void write_policies(const RigSpec& spec, Lines& lines) {
  const double dt_s = spec.plant.dt_s;
  lines.open("overrun");
  lines.add("policy", name_of(spec.overrun.kind));
  lines.add("max_behind", std::to_string(spec.overrun.max_behind));
  lines.add("recover_after", std::to_string(spec.overrun.recover_after));
  lines.add("grace", number(static_cast<double>(spec.overrun.grace_steps) * dt_s, "s"));
  lines.add("max_consecutive", steps(spec.overrun.max_consecutive));
  lines.add("max_in_window", steps(spec.overrun.max_in_window));
  lines.add("window", std::to_string(spec.overrun.window_steps));
  lines.close();
  lines.add("fault", name_of(spec.fault.kind));
  lines.open("watchdog");
  lines.add("timeout", spec.watchdog.timeout_s > 0.0 ? number(spec.watchdog.timeout_s, "s") : std::string(kAutoWord));
  lines.add("core", core(spec.watchdog.core));
  lines.add("priority", std::to_string(spec.watchdog.priority));
  lines.add("device", or_none(!spec.watchdog.device.empty(), in_double_quotes(spec.watchdog.device)));
  lines.close();
  lines.open("frames");
  lines.add("rate", rate_of(spec.frames.every, dt_s));
  lines.add("leave", name_of(spec.frames.leave));
  lines.close();
}

void write_pump(const PumpSpec& pump, Lines& lines) {
  lines.add("name", in_double_quotes(pump.name));
  lines.add("pressure", number(pump.settings.pressure_Pa, "Pa"));
  lines.add("flow", number(pump.settings.flow_m3_per_s, "m^3/s"));
  lines.add("volume", number(pump.settings.volume_m3, "m^3"));
  lines.add("tank_pressure", number(pump.settings.tank_pressure_Pa, "Pa"));
  lines.add("bulk_modulus", number(pump.settings.bulk_modulus_Pa, "Pa"));
}

void write_motor(const DcMotorSettings& motor, Lines& lines) {
  lines.open("dc_motor");
  lines.add("resistance", number(motor.resistance_ohm, "ohm"));
  lines.add("inductance", number(motor.inductance_H, "H"));
  lines.add("torque_constant", number(motor.torque_Nm_per_A, "Nm/A"));
  lines.add("back_emf_constant", number(motor.back_emf_Vs, "V*s/rad"));
  lines.add("gear_ratio", number(motor.gear_ratio));
  lines.close();
}

void write_cylinder(const CylinderSettings& cylinder, const std::string& pump, Lines& lines) {
  lines.open("cylinder");
  lines.add("pump", in_double_quotes(pump));
  lines.add("bore", number(cylinder.bore_m, "m"));
  lines.add("rod", number(cylinder.rod_m, "m"));
  lines.add("stroke", number(cylinder.stroke_m, "m"));
  lines.add("dead_volume", number(cylinder.dead_volume_m3, "m^3"));
  lines.add("bulk_modulus", number(cylinder.bulk_modulus_Pa, "Pa"));
  lines.add("valve_flow", number(cylinder.valve_flow_m3_per_s, "m^3/s"));
  lines.add("valve_drop", number(cylinder.valve_drop_Pa, "Pa"));
  lines.add("overlap", number(cylinder.overlap));
  lines.add("leakage", number(cylinder.leakage_m3_per_s_Pa, "m^3/s/Pa"));
  lines.add("relief", number(cylinder.relief_Pa, "Pa"));
  lines.add("initial_a", number(cylinder.initial_a_Pa, "Pa"));
  lines.add("initial_b", number(cylinder.initial_b_Pa, "Pa"));
  lines.close();
}

// Numbers in the unit of a command or a signal are bare: which unit that is follows from the joint.
void write_actuator(const ActuatorSpec& actuator, const rt::CommandSettings& command, double dt_s, Lines& lines) {
  lines.add("name", in_double_quotes(actuator.name));
  lines.add("joint", in_double_quotes(actuator.joint));
  lines.add("kind", name_of(actuator.kind));
  if (actuator.kind == ActuatorKind::kDcMotor) write_motor(actuator.motor, lines);
  if (actuator.kind == ActuatorKind::kCylinder) write_cylinder(actuator.cylinder, actuator.pump, lines);
  lines.add("limits", range(actuator.chain.lower, actuator.chain.upper));
  lines.add("rate_limit", or_none(std::isfinite(actuator.chain.rate_per_s), number(actuator.chain.rate_per_s)));
  lines.add("delay", number(actuator.chain.delay_s, "s"));
  lines.add("lag", number(actuator.chain.lag_s, "s"));
  lines.add("initial", number(actuator.initial));
  lines.open("command");
  lines.add("max_age",
            or_none(command.max_age_ticks > 0, number(static_cast<double>(command.max_age_ticks) * dt_s, "s")));
  lines.add("when_stale", name_of(command.when_stale));
  if (command.when_stale == rt::StaleKind::kRamp) lines.add("ramp", number(per_second(command.ramp_per_tick, dt_s)));
  lines.close();
}

void write_sensor(const SensorSpec& sensor, double dt_s, Lines& lines) {
  const SensorSettings& settings = sensor.settings;
  lines.add("name", in_double_quotes(sensor.name));
  lines.add("signal", in_double_quotes(sensor.signal));
  lines.add("rate", rate_of(settings.every, dt_s));
  lines.add("delay", number(settings.delay_s, "s"));
  lines.add("bias", number(settings.bias));
  lines.add("drift", number(settings.drift_per_s));
  lines.add("noise", number(settings.noise));
  lines.add("quantum", number(settings.quantum));
  lines.add("saturation", range(settings.lower, settings.upper));
  lines.add("dropout", number(settings.dropout));
  if (sensor.on_fault == OnFault::kValue) {
    lines.open("on_fault");
    lines.add(name_of(OnFault::kValue), number(sensor.fault_value));
    lines.close();
  } else {
    lines.add("on_fault", name_of(sensor.on_fault));
  }
}

void write_udp(const UdpAdapterSpec& udp, double dt_s, Lines& lines) {
  lines.add("kind", "udp");
  lines.add("listen", in_double_quotes(udp.listen));
  lines.add("port", std::to_string(udp.port));
  if (udp.replies()) {
    lines.add("reply", yes_or_no(true));
  } else {
    lines.add("peer", in_double_quotes(udp.peer));
    lines.add("peer_port", std::to_string(udp.peer_port));
  }
  lines.add("insecure", yes_or_no(udp.insecure));
  lines.add("actuators", names(udp.actuators));
  lines.add("sensors", names(udp.sensors));
  lines.add("rate", rate_of(udp.every, dt_s));
  lines.add("lease", number(udp.lease_s, "s"));
}

void write_playback(const PlaybackAdapterSpec& playback, Lines& lines) {
  lines.add("kind", "playback");
  lines.add("file", in_double_quotes(playback.file.string()));
  lines.add("interpolation", name_of(playback.interpolation));
  lines.add("repeat", yes_or_no(playback.repeat));
  lines.add("start", number(playback.start_s, "s"));
}

void write_adapter(const AdapterSpec& adapter, double dt_s, Lines& lines) {
  if (const auto* udp = std::get_if<UdpAdapterSpec>(&adapter)) write_udp(*udp, dt_s, lines);
  if (const auto* playback = std::get_if<PlaybackAdapterSpec>(&adapter)) write_playback(*playback, lines);
}

}  // namespace

std::string write_rig(const RigSpec& spec, const std::string& model) {
  require(spec.commands.size() == spec.plant.actuators.size(), "every actuator has its command");
  require(!spec.plant.levels.empty(), "there is a solver");
  const PlantSpec& plant = spec.plant;
  Lines lines;
  write_head(spec, model, lines);
  lines.add("step", number(plant.dt_s, "s"));
  lines.add("mode", name_of(spec.mode));
  lines.add("duration", or_none(spec.duration_s > 0.0, number(spec.duration_s, "s")));
  lines.add("core", core(spec.core));
  lines.add("priority", std::to_string(spec.priority));
  lines.add("seed", std::to_string(plant.seed));
  lines.add("longest_fault_delay", number(plant.longest_fault_delay_s, "s"));
  write_solvers(plant, lines);
  write_policies(spec, lines);
  write_list("pumps", plant.pumps, lines, [&](std::size_t i) { write_pump(plant.pumps[i], lines); });
  write_list("actuators", plant.actuators, lines,
             [&](std::size_t i) { write_actuator(plant.actuators[i], spec.commands[i], plant.dt_s, lines); });
  write_list("sensors", plant.sensors, lines,
             [&](std::size_t i) { write_sensor(plant.sensors[i], plant.dt_s, lines); });
  write_list("adapters", spec.adapters, lines,
             [&](std::size_t i) { write_adapter(spec.adapters[i], plant.dt_s, lines); });
  if (!spec.panel.is_empty()) write_panel(spec.panel, lines);
  return lines.text();
}

std::string kept_model_name(const RigSpec& rig) { return "model" + rig.model.extension().string(); }

}  // namespace kinloop
