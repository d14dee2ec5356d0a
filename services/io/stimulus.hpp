// Owns Stimulus: what a playback gives its actuators, row by row, as it was read from a CSV or a record.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "services/rig/rig_file.hpp"

namespace kinloop::io {

struct Stimulus {
  std::vector<std::size_t> actuators;  // of the rig, one a column
  std::vector<double> time_s;          // of the rows; goes up
  std::vector<double> values;          // row by row
  double end_s = 0.0;                  // where a repetition begins

  std::size_t rows() const noexcept { return time_s.size(); }
  std::span<const double> row(std::size_t i) const noexcept {
    return std::span(values).subspan(i * actuators.size(), actuators.size());
  }
  /// The values at a time; before the first row those of the first. No allocation.
  void sample(double at_s, Interpolation interpolation, std::span<double> out) const noexcept;
};

/// The file of the playback, checked against the rig. An error names the file and the line.
///
/// CSV: a column `t` or `time_s`, then names of actuators, SI units. A record (*.mcap): what entered each step of its
/// run, its first step at time 0.
Result<Stimulus> load_stimulus(const PlaybackAdapterSpec& spec, const LoadedRig& rig);

}  // namespace kinloop::io
