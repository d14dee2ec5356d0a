// Owns PartWatch: whether all parts of a run answer, and how long the plant may take to start and to end. The plant's
// loop has a watchdog of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rt/loop/plant_memory.hpp"
#include "services/log/log.hpp"
#include "services/run/io_runner.hpp"

namespace kinloop::run {

/// A thread that is missed where it shows no life.
struct WatchedThread {
  enum class Process { kOwn, kOther };

  std::string what;  // "the thread that rebuilds plants"
  const rt::Beat* beat = nullptr;
  std::int64_t deadline_ns = 0;
  Process process = Process::kOwn;
  std::function<void()> while_silent = {};  // again and again; nothing: it is only told
};

/// Of threads that stop.
inline constexpr std::int64_t kStopDeadline_ns = 2'000'000'000;

class PartWatch {
 public:
  /// The plant is started now. `threads` are those of the supervisor that are to be watched; all must outlive it.
  PartWatch(const rt::PlantMemory& memory, std::int64_t start_ns, std::vector<WatchedThread> threads, log::Logger log);

  /// Often: whether every one of these threads, those of io, where there is one, and the builder of plants show life.
  /// What does not is told once. An io that can be started again counts as alive for as long as that may take: to end
  /// the run for it would stop a plant that is well. Nothing here cures the others.
  bool are_well(std::int64_t now_ns, const IoRunner* io);
  /// Often: true once, where the plant neither comes up nor ends in time.
  bool plant_is_late(std::int64_t now_ns);

 private:
  struct Part {
    WatchedThread thread;
    bool is_silent = false;
  };

  const rt::PlantMemory& memory_;
  std::int64_t start_ns_;
  std::vector<Part> parts_;
  log::Logger log_;
  std::int64_t last_look_ns_, awake_since_ns_;
  std::int64_t io_answered_ns_;
  std::int64_t not_ending_ns_;  // the last moment at which the plant was not about to end
  bool is_late_ = false;
};

}  // namespace kinloop::run
