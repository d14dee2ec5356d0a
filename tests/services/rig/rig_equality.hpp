// Owns the comparison of rig descriptions, field by field, for tests.
#pragma once

#include <gtest/gtest.h>

#include <tuple>

#include "services/rig/rig_spec.hpp"

namespace kinloop::test {

inline auto fields_of(const CommandChainSettings& s) {
  return std::tie(s.lower, s.upper, s.rate_per_s, s.delay_s, s.lag_s);
}
inline auto fields_of(const DcMotorSettings& s) {
  return std::tie(s.resistance_ohm, s.inductance_H, s.torque_Nm_per_A, s.back_emf_Vs, s.gear_ratio);
}
inline auto fields_of(const CylinderSettings& s) {
  return std::tie(s.bore_m, s.rod_m, s.stroke_m, s.dead_volume_m3, s.bulk_modulus_Pa, s.valve_flow_m3_per_s,
                  s.valve_drop_Pa, s.overlap, s.leakage_m3_per_s_Pa, s.relief_Pa, s.initial_a_Pa, s.initial_b_Pa);
}
inline auto fields_of(const PumpSettings& s) {
  return std::tie(s.pressure_Pa, s.flow_m3_per_s, s.volume_m3, s.tank_pressure_Pa, s.bulk_modulus_Pa);
}
inline auto fields_of(const SensorSettings& s) {
  return std::tie(s.delay_s, s.bias, s.drift_per_s, s.noise, s.quantum, s.lower, s.upper, s.dropout, s.every, s.seed,
                  s.signal);
}
inline auto fields_of(const Stabilization& s) {
  return std::tie(s.kind, s.tolerance, s.max_iterations, s.max_open, s.baumgarte.a_per_s, s.baumgarte.b_per_s);
}
inline auto fields_of(const rt::CommandSettings& s) {
  return std::tie(s.lower, s.upper, s.initial, s.max_age_ticks, s.when_stale, s.ramp_per_tick);
}
inline auto fields_of(const rt::OverrunSettings& s) {
  return std::tie(s.kind, s.max_behind, s.levels, s.recover_after, s.grace_steps, s.max_consecutive, s.max_in_window,
                  s.window_steps);
}
inline auto fields_of(const rt::WatchdogSettings& s) { return std::tie(s.timeout_s, s.core, s.priority, s.device); }
inline auto fields_of(const rt::FrameSettings& s) { return std::tie(s.every, s.leave); }
inline auto fields_of(const UdpAdapterSpec& s) {
  return std::tie(s.listen, s.port, s.peer, s.peer_port, s.insecure, s.actuators, s.sensors, s.every, s.lease_s);
}
inline auto fields_of(const PlaybackAdapterSpec& s) { return std::tie(s.file, s.interpolation, s.repeat, s.start_s); }
inline auto fields_of(const ParameterSetting& s) { return std::tie(s.name, s.value); }

inline void expect_equal(const ActuatorSpec& a, const ActuatorSpec& b) {
  EXPECT_EQ(std::tie(a.name, a.joint, a.kind, a.initial, a.pump), std::tie(b.name, b.joint, b.kind, b.initial, b.pump));
  EXPECT_EQ(fields_of(a.chain), fields_of(b.chain)) << a.name;
  EXPECT_EQ(fields_of(a.motor), fields_of(b.motor)) << a.name;
  EXPECT_EQ(fields_of(a.cylinder), fields_of(b.cylinder)) << a.name;
}

inline void expect_equal(const SolverLevel& a, const SolverLevel& b) {
  EXPECT_EQ(std::tie(a.dynamics, a.integrator, a.substeps), std::tie(b.dynamics, b.integrator, b.substeps));
  EXPECT_EQ(fields_of(a.loops), fields_of(b.loops));
}

inline void expect_equal(const SensorSpec& a, const SensorSpec& b) {
  EXPECT_EQ(std::tie(a.name, a.signal, a.on_fault, a.fault_value),
            std::tie(b.name, b.signal, b.on_fault, b.fault_value));
  EXPECT_EQ(fields_of(a.settings), fields_of(b.settings)) << a.name;
}

inline void expect_equal(const PumpSpec& a, const PumpSpec& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(fields_of(a.settings), fields_of(b.settings)) << a.name;
}

inline void expect_equal(const ParameterSetting& a, const ParameterSetting& b) {
  EXPECT_EQ(fields_of(a), fields_of(b));
}
inline void expect_equal(const rt::CommandSettings& a, const rt::CommandSettings& b) {
  EXPECT_EQ(fields_of(a), fields_of(b));
}

inline void expect_equal(const AdapterSpec& a, const AdapterSpec& b) {
  ASSERT_EQ(a.index(), b.index());
  std::visit(
      [&](const auto& one) { EXPECT_EQ(fields_of(one), fields_of(std::get<std::remove_cvref_t<decltype(one)>>(b))); },
      a);
}

template <class Spec>
void expect_equal(const std::vector<Spec>& a, const std::vector<Spec>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_equal(a[i], b[i]);
}

/// All fields have the same bits.
inline void expect_equal(const RigSpec& a, const RigSpec& b) {
  EXPECT_EQ(std::tie(a.name, a.notes, a.model, a.mode, a.duration_s, a.core, a.priority, a.plant.dt_s, a.plant.seed),
            std::tie(b.name, b.notes, b.model, b.mode, b.duration_s, b.core, b.priority, b.plant.dt_s, b.plant.seed));
  EXPECT_EQ(a.fault.kind, b.fault.kind);
  EXPECT_EQ(fields_of(a.overrun), fields_of(b.overrun));
  EXPECT_EQ(fields_of(a.watchdog), fields_of(b.watchdog));
  EXPECT_EQ(fields_of(a.frames), fields_of(b.frames));
  expect_equal(a.parameters, b.parameters);
  expect_equal(a.plant.levels, b.plant.levels);
  expect_equal(a.plant.pumps, b.plant.pumps);
  expect_equal(a.plant.actuators, b.plant.actuators);
  expect_equal(a.commands, b.commands);
  expect_equal(a.plant.sensors, b.plant.sensors);
  EXPECT_EQ(a.plant.longest_fault_delay_s, b.plant.longest_fault_delay_s);
  expect_equal(a.adapters, b.adapters);
}

}  // namespace kinloop::test
