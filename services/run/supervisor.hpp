// Owns the supervision of a run: starts the plant, watches it, gathers what it tells, and says how it ended.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "services/console/console.hpp"
#include "services/gateway/gateway.hpp"
#include "services/io/sockets.hpp"
#include "services/log/level.hpp"
#include "services/run/plant_run.hpp"

namespace kinloop::run {

enum class Processes { kSeparate, kSingle };

struct RunOptions {
  PlantRunOptions plant;
  Processes processes = Processes::kSeparate;
  std::filesystem::path runs = "runs";  // where run directories are made
  std::string certificate;              // a file to be written; empty: none
  /// No sockets at all, rather than those in a folder of this user and at these addresses.
  bool is_deaf = false;
  io::ListenOptions listen;
  std::string record;  // the file to be written; empty: none
  std::optional<gateway::GatewayOptions> panel;
  log::Settings log;
};

/// Until the run ends, or SIGINT or SIGTERM ends it. Returns the exit code.
int supervise(std::shared_ptr<LoadedRig> rig, const RunOptions& options, const console::Console& console);

}  // namespace kinloop::run
