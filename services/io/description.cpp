// Names, units, order, limits, rates; hashes of just these.
#include "services/io/description.hpp"

#include "core/actuators/actuator_type.hpp"
#include "core/plant/signal.hpp"
#include "services/base/former_keys.hpp"
#include "services/base/text_file.hpp"
#include "services/files/motion_columns.hpp"
#include "services/host/build_facts.hpp"
#include "services/rig/write_rig.hpp"
#include "services/wire/hash.hpp"

namespace kinloop::io {
namespace {

constexpr std::size_t kMaxModelBytes = std::size_t{64} << 20U;

v1::Mode wire_mode(rt::Mode mode) {
  switch (mode) {
    case rt::Mode::kRealTime:
      return v1::MODE_REAL_TIME;
    case rt::Mode::kLockstep:
      return v1::MODE_LOCKSTEP;
    case rt::Mode::kFree:
      return v1::MODE_FREE;
  }
  return v1::MODE_UNSPECIFIED;
}

std::string command_unit(const LoadedRig& rig, const ActuatorSpec& actuator) {
  const ActuatorType& type = actuator_type(actuator.kind);
  if (type.force != ForceSource::kCommand) return std::string(type.command_unit);
  const Result<Signal> force = find_signal(rig.model.model, rig.spec.plant, "force." + actuator.name);
  return force ? std::string(name_of(force->unit)) : "";
}

void add_actuator(const LoadedRig& rig, std::size_t i, v1::Description& all) {
  const ActuatorSpec& spec = rig.spec.plant.actuators[i];
  const rt::CommandSettings& command = rig.spec.commands[i];
  v1::Actuator& actuator = *all.add_actuators();
  actuator.set_name(spec.name);
  actuator.set_unit(command_unit(rig, spec));
  actuator.set_kind(std::string(name_of(spec.kind)));
  actuator.set_lower(command.lower);
  actuator.set_upper(command.upper);
  actuator.set_initial(command.initial);
  actuator.set_max_age_s(static_cast<double>(command.max_age_ticks) * rig.spec.plant.dt_s);
  actuator.set_when_stale(std::string(rt::name_of(command.when_stale)));
  actuator.set_joint(spec.joint);
}

void add_sensor(const LoadedRig& rig, const SensorSpec& spec, v1::Description& all) {
  const Result<Signal> signal = find_signal(rig.model.model, rig.spec.plant, spec.signal);
  v1::Sensor& sensor = *all.add_sensors();
  sensor.set_name(spec.name);
  if (signal) sensor.set_unit(std::string(name_of(signal->unit)));
  sensor.set_signal(spec.signal);
  sensor.set_lower(spec.settings.lower);
  sensor.set_upper(spec.settings.upper);
  sensor.set_rate_hz(1.0 / (rig.spec.plant.dt_s * spec.settings.every));
  sensor.set_delay_s(spec.settings.delay_s);
}

/// Of the messages' bytes: of one binary and one schema they are always the same.
std::uint64_t hash_of_signals(const v1::Description& all) {
  v1::Description signals;
  *signals.mutable_actuators() = all.actuators();
  *signals.mutable_sensors() = all.sensors();
  signals.set_dt_s(all.dt_s());
  return wire::hash_of(signals.SerializeAsString());
}

/// Of the rig as it is written out, without what may differ from run to run, and of the model's file, keys under their
/// former names: snapshots of earlier versions have such hashes. Parameters that were changed while the plant runs are
/// in the snapshots themselves.
std::uint64_t hash_of_plant(const LoadedRig& rig, std::size_t state_size) {
  RigSpec spec = rig.spec;
  spec.mode = rt::Mode::kRealTime;
  spec.duration_s = 0.0;
  spec.core = spec.watchdog.core = -1;
  spec.priority = 1;
  spec.adapters.clear();
  spec.stop_inputs.clear();
  spec.panel = {};
  const auto model = read_text_file(rig.spec.model, kMaxModelBytes);
  return wire::hash_of(with_former_keys(write_rig(spec, "model") + (model ? *model : "")) + std::to_string(state_size));
}

}  // namespace

v1::Description describe(const LoadedRig& rig, std::size_t state_size) {
  const RigSpec& spec = rig.spec;
  const Model& model = rig.model.model;
  v1::Description all;
  all.set_version(kWireVersion);
  all.set_rig(spec.name);
  all.set_model(model.name());
  all.set_program(host::build_facts().version);
  all.set_mode(wire_mode(spec.mode));
  all.set_dt_s(spec.plant.dt_s);
  all.set_frame_rate_hz(1.0 / (spec.plant.dt_s * spec.frames.every));
  for (std::size_t i = 0; i < spec.plant.actuators.size(); ++i) add_actuator(rig, i, all);
  for (const SensorSpec& sensor : spec.plant.sensors) add_sensor(rig, sensor, all);
  for (int i = 1; i < model.body_count(); ++i) all.add_bodies(model.body_name(i));
  for (const MotionColumn& column : position_columns(model)) all.add_coordinates(column.name);
  for (int i = 0; i < model.nv(); ++i) all.add_speeds("u." + model.speed_name(i));
  all.set_state_size(static_cast<std::uint32_t>(state_size));
  all.set_schema_hash(hash_of_signals(all));
  all.set_plant_hash(hash_of_plant(rig, state_size));
  return all;
}

}  // namespace kinloop::io
