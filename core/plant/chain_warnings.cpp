// Compares each chain with the slowest motion that a controller has to follow.
#include "core/plant/chain_warnings.hpp"

#include <cmath>
#include <cstdio>

#include "core/base/field_path.hpp"

namespace kinloop {
namespace {

constexpr double kMaxPhase_rad = 1.0;   // that a command may come late by: no controller turns that around
constexpr double kMaxTravel_rad = 6.3;  // of the mechanism while a command goes from one limit to the other

std::string rounded(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

/// A pendulum of the mechanism's length: springs are faster, and not what a controller is there for. 0: no gravity.
double motion_rad_s(const Model& model) { return std::sqrt(model.gravity().norm() / model.length_m()); }

}  // namespace

std::vector<Error> chain_warnings(const Model& model, const PlantSpec& spec) {
  std::vector<Error> found;
  const double motion = motion_rad_s(model);
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
    const double range = chain.upper - chain.lower;
    if (!std::isfinite(chain.rate_per_s) || !std::isfinite(range)) continue;
    if (const double travel = motion * range / chain.rate_per_s; travel > kMaxTravel_rad) {
      found.push_back({path + ".rate_limit", "takes " + rounded(range / chain.rate_per_s) + " s from limit to limit, " +
                                                 rounded(travel) + " rad" + against +
                                                 ": a linearization holds for small commands only"});
    }
  }
  return found;
}

}  // namespace kinloop
