// Owns PartWatch: whether all parts of a run answer, and how long the plant may take to start and to end. The plant's
// loop has a watchdog of its own.
#pragma once

#include <cstdint>

#include "rt/loop/plant_memory.hpp"
#include "services/log/log.hpp"
#include "services/run/io_runner.hpp"
#include "services/run/stop_ways.hpp"

namespace kinloop::run {

class PartWatch {
 public:
  /// The plant is started now.
  PartWatch(const rt::PlantMemory& memory, std::int64_t start_ns, log::Logger log) noexcept
      : memory_(memory), start_ns_(start_ns), log_(log), not_ending_ns_(start_ns) {}

  /// Whether every thread of io and of the stops, where there are any, and the builder of plants show life. What does
  /// not is told once.
  bool answer(std::int64_t now_ns, const IoRunner* io, const StopWays* stops);
  /// Often: true once, where the plant neither comes up nor ends in time.
  bool plant_is_late(std::int64_t now_ns);

 private:
  const rt::PlantMemory& memory_;
  std::int64_t start_ns_;
  log::Logger log_;
  std::int64_t not_ending_ns_;  // the last moment at which the plant was not about to end
  bool is_late_ = false, told_silence_ = false;
};

}  // namespace kinloop::run
