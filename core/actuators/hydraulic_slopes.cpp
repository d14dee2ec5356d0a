// Derivatives of a circuit's step: its balances, differentiated at their solution (docs/theory/hydraulics.md, A7).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/actuators/actuator_slopes.hpp"
#include "core/actuators/hydraulic_network.hpp"
#include "core/base/at.hpp"

namespace kinloop {
namespace {

/// dq/dy.
double pump_slope(double y) noexcept {
  if (y <= 0.0 || y >= 1.0) return 0.0;
  return y <= 0.5 ? 4.0 * y : 4.0 * (1.0 - y);
}

}  // namespace

/// What leaves each chamber, by its own pressure; the leak leads to the other one, the feed to the line.
struct HydraulicCircuit::Tangent {
  double fed, drained;
  double leak, feed;
  double determinant;
};

HydraulicCircuit::Tangent HydraulicCircuit::tangent(const Cylinder& cylinder, double line_Pa,
                                                    const Work& work) const noexcept {
  const auto edge = [&](double drop_Pa) {
    return edge_flow(work.gain, drop_Pa, EdgeSlope::kTangent).conductance_m3_per_s_Pa;
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
      return edge_flow(by_opening, drop_Pa, EdgeSlope::kChord).conductance_m3_per_s_Pa * drop_Pa;
    };
    const double feed = through(line_Pa - work.fed.pressure_Pa);
    const double drain = through(work.drained.pressure_Pa - pump_.tank_pressure_Pa);
    column(i, {work.feeds_a ? feed : -drain, work.feeds_a ? -drain : feed, -feed}, slopes.command(i));
  }
}

}  // namespace kinloop
