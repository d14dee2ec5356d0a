// Turns true values into readings: delay, bias, drift, noise, quantisation, saturation, dropout, held between samples.
#include "core/sensors/sensor.hpp"

#include <algorithm>

#include "core/math/counter_noise.hpp"

namespace kinloop {
namespace {

enum Purpose : std::uint32_t { kNoise, kDropout };

}  // namespace

Sensor::Sensor(const SensorSettings& settings, double dt_s) noexcept
    : settings_(settings), dt_s_(dt_s), delay_(settings.delay_s, dt_s) {
  require(settings.every >= 1, "samples are whole steps apart");
}

void Sensor::start(double true_value, double* state) const noexcept {
  state[0] = true_value;
  state[1] = state[2] = 0.0;
  delay_.fill(true_value, state + kHeld);
}

Reading Sensor::read(std::uint64_t step, double true_value, double* state) const noexcept {
  const double delayed = delay_.pass(step, true_value, state + kHeld);
  if (step % static_cast<std::uint64_t>(settings_.every) == 0) {
    const Reading reading = sample(step, delayed, state[0]);
    state[0] = reading.value;
    state[1] = reading.lost ? 1.0 : 0.0;
    state[2] = reading.saturated ? 1.0 : 0.0;
  }
  return {state[0], state[1] != 0.0, state[2] != 0.0};
}

Reading Sensor::sample(std::uint64_t step, double delayed, double held) const noexcept {
  if (settings_.dropout > 0.0 &&
      uniform_noise({settings_.seed, settings_.signal, kDropout}, step) < settings_.dropout) {
    return {held, true};
  }
  double value = delayed + settings_.bias + settings_.drift_per_s * (static_cast<double>(step) * dt_s_);
  if (settings_.noise > 0.0) {
    value += settings_.noise * normal_noise({settings_.seed, settings_.signal, kNoise}, step);
  }
  if (settings_.quantum > 0.0) value = settings_.quantum * std::round(value / settings_.quantum);
  const double within = std::clamp(value, settings_.lower, settings_.upper);
  return {within, false, within != value};
}

}  // namespace kinloop
