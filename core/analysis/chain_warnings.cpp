// Compares each chain with the slowest motion that a controller has to follow.
#include "core/analysis/chain_warnings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <string>

#include "core/actuators/actuator_type.hpp"
#include "core/analysis/linearize.hpp"
#include "core/analysis/modes.hpp"
#include "core/base/field_path.hpp"
#include "core/plant/coordinate_names.hpp"
#include "core/plant/plant.hpp"

namespace kinloop {
namespace {

constexpr double kMaxPhase_rad = 1.0;   // that a command may come late by: no controller turns that around
constexpr double kMaxTravel_rad = 6.3;  // of the mechanism while a command goes from one limit to the other
constexpr double kGrowing = 1e-3;       // of its rate: a mode that grows by less swings, but for the integrator
constexpr int kMaxSpeedsForModes = 100;

std::string rounded(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

bool is_slow_at_all(const CommandChainSettings& chain) {
  return chain.delay_s > 0.0 || chain.lag_s > 0.0 || std::isfinite(chain.rate_per_s);
}

/// The mechanism without what moves it.
PlantSpec bare(const PlantSpec& spec) {
  PlantSpec alone;
  alone.dt_s = spec.dt_s;
  return alone;
}

/// Of its modes, rad/s; 0: none grows or swings, or they are not to be had.
double slowest_mode_rad_s(Plant& alone) {
  if (alone.model().nv() > kMaxSpeedsForModes) return 0.0;
  const Result<Linearization> linear = linearize(alone, alone.initial_state(), {}, {});
  if (!linear) return 0.0;
  constexpr double kNone = std::numeric_limits<double>::infinity();
  double growing = kNone, swinging = kNone;
  for (const Mode& mode : modes(linear->A, linear->dt_s)) {
    if (mode.kind == ModeKind::kStays || mode.kind == ModeKind::kGone) continue;
    if (mode.damping < -kGrowing) {
      growing = std::min(growing, -1.0 / mode.time_constant_s);
    } else if (mode.kind == ModeKind::kSwings) {
      swinging = std::min(swinging, std::hypot(2.0 * std::numbers::pi * mode.frequency_Hz, 1.0 / mode.time_constant_s));
    }
  }
  const double slowest = growing < kNone ? growing : swinging;
  return slowest < kNone ? slowest : 0.0;
}

/// Of a command that is held for ever, at a joint that stands still; not of what a pump feeds.
double steady_force(const ActuatorSpec& spec, double command) {
  constexpr double kForEver_s = 1e9;
  const auto actuator = actuator_type(spec.kind).make(spec, {kForEver_s});
  std::vector<double> state(static_cast<std::size_t>(actuator->state_size()));
  actuator->start(state);
  const ActuatorInput input{command, 0.0, 0.0};
  ActuatorOutput output;
  actuator->step({&input, 1}, state, {&output, 1});
  return output.force;
}

/// What a command goes through: from limit to limit, over all that its actuator answers to, or twice the force that
/// moves its joint to and fro by a radian, or the mechanism's length, with that motion. 0: not known.
double range_of(const ActuatorSpec& actuator, Plant& alone, double motion_rad_s) {
  const double limits = actuator.chain.upper - actuator.chain.lower;
  if (std::isfinite(limits)) return limits;
  const ActuatorType& type = actuator_type(actuator.kind);
  if (const double full = type.command(actuator).full; full > 0.0) return 2.0 * full;
  if (type.is_fed_by_pump()) return 0.0;
  const Result<int> speed = find_speed(alone.model(), actuator.joint);
  const VectorX& mobility = alone.fastest().mobility;
  if (!speed || mobility.size() == 0 || !(mobility[*speed] > 0.0)) return 0.0;
  const Result<Signal> place = find_signal(alone.model(), alone.spec(), "q." + actuator.joint);
  const double way = place && place->unit == SignalUnit::kM ? alone.model().length_m() : 1.0;
  const double force_per_command = steady_force(actuator, 1.0);
  if (!(force_per_command > 0.0)) return 0.0;
  return 2.0 * motion_rad_s * motion_rad_s * way / (mobility[*speed] * force_per_command);
}

}  // namespace

std::vector<Error> chain_warnings(const Model& model, const PlantSpec& spec) {
  std::vector<Error> found;
  const auto is_slow = [](const ActuatorSpec& actuator) { return is_slow_at_all(actuator.chain); };
  if (std::none_of(spec.actuators.begin(), spec.actuators.end(), is_slow)) return found;
  const auto alone = Plant::make(model, bare(spec));
  if (!alone) return found;
  double motion = slowest_mode_rad_s(**alone);
  if (!(motion > 0.0)) motion = std::sqrt(model.gravity().norm() / model.length_m());
  if (!(motion > 0.0)) return found;
  const std::string against = " at the " + rounded(motion) + " rad/s of the mechanism";
  for (std::size_t i = 0; i < spec.actuators.size(); ++i) {
    const CommandChainSettings& chain = spec.actuators[i].chain;
    const std::string path = item_path("actuators", i);
    if (const double phase = motion * chain.delay_s; phase > kMaxPhase_rad) {
      found.push_back({path + ".delay", "is " + rounded(phase) + " rad" + against +
                                            ": a linearization or controller that leaves it out is meaningless"});
    }
    if (const double phase = std::atan(motion * chain.lag_s); phase > kMaxPhase_rad) {
      found.push_back({path + ".lag", "turns commands by " + rounded(phase) + " rad and leaves " +
                                          rounded(std::cos(phase)) + " of them" + against +
                                          ": what a controller asks for does not arrive"});
    }
    if (!std::isfinite(chain.rate_per_s)) continue;
    const double range = range_of(spec.actuators[i], **alone, motion);
    const bool is_limited = std::isfinite(chain.upper - chain.lower);
    if (const double travel = motion * range / chain.rate_per_s; travel > kMaxTravel_rad) {
      found.push_back({path + ".rate_limit", "takes " + rounded(range / chain.rate_per_s) + " s " +
                                                 (is_limited ? "from limit to limit" : "to reverse a full command") +
                                                 ", " + rounded(travel) + " rad" + against +
                                                 ": a linearization holds for small commands only"});
    }
  }
  return found;
}

}  // namespace kinloop
