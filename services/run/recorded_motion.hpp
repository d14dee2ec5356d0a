// Owns RecordedMotion: what a plant was given and what its sensors showed, from a record, for identification.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/identification.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop::run {

struct RecordedMotion {
  LoadedRig rig;  // with the model to be fitted
  std::optional<Observation> observed;
  std::vector<std::string> remarks;
};

struct RecordedMotionChoice {
  std::filesystem::path rig;  // to be fitted, instead of the one in the record; empty: that one
  double duration_s = 0.0;    // from the beginning of the record; 0: all of it
};

/// Up to the first step that is none of this model alone: a state that was restored, parameters, faults or forces, an
/// emergency stop, a step that is missing. Readings that are lost, saturated or invalid are not numbers.
Result<std::unique_ptr<RecordedMotion>> read_recorded_motion(const std::filesystem::path& record,
                                                             const RecordedMotionChoice& choice);

}  // namespace kinloop::run
