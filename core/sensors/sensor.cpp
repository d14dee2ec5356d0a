// Turns true values into readings: delay, bias, drift, noise, quantisation, saturation, dropout, held between samples.
#include "core/sensors/sensor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/math/counter_noise.hpp"

namespace kinloop {
namespace {

enum Purpose : std::uint32_t { kNoise, kDropout };

/// What the State keeps in place of a value that is none: it holds finite numbers only. Interpolation between it and
/// any value is far beyond all values.
constexpr double kNoValue = std::numeric_limits<double>::max();
constexpr double kLargestValue = 1e250;

/// What became of a sample, as the State keeps it.
constexpr double kTaken = 0.0, kLost = 1.0, kNone = 2.0;

double kept(double true_value) noexcept { return std::isfinite(true_value) ? true_value : kNoValue; }

}  // namespace

Sensor::Sensor(const SensorSettings& settings, double dt_s) noexcept
    : settings_(settings), dt_s_(dt_s), delay_(settings.delay_s, dt_s) {
  require(settings.every >= 1, "samples are whole steps apart");
}

void Sensor::start(double true_value, double* state) const noexcept {
  state[0] = std::isfinite(true_value) ? true_value : 0.0;
  state[1] = std::isfinite(true_value) ? kTaken : kNone;
  state[2] = 0.0;
  delay_.fill(kept(true_value), state + kHeld);
}

Reading Sensor::read(std::uint64_t step, double true_value, double* state) const noexcept {
  const double delayed = delay_.pass(step, kept(true_value), state + kHeld);
  if (step % static_cast<std::uint64_t>(settings_.every) == 0) {
    const Reading reading = sample(step, delayed, state[0]);
    state[0] = reading.value;
    state[1] = reading.invalid ? kNone : reading.lost ? kLost : kTaken;
    state[2] = reading.saturated ? 1.0 : 0.0;
  }
  return {state[0], state[1] == kLost, state[2] != 0.0, state[1] == kNone};
}

Reading Sensor::sample(std::uint64_t step, double delayed, double held) const noexcept {
  if (settings_.dropout > 0.0 &&
      uniform_noise({settings_.seed, settings_.signal, kDropout}, step) < settings_.dropout) {
    return {held, true};
  }
  if (!(std::abs(delayed) < kLargestValue)) return {held, false, false, true};
  double value = delayed + settings_.bias + settings_.drift_per_s * (static_cast<double>(step) * dt_s_);
  if (settings_.noise > 0.0) {
    value += settings_.noise * normal_noise({settings_.seed, settings_.signal, kNoise}, step);
  }
  if (settings_.quantum > 0.0) value = settings_.quantum * std::round(value / settings_.quantum);
  const double within = std::clamp(value, settings_.lower, settings_.upper);
  return {within, false, within != value};
}

}  // namespace kinloop
