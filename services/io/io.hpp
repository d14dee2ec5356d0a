// Owns Io: everything between the plant's memory and the outside, in a process (or threads) of its own.
//
// The main thread waits for sockets: commands and control. Another one waits for the plant's frames and publishes them;
// in lockstep, where each frame answers a command, the main thread does that too.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rt/loop/plant_memory.hpp"
#include "services/gateway/gateway.hpp"
#include "services/io/sockets.hpp"
#include "services/log/log.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop::io {

struct IoOptions {
  std::filesystem::path directory;  // of the run
  std::filesystem::path folder;     // where clients look for the plant; empty: nowhere
  ListenOptions listen;             // no addresses: no sockets
  std::vector<v1::Endpoint> stops;  // of the supervisor and of io's own stop thread, that clients are told
  /// Addresses of that thread which somebody else has now; nothing: it has none. By the main thread.
  std::function<std::vector<std::string>()> stops_down = {};
  std::string record;  // the file to be written from the first step on; empty: none
  /// The page for people; nothing: there is none. It needs sockets.
  std::optional<gateway::GatewayOptions> panel;
  /// Where io has a process, and so a log, of its own.
  log::Settings log;
};

/// What io is told by whoever runs it.
enum class IoWish : std::uint32_t { kGoOn, kEnd, kEndForsaken };

/// Until it is told to end; then what is left is published and the record finished. Forsaken, because the supervisor
/// is no more: the last frame and the state say so. Errors: what keeps it from starting. `ready` is called once
/// everything is bound. The log outlives it.
std::vector<Error> run_io(const LoadedRig& rig, const IoOptions& options, rt::PlantMemory& memory,
                          const std::atomic<IoWish>& wish, const std::function<void()>& ready, log::Logger log);

}  // namespace kinloop::io
