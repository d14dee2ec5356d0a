// Owns the plant's own process.
#pragma once

#include <filesystem>

#include "services/console/console.hpp"
#include "services/run/plant_run.hpp"

namespace kinloop::run {

/// Finds the memory that the supervisor handed over, runs the plant in it, returns the exit code. Ends with the
/// supervisor.
int run_plant_process(const std::filesystem::path& rig_file, const PlantRunOptions& options,
                      const console::Console& console);

}  // namespace kinloop::run
