// Owns Twin: a plant like the one that runs, beside it, for what must not disturb the running one.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/plant/plant.hpp"
#include "services/io/live_parameters.hpp"

namespace kinloop::io {

struct Twin {
  std::optional<LoadedRig> tuned;  // what the plant stands on, where it is not the rig as it was loaded
  ParameterList parameters;        // that were changed
  std::unique_ptr<Plant> plant;
};

/// With these parameters instead of the rig's own. `rig`, of `rig_file`, must outlive it.
Result<std::unique_ptr<Twin>> make_twin(const LoadedRig& rig, const std::filesystem::path& rig_file,
                                        const ParameterList& parameters);

}  // namespace kinloop::io
