// Owns Sensor: what a real sensor makes of a true value.
//
// In this order: delay; bias, drift and noise; quantisation; saturation; then sampling, and now and then a sample is
// lost. All that it remembers lies in the State; noise follows from seed, signal and step (counter_noise.hpp).
#pragma once

#include <limits>

#include "core/math/delay_line.hpp"

namespace kinloop {

struct SensorSettings {
  double delay_s = 0.0;
  double bias = 0.0;
  double drift_per_s = 0.0;
  double noise = 0.0;    // standard deviation
  double quantum = 0.0;  // between two readings; 0: none
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double dropout = 0.0;    // share of samples that are lost
  int every = 1;           // steps from sample to sample
  std::uint64_t seed = 0;  // of the rig
  std::uint32_t signal = 0;
};

struct Reading {
  double value = 0.0;  // the last one again where the newest is lost
  bool lost = false;   // the newest sample is
  bool saturated = false;
  bool invalid = false;  // there is no value
};

class Sensor {
 public:
  /// Settings make sense: the loader of rigs sees to it.
  Sensor(const SensorSettings& settings, double dt_s) noexcept;

  /// Doubles of the State that belong to it.
  int state_size() const noexcept { return kHeld + delay_.size(); }

  /// The true value has always been this; the first reading is of it.
  void start(double true_value, double* state) const noexcept;

  /// Once in every step, from step 0 on. A true value that is not a number is none, and so is what a delay makes of it:
  /// the reading is invalid. No allocation.
  Reading read(std::uint64_t step, double true_value, double* state) const noexcept;

 private:
  static constexpr int kHeld = 3;  // value, what became of it, whether it is saturated

  Reading sample(std::uint64_t step, double delayed, double held) const noexcept;

  SensorSettings settings_;
  double dt_s_;
  DelayLine delay_;
};

}  // namespace kinloop
