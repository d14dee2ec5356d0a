// Tests the circuit against laws: oil is conserved, closed forms of steady motion, stiffness, energy, bounds.
#include "core/actuators/hydraulic_circuit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/support/allocation_count.hpp"
#include "tests/support/random.hpp"

namespace kinloop {
namespace {

constexpr double kHydraulicCircuitDt_s = 1e-3;

double area_a_m2(const CylinderSettings& cylinder) {
  return std::numbers::pi / 4.0 * cylinder.bore_m * cylinder.bore_m;
}
double area_b_m2(const CylinderSettings& cylinder) {
  return std::numbers::pi / 4.0 * (cylinder.bore_m * cylinder.bore_m - cylinder.rod_m * cylinder.rod_m);
}
double volume_a_m3(const CylinderSettings& cylinder, double x_m) {
  return cylinder.dead_volume_m3 + area_a_m2(cylinder) * x_m;
}
double volume_b_m3(const CylinderSettings& cylinder, double x_m) {
  return cylinder.dead_volume_m3 + area_b_m2(cylinder) * (cylinder.stroke_m - x_m);
}
double stiffness_N_per_m(const CylinderSettings& cylinder, double x_m) {
  const double a_m2 = area_a_m2(cylinder), b_m2 = area_b_m2(cylinder);
  return cylinder.bulk_modulus_Pa *
         (a_m2 * a_m2 / volume_a_m3(cylinder, x_m) + b_m2 * b_m2 / volume_b_m3(cylinder, x_m));
}
double valve_gain(const CylinderSettings& cylinder) {
  return cylinder.valve_flow_m3_per_s / std::sqrt(cylinder.valve_drop_Pa);
}

/// Masses on the cylinders of a circuit, moved by some steps of semi-implicit Euler in each step, or, if by none,
/// exactly for the forces that are held. Loads push against the extension.
struct Rig {
  Rig(const PumpSettings& pump, const std::vector<CylinderSettings>& cylinders, double step_s = kHydraulicCircuitDt_s,
      int euler_step_count = 1)
      : circuit(pump, cylinders, step_s, euler_step_count > 0 ? step_s / euler_step_count : 0.0),
        dt_s(step_s),
        euler_steps(euler_step_count),
        state(static_cast<std::size_t>(circuit.state_size())),
        openings(cylinders.size(), 0.0),
        x_m(cylinders.size(), 0.5),
        v_m_s(cylinders.size(), 0.0),
        forces_N(cylinders.size(), 0.0),
        inputs(cylinders.size()),
        outputs(cylinders.size()) {
    circuit.start(state);
  }

  void pass() {
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = {openings[i], x_m[i], v_m_s[i]};
    circuit.step(inputs, state, outputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) forces_N[i] = outputs[i].force;
  }

  void step(double mass_kg, double load_N) {
    pass();
    for (std::size_t i = 0; i < x_m.size(); ++i) {
      const double a_m_s2 = (forces_N[i] - load_N) / mass_kg;
      for (int k = 0; k < euler_steps; ++k) {
        v_m_s[i] += dt_s / euler_steps * a_m_s2;
        x_m[i] += dt_s / euler_steps * v_m_s[i];
      }
      if (euler_steps > 0) continue;
      x_m[i] += dt_s * (v_m_s[i] + 0.5 * dt_s * a_m_s2);
      v_m_s[i] += dt_s * a_m_s2;
    }
  }

  double line_Pa() const { return state[HydraulicState::line()]; }
  double a_Pa(int i = 0) const { return state[static_cast<std::size_t>(HydraulicState::chamber_a(i))]; }
  double b_Pa(int i = 0) const { return state[static_cast<std::size_t>(HydraulicState::chamber_b(i))]; }

