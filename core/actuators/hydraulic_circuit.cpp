// Implicit Euler in the pressures: valves and pump are far stiffer than a step is short.
//
// The circuit is a network: pressures are its nodes, and every flow grows with the drop of pressure along its branch.
// Each iteration replaces the edges of the valves by linear branches and solves for the nodes: the chambers of each
// cylinder as functions of the line (a Schur complement), then the line with the pump, whose flow needs no replacing.
//
// An edge is replaced by its chord through zero until its drop has nearly settled, then by its tangent (Newton).
// Tangents alone would not do: the tangent of a root leads as far beyond zero as it came from. Chords lower one convex
// function, the content of the network, in every iteration, since flows grow slower than drops; and as they only
// conduct, no pressure leaves the range of those around it. So they also have the last word if the bound of iterations
// is reached.
#include "core/actuators/hydraulic_circuit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "core/actuators/hydraulic_network.hpp"
#include "core/base/at.hpp"
#include "core/base/require.hpp"

namespace kinloop {
namespace {

constexpr int kMaxIterations = 16;
constexpr double kSettled_Pa = 1.0;  // the most that a pressure changes in the last iteration

/// The root of 2 y^2 + a y = c, for a > 0 and c > 0.
double positive_root(double a, double c) noexcept { return 2.0 * c / (a + std::sqrt(a * a + 8.0 * c)); }

/// How far the line is below the pump's pressure, in bands, where the pump delivers what the rest draws: q(y) = c - a
/// y. Its flow q(y), as a share, is 0 for y < 0 and 1 for y > 1; two parabolas lead from one to the other.
double pump_balance(double a, double c) noexcept {
  if (c <= 0.0) return c / a;
  if (c >= 1.0 + a) return (c - 1.0) / a;
  return c <= 0.5 * (1.0 + a) ? positive_root(a, c) : 1.0 - positive_root(a, 1.0 + a - c);
}

}  // namespace

HydraulicCircuit::HydraulicCircuit(const PumpSettings& pump, const std::vector<CylinderSettings>& cylinders,
                                   double dt_s, double euler_step_s)
    : pump_(pump), dt_s_(dt_s), euler_step_s_(euler_step_s) {
  require(dt_s > 0.0 && euler_step_s >= 0.0, "a step takes time");
  require(pump.pressure_Pa > 0.0 && pump.flow_m3_per_s > 0.0, "a pump delivers");
  require(pump.volume_m3 > 0.0 && pump.bulk_modulus_Pa > 0.0, "a line holds oil");
  require(cylinders.size() <= kMaxCylinders, "one pump feeds at most kMaxCylinders");
  cylinders_.reserve(cylinders.size());
  for (const CylinderSettings& settings : cylinders) {
    require(settings.rod_m >= 0.0 && settings.rod_m < settings.bore_m, "a rod is thinner than its piston");
    require(settings.stroke_m > 0.0 && settings.dead_volume_m3 > 0.0 && settings.bulk_modulus_Pa > 0.0,
            "chambers hold oil wherever the piston is");
    require(settings.valve_flow_m3_per_s > 0.0 && settings.valve_drop_Pa > 0.0, "a valve lets oil through");
    require(settings.overlap >= 0.0 && settings.overlap < 1.0, "a valve opens before the end of its travel");
    require(settings.leakage_m3_per_s_Pa >= 0.0, "leaks lead to the lower pressure");
    require(settings.relief_Pa > std::max(pump.tank_pressure_Pa, 0.0), "a port opens above the tank's pressure");
    Cylinder cylinder;
    cylinder.settings = settings;
    cylinder.area_a_m2 = std::numbers::pi / 4.0 * settings.bore_m * settings.bore_m;
    cylinder.area_b_m2 = cylinder.area_a_m2 - std::numbers::pi / 4.0 * settings.rod_m * settings.rod_m;
    cylinder.valve_gain = settings.valve_flow_m3_per_s / std::sqrt(settings.valve_drop_Pa);
    cylinder.relief_m3_per_s_Pa = settings.valve_flow_m3_per_s / (kReliefOverride * settings.relief_Pa);
    cylinder.make_up_m3_per_s_Pa = cylinder.area_a_m2 * kMaxSpeed_m_s / kMakeUpDrop_Pa;
    cylinders_.push_back(cylinder);
  }
}

void HydraulicCircuit::start(std::span<double> state) const noexcept {
  const HydraulicState pressures(state);
  pressures.line_Pa() = pump_.pressure_Pa;
  for (int i = 0; i < cylinder_count(); ++i) {
    pressures.a_Pa(i) = cylinders_[at(i)].settings.initial_a_Pa;
    pressures.b_Pa(i) = cylinders_[at(i)].settings.initial_b_Pa;
  }
}

ActuatorQuantity HydraulicCircuit::quantity(int joint, int number) const noexcept {
  const Cylinder& cylinder = cylinders_[at(joint)];
  if (number == 0) return {HydraulicState::chamber_a(joint), cylinder.area_a_m2, true};
  return {HydraulicState::chamber_b(joint), -cylinder.area_b_m2, true};
}

void HydraulicCircuit::prepare(const Cylinder& cylinder, double opening, double extension_m, double speed_m_s,
                               double a_Pa, double b_Pa, Work& work) const noexcept {
  const CylinderSettings& settings = cylinder.settings;
  const double v_m_s = std::clamp(speed_m_s, -kMaxSpeed_m_s, kMaxSpeed_m_s);
  // Where the piston was when it had this speed: semi-implicit Euler's speeds belong to the middle of the step that led
  // here. With volumes from elsewhere, a locked piston would gain or lose a little oil in every swing.
  const double x_m = std::clamp(extension_m - 0.5 * euler_step_s_ * v_m_s, 0.0, settings.stroke_m);
  const auto chamber = [&](double swept_m3, double growth_m3_per_s, double pressure_Pa) {
    const double storage = (settings.dead_volume_m3 + swept_m3) / (settings.bulk_modulus_Pa * dt_s_);
    return Chamber{storage, storage * pressure_Pa - growth_m3_per_s, pressure_Pa, 0.0};
  };
  const Chamber a = chamber(cylinder.area_a_m2 * x_m, cylinder.area_a_m2 * v_m_s, a_Pa);
  const Chamber b = chamber(cylinder.area_b_m2 * (settings.stroke_m - x_m), -cylinder.area_b_m2 * v_m_s, b_Pa);

  const double beyond_overlap = std::max(std::min(std::abs(opening), 1.0) - settings.overlap, 0.0);
  work.gain = cylinder.valve_gain * beyond_overlap / (1.0 - settings.overlap);
  work.feeds_a = opening > 0.0;
  work.fed = work.feeds_a ? a : b;
  work.drained = work.feeds_a ? b : a;
}

HydraulicCircuit::Node HydraulicCircuit::port(const Cylinder& cylinder, double pressure_Pa) const noexcept {
  if (pressure_Pa > cylinder.settings.relief_Pa) {
    return {cylinder.relief_m3_per_s_Pa, cylinder.relief_m3_per_s_Pa * cylinder.settings.relief_Pa};
  }
  if (pressure_Pa < pump_.tank_pressure_Pa) {
    return {cylinder.make_up_m3_per_s_Pa, cylinder.make_up_m3_per_s_Pa * pump_.tank_pressure_Pa};
  }
  return {0.0, 0.0};
}

HydraulicCircuit::Node HydraulicCircuit::eliminate(const Cylinder& cylinder, double line_Pa, Branches branches,
                                                   Work& work) const noexcept {
  const auto edge = [&](double drop_Pa, Chamber& chamber) {
    const EdgeSlope slope =
        branches == Branches::kChords ? EdgeSlope::kChord : slope_after(chamber.drop_Pa, drop_Pa, kLaminar_Pa);
    chamber.drop_Pa = drop_Pa;
    return edge_flow(work.gain, drop_Pa, slope);
  };
  const EdgeBranch feed = edge(line_Pa - work.fed.pressure_Pa, work.fed);
  const EdgeBranch drain = edge(work.drained.pressure_Pa - pump_.tank_pressure_Pa, work.drained);
  const Node fed_port = port(cylinder, work.fed.pressure_Pa);
  const Node drained_port = port(cylinder, work.drained.pressure_Pa);
  const double leak = cylinder.settings.leakage_m3_per_s_Pa;

  // (own + leak) drained = source + leak fed
  const double drained_own =
      work.drained.storage_m3_per_s_Pa + drained_port.conductance + drain.conductance_m3_per_s_Pa;
  const double drained_source = work.drained.held_m3_per_s + drained_port.source - drain.offset_m3_per_s +
                                drain.conductance_m3_per_s_Pa * pump_.tank_pressure_Pa;
  work.drained_per_fed = leak / (drained_own + leak);
  work.drained_alone_Pa = drained_source / (drained_own + leak);

  // (own + feed) fed = source + feed line, own without differences: stiff feeds would lose them.
  const double fed_own = work.fed.storage_m3_per_s_Pa + fed_port.conductance + work.drained_per_fed * drained_own;
  const double fed_source =
      work.fed.held_m3_per_s + fed_port.source + feed.offset_m3_per_s + leak * work.drained_alone_Pa;
  work.fed_per_line = feed.conductance_m3_per_s_Pa / (fed_own + feed.conductance_m3_per_s_Pa);
  work.fed_alone_Pa = fed_source / (fed_own + feed.conductance_m3_per_s_Pa);

  return {work.fed_per_line * fed_own, feed.conductance_m3_per_s_Pa * work.fed_alone_Pa - feed.offset_m3_per_s};
}

double HydraulicCircuit::solve(double line_before_Pa, Work* works) const noexcept {
  const double band_Pa = kPumpBand * pump_.pressure_Pa;
  const double line_storage = pump_.volume_m3 / (pump_.bulk_modulus_Pa * dt_s_);
  const std::size_t count = cylinders_.size();
  double line_Pa = line_before_Pa;
  for (int k = 0; k < kMaxIterations; ++k) {
    const bool is_first_or_last = k == 0 || k == kMaxIterations - 1;
    const Branches branches = is_first_or_last ? Branches::kChords : Branches::kTangentsWhereSettled;
    Node rest{line_storage, line_storage * line_before_Pa};
    for (std::size_t i = 0; i < count; ++i) {
      const Node part = eliminate(cylinders_[i], line_Pa, branches, works[i]);
      rest.conductance += part.conductance;
      rest.source += part.source;
    }

    const double drawn_m3_per_s = rest.conductance * pump_.pressure_Pa - rest.source;  // at the pump's pressure
    const double bands_below =
        pump_balance(rest.conductance * band_Pa / pump_.flow_m3_per_s, drawn_m3_per_s / pump_.flow_m3_per_s);
    const double solved_Pa = pump_.pressure_Pa - band_Pa * bands_below;
    double change_Pa = std::abs(solved_Pa - line_Pa);
    line_Pa = solved_Pa;
    for (std::size_t i = 0; i < count; ++i) {
      Work& work = works[i];
      const double fed_Pa = work.fed_alone_Pa + work.fed_per_line * line_Pa;
      const double drained_Pa = work.drained_alone_Pa + work.drained_per_fed * fed_Pa;
      change_Pa = std::max(
          {change_Pa, std::abs(fed_Pa - work.fed.pressure_Pa), std::abs(drained_Pa - work.drained.pressure_Pa)});
      work.fed.pressure_Pa = fed_Pa;
      work.drained.pressure_Pa = drained_Pa;
    }
    if (change_Pa < kSettled_Pa) break;
  }
  return line_Pa;
}

void HydraulicCircuit::step(std::span<const ActuatorInput> inputs, std::span<double> state,
                            std::span<ActuatorOutput> outputs) const noexcept {
  const HydraulicState pressures(state);
  std::array<Work, kMaxCylinders> works;
  for (int i = 0; i < cylinder_count(); ++i) {
    const ActuatorInput& input = inputs[at(i)];
    prepare(cylinders_[at(i)], input.command, input.position, input.speed, pressures.a_Pa(i), pressures.b_Pa(i),
            works[at(i)]);
  }

  const double line_Pa = solve(pressures.line_Pa(), works.data());

  const double conductance = line_conductance(line_Pa, works.data());
  pressures.line_Pa() = line_Pa;
  for (int i = 0; i < cylinder_count(); ++i) {
    const Work& work = works[at(i)];
    const Cylinder& cylinder = cylinders_[at(i)];
    ActuatorOutput& output = outputs[at(i)];
    differentiate(i, inputs[at(i)], work, line_Pa, conductance, pressures, output);
    const double a_Pa = work.feeds_a ? work.fed.pressure_Pa : work.drained.pressure_Pa;
    const double b_Pa = work.feeds_a ? work.drained.pressure_Pa : work.fed.pressure_Pa;
    pressures.a_Pa(i) = a_Pa;
    pressures.b_Pa(i) = b_Pa;
    output.force = a_Pa * cylinder.area_a_m2 - b_Pa * cylinder.area_b_m2;
  }
}

}  // namespace kinloop
