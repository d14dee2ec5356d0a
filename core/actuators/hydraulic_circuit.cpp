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

#include "core/actuators/actuator_slopes.hpp"
#include "core/base/at.hpp"
#include "core/base/require.hpp"

namespace kinloop {
namespace {

constexpr int kMaxIterations = 16;
constexpr double kSettled_Pa = 1.0;  // the most that a pressure changes in the last iteration

/// A flow near some drop of pressure: conductance * drop + offset.
struct Branch {
  double conductance_m3_per_s_Pa;
  double offset_m3_per_s;
};

enum class Slope { kChord, kTangent };

/// Tangents are for what changed by less than half of itself.
Slope slope_after(double previous, double now, double small) noexcept {
  return std::abs(now - previous) <= 0.5 * std::max(std::abs(now), small) ? Slope::kTangent : Slope::kChord;
}

/// Through an edge of a valve. The gain includes the opening.
Branch edge_flow(double gain, double drop_Pa, Slope slope) noexcept {
  constexpr double kLaminar_Pa = HydraulicCircuit::kLaminar_Pa;
  const double square = drop_Pa * drop_Pa + kLaminar_Pa * kLaminar_Pa;
  const double chord = gain / std::sqrt(std::sqrt(square));
  if (slope == Slope::kChord) return {chord, 0.0};
  const double bend = 0.5 * drop_Pa * drop_Pa / square;
  return {(1.0 - bend) * chord, bend * chord * drop_Pa};
}

/// The root of 2 y^2 + a y = c, for a > 0 and c > 0.
double positive_root(double a, double c) noexcept { return 2.0 * c / (a + std::sqrt(a * a + 8.0 * c)); }

/// How far the line is below the pump's pressure, in bands, where the pump delivers what the rest draws: q(y) = c - a
/// y. Its flow q(y), as a share, is 0 for y < 0 and 1 for y > 1; two parabolas lead from one to the other.
double pump_balance(double a, double c) noexcept {
  if (c <= 0.0) return c / a;
  if (c >= 1.0 + a) return (c - 1.0) / a;
  return c <= 0.5 * (1.0 + a) ? positive_root(a, c) : 1.0 - positive_root(a, 1.0 + a - c);
}

/// dq/dy.
double pump_slope(double y) noexcept {
  if (y <= 0.0 || y >= 1.0) return 0.0;
  return y <= 0.5 ? 4.0 * y : 4.0 * (1.0 - y);
}

}  // namespace

/// The valve feeds one chamber and drains the other; the sign of the opening says which.
struct HydraulicCircuit::Chamber {
  double storage_m3_per_s_Pa;  // V / (beta dt): the flow that raises the pressure by 1 Pa in the step
  double held_m3_per_s;        // storage times the pressure before the step, less what the piston makes room for
  double pressure_Pa;          // iterate
  double drop_Pa;              // along its edge, where that was replaced last
};

struct HydraulicCircuit::Work {
  double gain;  // of both edges, opening included
  bool feeds_a;
  Chamber fed, drained;
  // As eliminated: fed = fed_alone + fed_per_line * line, drained = drained_alone + drained_per_fed * fed.
  double fed_alone_Pa, fed_per_line, drained_alone_Pa, drained_per_fed;
};

HydraulicCircuit::HydraulicCircuit(const PumpSettings& pump, const std::vector<CylinderSettings>& cylinders,
                                   double dt_s, double euler_step_s)
    : pump_(pump), dt_s_(dt_s), euler_step_s_(euler_step_s) {
  require(dt_s > 0.0 && euler_step_s >= 0.0 && euler_step_s <= dt_s, "a step takes time");
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
    const Slope slope =
        branches == Branches::kChords ? Slope::kChord : slope_after(chamber.drop_Pa, drop_Pa, kLaminar_Pa);
    chamber.drop_Pa = drop_Pa;
    return edge_flow(work.gain, drop_Pa, slope);
  };
  const Branch feed = edge(line_Pa - work.fed.pressure_Pa, work.fed);
  const Branch drain = edge(work.drained.pressure_Pa - pump_.tank_pressure_Pa, work.drained);
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

/// What leaves each chamber, by its own pressure; the leak leads to the other one, the feed to the line.
struct HydraulicCircuit::Tangent {
  double fed, drained;
  double leak, feed;
  double determinant;
};

HydraulicCircuit::Tangent HydraulicCircuit::tangent(const Cylinder& cylinder, double line_Pa,
                                                    const Work& work) const noexcept {
  const auto edge = [&](double drop_Pa) {
    return edge_flow(work.gain, drop_Pa, Slope::kTangent).conductance_m3_per_s_Pa;
  };
  const auto own = [&](const Chamber& chamber) {
    return chamber.storage_m3_per_s_Pa + port(cylinder, chamber.pressure_Pa).conductance;
  };
  const double leak = cylinder.settings.leakage_m3_per_s_Pa;
  const double feed = edge(line_Pa - work.fed.pressure_Pa);
  const double fed = own(work.fed) + leak + feed;
  const double drained = own(work.drained) + leak + edge(work.drained.pressure_Pa - pump_.tank_pressure_Pa);
  return {fed, drained, leak, feed, fed * drained - leak * leak};
}

double HydraulicCircuit::line_conductance(double line_Pa, const Work* works) const noexcept {
  const double band_Pa = kPumpBand * pump_.pressure_Pa;
  const double bands_below = (pump_.pressure_Pa - line_Pa) / band_Pa;
  double sum =
      pump_.volume_m3 / (pump_.bulk_modulus_Pa * dt_s_) + pump_.flow_m3_per_s * pump_slope(bands_below) / band_Pa;
  for (std::size_t i = 0; i < cylinders_.size(); ++i) {
    const Tangent t = tangent(cylinders_[i], line_Pa, works[i]);
    sum += t.feed * (1.0 - t.feed * t.drained / t.determinant);
  }
  return sum;
}

void HydraulicCircuit::differentiate(int cylinder, const ActuatorInput& input, const Work& work, double line_Pa,
                                     double line_conductance, const HydraulicState& before,
                                     ActuatorOutput& output) const noexcept {
  const Cylinder& of = cylinders_[at(cylinder)];
  const Tangent t = tangent(of, line_Pa, work);
  // Of the force, where the balances of A and B change by so much.
  const auto force_change_N = [&](double a_m3_per_s, double b_m3_per_s) {
    const double into_fed = work.feeds_a ? -a_m3_per_s : -b_m3_per_s;
    const double into_drained = work.feeds_a ? -b_m3_per_s : -a_m3_per_s;
    double fed_Pa = (t.drained * into_fed + t.leak * into_drained) / t.determinant;
    double drained_Pa = (t.leak * into_fed + t.fed * into_drained) / t.determinant;
    const double line_change_Pa = t.feed * fed_Pa / line_conductance;
    fed_Pa += t.feed * t.drained / t.determinant * line_change_Pa;
    drained_Pa += t.feed * t.leak / t.determinant * line_change_Pa;
    return work.feeds_a ? fed_Pa * of.area_a_m2 - drained_Pa * of.area_b_m2
                        : drained_Pa * of.area_a_m2 - fed_Pa * of.area_b_m2;
  };
  const double a_Pa = work.feeds_a ? work.fed.pressure_Pa : work.drained.pressure_Pa;
  const double b_Pa = work.feeds_a ? work.drained.pressure_Pa : work.fed.pressure_Pa;
  const double stored_s_Pa = of.settings.bulk_modulus_Pa * dt_s_;

  const double v_share = std::abs(input.speed) <= kMaxSpeed_m_s ? 1.0 : 0.0;  // of a change that counts
  const double v_m_s = std::clamp(input.speed, -kMaxSpeed_m_s, kMaxSpeed_m_s);
  const double x_m = input.position - 0.5 * euler_step_s_ * v_m_s;
  const double x_share = x_m >= 0.0 && x_m <= of.settings.stroke_m ? 1.0 : 0.0;
  const double a_by_x = x_share * of.area_a_m2 * (a_Pa - before.a_Pa(cylinder)) / stored_s_Pa;
  const double b_by_x = -x_share * of.area_b_m2 * (b_Pa - before.b_Pa(cylinder)) / stored_s_Pa;
  const double x_by_v = -0.5 * euler_step_s_;
  output.force_by_position = force_change_N(a_by_x, b_by_x);
  output.force_by_speed =
      force_change_N(v_share * (of.area_a_m2 + x_by_v * a_by_x), v_share * (-of.area_b_m2 + x_by_v * b_by_x));
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

void HydraulicCircuit::respond(int cylinder, const Inflow& inflow, double line_Pa, double line_conductance,
                               const Work* works, int column, ActuatorSlopes& slopes) const noexcept {
  const auto set = [&](int i, double fed_Pa, double drained_Pa) {
    const Cylinder& of = cylinders_[at(i)];
    const bool feeds_a = works[i].feeds_a;
    const double a_Pa = feeds_a ? fed_Pa : drained_Pa;
    const double b_Pa = feeds_a ? drained_Pa : fed_Pa;
    slopes.at(slopes.state_after(HydraulicState::chamber_a(i)), column) = a_Pa;
    slopes.at(slopes.state_after(HydraulicState::chamber_b(i)), column) = b_Pa;
    slopes.at(slopes.force(i), column) = a_Pa * of.area_a_m2 - b_Pa * of.area_b_m2;
  };
  double own_fed_Pa = 0.0;
  double own_drained_Pa = 0.0;
  double into_line = inflow.line;
  if (cylinder >= 0) {
    const Work& work = works[cylinder];
    const Tangent t = tangent(cylinders_[at(cylinder)], line_Pa, work);
    const double into_fed = work.feeds_a ? inflow.a : inflow.b;
    const double into_drained = work.feeds_a ? inflow.b : inflow.a;
    own_fed_Pa = (t.drained * into_fed + t.leak * into_drained) / t.determinant;
    own_drained_Pa = (t.leak * into_fed + t.fed * into_drained) / t.determinant;
    into_line += t.feed * own_fed_Pa;
  }
  const double line_change_Pa = into_line / line_conductance;
  slopes.at(slopes.state_after(HydraulicState::line()), column) = line_change_Pa;
  for (int i = 0; i < cylinder_count(); ++i) {
    const Tangent t = tangent(cylinders_[at(i)], line_Pa, works[i]);
    const double fed_Pa = t.feed * t.drained / t.determinant * line_change_Pa;
    const double drained_Pa = t.feed * t.leak / t.determinant * line_change_Pa;
    set(i, fed_Pa + (i == cylinder ? own_fed_Pa : 0.0), drained_Pa + (i == cylinder ? own_drained_Pa : 0.0));
  }
}

/// The balances at the end of the step, differentiated: what they gain by an input, each pressure must carry away.
void HydraulicCircuit::differentiate(std::span<const ActuatorInput> inputs, std::span<const double> state,
                                     ActuatorSlopes& slopes) const noexcept {
  std::array<double, HydraulicState::size(kMaxCylinders)> copy{};
  std::copy(state.begin(), state.end(), copy.begin());
  const HydraulicState before({copy.data(), state.size()});
  std::array<Work, kMaxCylinders> works;
  for (int i = 0; i < cylinder_count(); ++i) {
    const ActuatorInput& input = inputs[at(i)];
    prepare(cylinders_[at(i)], input.command, input.position, input.speed, before.a_Pa(i), before.b_Pa(i),
            works[at(i)]);
  }
  const double line_Pa = solve(before.line_Pa(), works.data());
  const double conductance = line_conductance(line_Pa, works.data());
  const auto column = [&](int cylinder, const Inflow& inflow, int place) {
    respond(cylinder, inflow, line_Pa, conductance, works.data(), place, slopes);
  };
  column(-1, {0.0, 0.0, pump_.volume_m3 / (pump_.bulk_modulus_Pa * dt_s_)},
         slopes.state_before(HydraulicState::line()));
  for (int i = 0; i < cylinder_count(); ++i) {
    const Cylinder& of = cylinders_[at(i)];
    const Work& work = works[at(i)];
    const ActuatorInput& input = inputs[at(i)];
    const Chamber& a = work.feeds_a ? work.fed : work.drained;
    const Chamber& b = work.feeds_a ? work.drained : work.fed;
    column(i, {a.storage_m3_per_s_Pa, 0.0, 0.0}, slopes.state_before(HydraulicState::chamber_a(i)));
    column(i, {0.0, b.storage_m3_per_s_Pa, 0.0}, slopes.state_before(HydraulicState::chamber_b(i)));

    const double v_m_s = std::clamp(input.speed, -kMaxSpeed_m_s, kMaxSpeed_m_s);
    const double v_share = v_m_s == input.speed ? 1.0 : 0.0;  // of a change that counts
    const double x_m = input.position - 0.5 * euler_step_s_ * v_m_s;
    const double x_share = x_m >= 0.0 && x_m <= of.settings.stroke_m ? 1.0 : 0.0;
    const double stored_s_Pa = of.settings.bulk_modulus_Pa * dt_s_;
    const double a_by_x = -x_share * of.area_a_m2 * (a.pressure_Pa - before.a_Pa(i)) / stored_s_Pa;
    const double b_by_x = x_share * of.area_b_m2 * (b.pressure_Pa - before.b_Pa(i)) / stored_s_Pa;
    const double x_by_v = -0.5 * euler_step_s_;
    column(i, {a_by_x, b_by_x, 0.0}, slopes.position(i));
    column(i, {v_share * (x_by_v * a_by_x - of.area_a_m2), v_share * (x_by_v * b_by_x + of.area_b_m2), 0.0},
           slopes.speed(i));

    // On the edge of its overlap a valve is taken as one that opens, to the side that it feeds.
    const double size = std::abs(input.command);
    const bool opens = size >= of.settings.overlap && size < 1.0;
    const double slope = opens ? of.valve_gain / (1.0 - of.settings.overlap) : 0.0;
    const double by_opening = work.feeds_a ? slope : -slope;
    const auto through = [&](double drop_Pa) {
      return edge_flow(by_opening, drop_Pa, Slope::kChord).conductance_m3_per_s_Pa * drop_Pa;
    };
    const double feed = through(line_Pa - work.fed.pressure_Pa);
    const double drain = through(work.drained.pressure_Pa - pump_.tank_pressure_Pa);
    column(i, {work.feeds_a ? feed : -drain, work.feeds_a ? -drain : feed, -feed}, slopes.command(i));
  }
}

}  // namespace kinloop