  HydraulicCircuit circuit;
  double dt_s;
  int euler_steps;
  std::vector<double> state, openings, x_m, v_m_s, forces_N;
  std::vector<ActuatorInput> inputs;
  std::vector<ActuatorOutput> outputs;
};

TEST(HydraulicCircuit, StartsWithTheLineAtThePumpsPressure) {
  CylinderSettings first, second;
  first.initial_a_Pa = 2e6;
  second.initial_b_Pa = 3e6;

  const Rig rig({}, {first, second});

  EXPECT_EQ(rig.state, (std::vector<double>{25e6, 2e6, 1e6, 1e6, 3e6}));
}

// The flows of the equations in the header, from the pressures after a step.
struct Flows {
  double pump_m3_per_s = 0.0;
  double stored_m3_per_s = 0.0;     // by compression
  double displaced_m3_per_s = 0.0;  // by the pistons
  double tank_m3_per_s = 0.0;
};

Flows flows_of(const PumpSettings& pump, const std::vector<CylinderSettings>& cylinders, const Rig& before,
               const Rig& after) {
  using Circuit = HydraulicCircuit;
  Flows flows;
  const double y = (pump.pressure_Pa - after.line_Pa()) / (Circuit::kPumpBand * pump.pressure_Pa);
  const double share = y < 0.5 ? 2.0 * std::pow(std::max(y, 0.0), 2) : 1.0 - 2.0 * std::pow(std::max(1.0 - y, 0.0), 2);
  flows.pump_m3_per_s = pump.flow_m3_per_s * share;
  flows.stored_m3_per_s = pump.volume_m3 / pump.bulk_modulus_Pa * (after.line_Pa() - before.line_Pa()) / before.dt_s;
  for (int i = 0; i < static_cast<int>(cylinders.size()); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const CylinderSettings& cylinder = cylinders[k];
    const double v_m_s = before.v_m_s[k];
    const double x_m = before.x_m[k] - 0.5 * before.dt_s * v_m_s;
    const auto port_m3_per_s = [&](double p_Pa) {
      const double relief = cylinder.valve_flow_m3_per_s / (Circuit::kReliefOverride * cylinder.relief_Pa);
      const double make_up = area_a_m2(cylinder) * Circuit::kMaxSpeed_m_s / Circuit::kMakeUpDrop_Pa;
      return relief * std::max(p_Pa - cylinder.relief_Pa, 0.0) - make_up * std::max(pump.tank_pressure_Pa - p_Pa, 0.0);
    };
    const double u = before.openings[k];
    const double drop_Pa = (u > 0.0 ? after.b_Pa(i) : after.a_Pa(i)) - pump.tank_pressure_Pa;
    const double drained_m3_per_s = valve_gain(cylinder) * std::abs(u) * drop_Pa /
                                    std::pow(drop_Pa * drop_Pa + Circuit::kLaminar_Pa * Circuit::kLaminar_Pa, 0.25);
    flows.tank_m3_per_s += drained_m3_per_s + port_m3_per_s(after.a_Pa(i)) + port_m3_per_s(after.b_Pa(i));
    flows.displaced_m3_per_s += (area_a_m2(cylinder) - area_b_m2(cylinder)) * v_m_s;
    flows.stored_m3_per_s += (volume_a_m3(cylinder, x_m) * (after.a_Pa(i) - before.a_Pa(i)) +
                              volume_b_m3(cylinder, x_m) * (after.b_Pa(i) - before.b_Pa(i))) /
                             cylinder.bulk_modulus_Pa / before.dt_s;
  }
  return flows;
}

TEST(HydraulicCircuit, LosesNoOil) {
  const PumpSettings pump;
  std::vector<CylinderSettings> cylinders(3);
  cylinders[1].bore_m = 0.12;
  cylinders[1].leakage_m3_per_s_Pa = 1e-12;
  cylinders[2].relief_Pa = 12e6;
  Rig rig(pump, cylinders);
  double pumped_m3 = 0.0, found_m3 = 0.0;
  int relieved_steps = 0;

  for (int k = 0; k < 2000; ++k) {
    const double t_s = kHydraulicCircuitDt_s * k;
    for (std::size_t i = 0; i < 3; ++i) {
      const double rate_per_s = 2.0 + static_cast<double>(i);
      rig.openings[i] = std::sin(rate_per_s * t_s);
      rig.v_m_s[i] = 0.3 * std::sin(rate_per_s * t_s - 0.4);
      rig.x_m[i] += kHydraulicCircuitDt_s * rig.v_m_s[i];
    }
    const Rig before = rig;
    rig.pass();
    const Flows flows = flows_of(pump, cylinders, before, rig);
    const double gone_m3_per_s = flows.stored_m3_per_s + flows.displaced_m3_per_s + flows.tank_m3_per_s;
    // Pressures are solved for to within 1 Pa before the last iteration, which squares that where edges are smooth.
    ASSERT_NEAR(flows.pump_m3_per_s, gone_m3_per_s, 1e-7 * pump.flow_m3_per_s) << "step " << k;
    pumped_m3 += kHydraulicCircuitDt_s * flows.pump_m3_per_s;
    found_m3 += kHydraulicCircuitDt_s * gone_m3_per_s;
    if (rig.a_Pa(2) > 12e6 || rig.b_Pa(2) > 12e6) ++relieved_steps;
  }

  EXPECT_GT(pumped_m3, 1e-3);
  EXPECT_GT(relieved_steps, 10);
  EXPECT_NEAR(pumped_m3, found_m3, 1e-8 * pumped_m3);
}

TEST(HydraulicCircuit, HoldsALoadWithTheStiffnessOfItsOil) {
  const CylinderSettings cylinder;
  for (const double x_m : {0.1, 0.5, 0.9}) {
    Rig rig({}, {cylinder});
    rig.x_m[0] = x_m;
    rig.pass();
    const double before_N = rig.forces_N[0];
    constexpr double kWay_m = 1e-5;  // in which volumes change by 1e-4 of themselves

    rig.v_m_s[0] = kWay_m / kHydraulicCircuitDt_s;
    rig.x_m[0] += kWay_m;
    rig.pass();

    const double expected_N = stiffness_N_per_m(cylinder, x_m) * kWay_m;
    EXPECT_NEAR(before_N - rig.forces_N[0], expected_N, 2e-4 * expected_N);
  }
}

/// Work that a locked cylinder has taken up since both pressures had their initial values, from p = p0 + beta ln(V0/V).
double oil_energy_J(const CylinderSettings& cylinder, double x0_m, double x_m) {
  const auto work_J = [&](double p0_Pa, double from_m3, double to_m3) {
    return -p0_Pa * (to_m3 - from_m3) -
           cylinder.bulk_modulus_Pa * (to_m3 * std::log(from_m3 / to_m3) + to_m3 - from_m3);
  };
  return work_J(cylinder.initial_a_Pa, volume_a_m3(cylinder, x0_m), volume_a_m3(cylinder, x_m)) +
         work_J(cylinder.initial_b_Pa, volume_b_m3(cylinder, x0_m), volume_b_m3(cylinder, x_m));
}

void expect_constant_energy(int euler_steps, double omega_dt) {
  CylinderSettings cylinder;
  cylinder.dead_volume_m3 = 5e-5;
  cylinder.initial_a_Pa = 12e6;
  cylinder.initial_b_Pa = cylinder.initial_a_Pa * area_a_m2(cylinder) / area_b_m2(cylinder);
  constexpr double kRest_m = 0.02;  // near an end, where the volume of chamber A changes most for its size
  const double mass_kg = stiffness_N_per_m(cylinder, kRest_m) * std::pow(kHydraulicCircuitDt_s / omega_dt, 2);
  Rig rig({}, {cylinder}, kHydraulicCircuitDt_s, euler_steps);
  rig.x_m[0] = kRest_m;
  rig.v_m_s[0] = omega_dt / kHydraulicCircuitDt_s * 1e-4;  // swings by 0.1 mm and some 5 MPa
  constexpr int kSteps = 100000, kWindow = 2000;
  double first_J = 0.0, last_J = 0.0, least_Pa = 1e9;

  for (int k = 0; k < kSteps; ++k) {
    rig.step(mass_kg, 0.0);
    least_Pa = std::min(least_Pa, rig.a_Pa());
    const double energy_J = 0.5 * mass_kg * rig.v_m_s[0] * rig.v_m_s[0] + oil_energy_J(cylinder, kRest_m, rig.x_m[0]);
    if (k < kWindow) first_J = std::max(first_J, energy_J);
    if (k >= kSteps - kWindow) last_J = std::max(last_J, energy_J);
  }

  EXPECT_GT(least_Pa, 1e6);  // no make-up valve has opened
  // Each window holds many swings, whose phases differ: their greatest energies agree to a thousandth.
  EXPECT_NEAR(last_J, first_J, 1e-3 * first_J) << "omega dt = " << omega_dt;
}

TEST(HydraulicCircuit, GivesAMassOnALockedCylinderNoEnergy) {
  for (const double omega_dt : {0.1, 0.5, 0.95}) expect_constant_energy(1, omega_dt);
}

TEST(HydraulicCircuit, GivesNoEnergyToAMassThatMovesInShorterSteps) {
  for (const double omega_dt : {0.1, 0.5, 0.95}) expect_constant_energy(4, omega_dt);
}

TEST(HydraulicCircuit, GivesNoEnergyToAMassThatMovesExactly) {
  for (const double omega_dt : {0.1, 0.5, 0.95}) expect_constant_energy(0, omega_dt);
}

TEST(HydraulicCircuit, ExtendsAndRetractsAtTheSpeedsThatItsEdgesAllow) {
  const PumpSettings pump;
  const CylinderSettings cylinder;
  const double a_m2 = area_a_m2(cylinder), b_m2 = area_b_m2(cylinder);
  constexpr double kLoad_N = 20e3;
  for (const double opening : {0.3, 0.7, -0.3, -0.7}) {
    Rig rig(pump, {cylinder});
    rig.openings[0] = opening;

    for (int k = 0; k < 1000; ++k) rig.step(500.0, kLoad_N);

    // K u sqrt(drop) = area * speed at both edges; the drops and the load together make the line's pressure.
    const double drive_N = opening > 0.0 ? rig.line_Pa() * a_m2 - pump.tank_pressure_Pa * b_m2 - kLoad_N
                                         : rig.line_Pa() * b_m2 - pump.tank_pressure_Pa * a_m2 + kLoad_N;
    const double speed_m_s =
        valve_gain(cylinder) * opening * std::sqrt(drive_N / (std::pow(a_m2, 3) + std::pow(b_m2, 3)));
    EXPECT_NEAR(rig.v_m_s[0], speed_m_s, 1e-4 * std::abs(speed_m_s));
    EXPECT_NEAR(rig.forces_N[0], kLoad_N, 1e-4 * rig.line_Pa() * a_m2);
  }
}

TEST(HydraulicCircuit, ShortOfFlowCylindersShareIt) {
  PumpSettings pump;
  pump.flow_m3_per_s = 1.5e-3;
  const CylinderSettings cylinder;
  Rig alone(pump, {cylinder}), together(pump, {cylinder, cylinder});
  alone.openings = {0.8};
  together.openings = {0.8, 0.8};

  for (int k = 0; k < 1000; ++k) {
    alone.step(500.0, 20e3);
    together.step(500.0, 20e3);
  }

  const double full_m_s = pump.flow_m3_per_s / area_a_m2(cylinder);
  EXPECT_NEAR(alone.v_m_s[0], full_m_s, 1e-4 * full_m_s);
  EXPECT_NEAR(together.v_m_s[0], 0.5 * full_m_s, 1e-4 * full_m_s);
  EXPECT_NEAR(together.v_m_s[1], 0.5 * full_m_s, 1e-4 * full_m_s);
  EXPECT_LT(together.line_Pa(), alone.line_Pa());
  EXPECT_LT(alone.line_Pa(), (1.0 - HydraulicCircuit::kPumpBand) * pump.pressure_Pa);
}

TEST(HydraulicCircuit, ReliefValvesBoundThePressure) {
  const PumpSettings pump;
  const CylinderSettings cylinder;
  for (const double speed_m_s : {0.05, 0.25}) {
    Rig rig(pump, {cylinder});
    rig.x_m[0] = 0.9;
    rig.v_m_s[0] = -speed_m_s;
    double max_Pa = 0.0;

    for (int k = 0; k < 2000; ++k) {
      rig.pass();
      rig.x_m[0] += kHydraulicCircuitDt_s * rig.v_m_s[0];
      max_Pa = std::max(max_Pa, rig.a_Pa());
    }

    const double flow_m3_per_s = area_a_m2(cylinder) * speed_m_s;
    const double override_Pa =
        HydraulicCircuit::kReliefOverride * cylinder.relief_Pa * flow_m3_per_s / cylinder.valve_flow_m3_per_s;
    EXPECT_NEAR(max_Pa, cylinder.relief_Pa + override_Pa, 1e-6 * max_Pa);
  }
}

TEST(HydraulicCircuit, MakeUpValvesKeepThePressureUp) {
  const PumpSettings pump;
  const CylinderSettings cylinder;
  for (const double speed_m_s : {0.5, 100.0}) {
    Rig rig(pump, {cylinder});
    rig.x_m[0] = 0.1;
    rig.v_m_s[0] = speed_m_s;
    double least_Pa = pump.pressure_Pa;

    for (int k = 0; k < 100; ++k) {
      rig.pass();
      least_Pa = std::min(least_Pa, rig.a_Pa());
    }

    const double drop_Pa = HydraulicCircuit::kMakeUpDrop_Pa * speed_m_s / HydraulicCircuit::kMaxSpeed_m_s;
    EXPECT_NEAR(least_Pa, pump.tank_pressure_Pa - drop_Pa, 1e-3 * drop_Pa);
    EXPECT_GT(least_Pa, 0.0);
  }
}

TEST(HydraulicCircuit, ValveStaysShutWithinItsOverlap) {
  CylinderSettings cylinder;
  cylinder.overlap = 0.1;
  Rig rig({}, {cylinder});
  for (const double opening : {0.1, -0.1, 0.05, 0.0}) {
    rig.openings[0] = opening;

    rig.pass();

    EXPECT_NEAR(rig.a_Pa(), cylinder.initial_a_Pa, 1e-6);
    EXPECT_NEAR(rig.b_Pa(), cylinder.initial_b_Pa, 1e-6);
  }
}

TEST(HydraulicCircuit, OpensFromItsOverlapToTheEndOfItsTravel) {
  CylinderSettings overlapped;
  overlapped.overlap = 0.2;
  Rig rig({}, {overlapped}), plain({}, {CylinderSettings{}});
  const double pairs[][2] = {{0.6, 0.5}, {1.0, 1.0}, {7.0, 1.0}, {-0.6, -0.5}};
  for (const auto& [opening, as_without] : pairs) {
    rig.openings[0] = opening;
    plain.openings[0] = as_without;

    rig.pass();
    plain.pass();

    EXPECT_NEAR(rig.a_Pa(), plain.a_Pa(), 1e-3);
    EXPECT_NEAR(rig.b_Pa(), plain.b_Pa(), 1e-3);
  }
}

TEST(HydraulicCircuit, LeakEvensOutThePressuresOfAShutCylinder) {
  CylinderSettings cylinder;
  cylinder.leakage_m3_per_s_Pa = 1e-10;
  cylinder.initial_a_Pa = 9e6;
  Rig rig({}, {cylinder});

  for (int k = 0; k < 2000; ++k) rig.pass();

  const double a_m3 = volume_a_m3(cylinder, 0.5), b_m3 = volume_b_m3(cylinder, 0.5);
  const double mean_Pa = (a_m3 * cylinder.initial_a_Pa + b_m3 * cylinder.initial_b_Pa) / (a_m3 + b_m3);
  EXPECT_NEAR(rig.a_Pa(), mean_Pa, 1e-6 * mean_Pa);
  EXPECT_NEAR(rig.b_Pa(), mean_Pa, 1e-6 * mean_Pa);
}

TEST(HydraulicCircuit, PumpKeepsItsPressureWhileNothingIsDrawn) {
  const PumpSettings pump;
  Rig rig(pump, {CylinderSettings{}});
  rig.state[0] = 1e6;

  // The flow ends as a parabola: the rest of the way shrinks with time, to V band^2 / (2 beta Q t).
  for (int k = 0; k < 1000; ++k) rig.pass();

  const double band_Pa = HydraulicCircuit::kPumpBand * pump.pressure_Pa;
  const double left_Pa = pump.volume_m3 / pump.bulk_modulus_Pa * band_Pa * band_Pa /
                         (2.0 * pump.flow_m3_per_s * 1000 * kHydraulicCircuitDt_s);
  EXPECT_NEAR(pump.pressure_Pa - rig.line_Pa(), left_Pa, 0.05 * left_Pa);
}

/// Extension, speed and pressures after a fifth of a second of a moving valve.
std::vector<double> moved(double dt_s) {
  Rig rig({}, {CylinderSettings{}}, dt_s);
  const int steps = static_cast<int>(std::lround(0.2 / dt_s));
  for (int k = 0; k < steps; ++k) {
    rig.openings[0] = 0.5 * std::sin(20.0 * dt_s * k) + 0.1;
    rig.step(3000.0, 10e3);
  }
  return {rig.x_m[0], rig.v_m_s[0], 1e-7 * rig.a_Pa(), 1e-7 * rig.b_Pa(), 1e-7 * rig.line_Pa()};
}

TEST(HydraulicCircuit, ConvergesWithTheFirstOrder) {
  const std::vector<double> exact = moved(kHydraulicCircuitDt_s / 256.0);
  const auto error = [&exact](double dt_s) {
    const std::vector<double> found = moved(dt_s);
    double square = 0.0;
    for (std::size_t i = 0; i < exact.size(); ++i) square += std::pow(found[i] - exact[i], 2);
    return std::sqrt(square);
  };

  const double coarse = error(kHydraulicCircuitDt_s / 2.0), middle = error(kHydraulicCircuitDt_s / 4.0),
               fine = error(kHydraulicCircuitDt_s / 8.0);

  EXPECT_NEAR(std::log2(coarse / middle), 1.0, 0.25);
  EXPECT_NEAR(std::log2(middle / fine), 1.0, 0.15);
}

TEST(HydraulicCircuit, SettlesWithHardlyAnyOilBehindAWideOpenValve) {
  PumpSettings pump;
  pump.volume_m3 = 1e-5;
  CylinderSettings cylinder;
  cylinder.dead_volume_m3 = 1e-5;
  cylinder.stroke_m = 1e-3;
  cylinder.valve_flow_m3_per_s = 2e-2;  // the oil's time constant is a thousandth of a step
  Rig rig(pump, {cylinder, cylinder});
  rig.x_m = {0.0, 5e-4};
  rig.openings = {1.0, -1.0};

  for (int k = 0; k < 20; ++k) rig.pass();

  EXPECT_NEAR(rig.a_Pa(0), rig.line_Pa(), 1.0);
  EXPECT_NEAR(rig.b_Pa(0), pump.tank_pressure_Pa, 1.0);
  EXPECT_NEAR(rig.b_Pa(1), rig.line_Pa(), 1.0);
  EXPECT_NEAR(rig.a_Pa(1), pump.tank_pressure_Pa, 1.0);
}

TEST(HydraulicCircuit, StaysWithinItsBoundsWhateverComesIn) {
  Random random(7);
  for (int trial = 0; trial < 200; ++trial) {
    PumpSettings pump;
    pump.volume_m3 = std::pow(10.0, random.uniform(-5.0, -2.0));
    pump.flow_m3_per_s = std::pow(10.0, random.uniform(-4.0, -1.0));
    std::vector<CylinderSettings> cylinders(static_cast<std::size_t>(1 + random.below(6)));
    double max_Pa = pump.pressure_Pa;
    for (CylinderSettings& cylinder : cylinders) {
      cylinder.bore_m = random.uniform(0.03, 0.3);
      cylinder.rod_m = cylinder.bore_m * random.uniform(0.0, 0.9);
      cylinder.dead_volume_m3 = std::pow(10.0, random.uniform(-6.0, -3.0));
      cylinder.valve_flow_m3_per_s = std::pow(10.0, random.uniform(-4.0, -2.0));
      if (random.happens(0.5)) cylinder.leakage_m3_per_s_Pa = std::pow(10.0, random.uniform(-14.0, -9.0));
      // Nothing but its relief valve for all that a piston displaces; more comes only from where the pressure is
      // higher.
      const double flow_m3_per_s = area_a_m2(cylinder) * HydraulicCircuit::kMaxSpeed_m_s;
      const double times = HydraulicCircuit::kReliefOverride * flow_m3_per_s / cylinder.valve_flow_m3_per_s;
      max_Pa = std::max(max_Pa, cylinder.relief_Pa * (1.0 + times));
    }
    Rig rig(pump, cylinders);

    for (int k = 0; k < 100; ++k) {
      for (std::size_t i = 0; i < cylinders.size(); ++i) {
        rig.openings[i] = random.uniform(-1.5, 1.5);
        rig.x_m[i] = random.uniform(-0.5, 1.5);
        rig.v_m_s[i] = random.happens(0.1) ? 1e9 * random.uniform(-1.0, 1.0) : random.uniform(-100.0, 100.0);
      }
      rig.pass();
      for (const double pressure_Pa : rig.state) {
        ASSERT_LE(pressure_Pa, max_Pa * (1.0 + 1e-9)) << "trial " << trial;
        ASSERT_GE(pressure_Pa, pump.tank_pressure_Pa - HydraulicCircuit::kMakeUpDrop_Pa - 1.0) << "trial " << trial;
      }
    }
  }
}

/// By central differences of whole steps from the same state.
void expect_derivatives(const Rig& before, std::size_t cylinder, double scale_N_s_per_m) {
  constexpr double kMove_m = 1e-4, kMove_m_s = 1e-4;
  // A step of the differences changes pressures by some kPa; its own error is that of the last iteration, below 1 Pa.
  constexpr double kShare = 2e-3;
  const auto force_N = [&](double dx_m, double dv_m_s) {
    Rig rig = before;
    rig.x_m[cylinder] += dx_m;
    rig.v_m_s[cylinder] += dv_m_s;
    rig.pass();
    return rig.forces_N[cylinder];
  };
  Rig rig = before;
  rig.pass();

  EXPECT_NEAR(rig.outputs[cylinder].force_by_speed,
              (force_N(0.0, kMove_m_s) - force_N(0.0, -kMove_m_s)) / (2.0 * kMove_m_s), kShare * scale_N_s_per_m);
  EXPECT_NEAR(rig.outputs[cylinder].force_by_position,
              (force_N(kMove_m, 0.0) - force_N(-kMove_m, 0.0)) / (2.0 * kMove_m),
              kShare * (1.0 + std::abs(rig.outputs[cylinder].force_by_position)) + kShare * scale_N_s_per_m);
}

TEST(HydraulicCircuit, TellsHowItsForcesDependOnPositionAndSpeed) {
  PumpSettings pump;
  CylinderSettings cylinder;
  cylinder.leakage_m3_per_s_Pa = 1e-12;
  const double scale_N_s_per_m = kHydraulicCircuitDt_s * stiffness_N_per_m(cylinder, 0.5);
  for (const double opening : {-1.0, -0.2, 0.0, 0.3, 1.0}) {
    for (const double flow_m3_per_s : {1e-4, 5e-3}) {  // one pump falls out of its band
      for (const double v_m_s : {-0.3, 0.05}) {
        SCOPED_TRACE(testing::Message() << opening << " " << flow_m3_per_s << " " << v_m_s);
        pump.flow_m3_per_s = flow_m3_per_s;
        Rig rig(pump, {cylinder, cylinder});
        rig.openings = {opening, 0.5};
        rig.v_m_s = {v_m_s, 0.1};
        for (int k = 0; k < 5; ++k) rig.pass();
        expect_derivatives(rig, 0, scale_N_s_per_m);
        expect_derivatives(rig, 1, scale_N_s_per_m);
      }
    }
  }
}

TEST(HydraulicCircuit, IsAsStiffAsItsOilWhereTheValveIsShut) {
  const CylinderSettings cylinder;
  Rig rig({}, {cylinder}, kHydraulicCircuitDt_s, 0);

  rig.pass();

  EXPECT_NEAR(rig.outputs[0].force_by_speed, -kHydraulicCircuitDt_s * stiffness_N_per_m(cylinder, 0.5),
              1e-9 * kHydraulicCircuitDt_s * stiffness_N_per_m(cylinder, 0.5));
}

TEST(HydraulicCircuit, DoesNotAllocate) {
  Rig rig({}, std::vector<CylinderSettings>(4));
  rig.openings = {0.5, -0.5, 1.0, 0.0};

  const AllocationCount allocations;
  for (int k = 0; k < 100; ++k) rig.pass();

  EXPECT_EQ(allocations.value(), 0);
}

}  // namespace
}  // namespace kinloop
