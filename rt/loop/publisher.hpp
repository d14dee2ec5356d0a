// Owns Publisher: what a loop shows of itself in shared memory: frames, journal, status, poses, events.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "rt/loop/deferred_signal.hpp"
#include "rt/loop/loop_settings.hpp"
#include "rt/loop/plant_memory.hpp"
#include "rt/loop/run_state.hpp"
#include "rt/loop/snapshots.hpp"
#include "rt/loop/stepped_plant.hpp"
#include "rt/timing/clock.hpp"

namespace kinloop::rt {

/// How a step came about.
struct StepFacts {
  StepStatus status = StepStatus::kOk;
  std::int64_t due_ns = 0, start_ns = 0;
  std::uint64_t release = 0;  // Command::release of what released it
  bool follows_late = false;  // the step before it ended too late
};

class Publisher {
 public:
  Publisher(const LoopSettings& settings, const SteppedPlant& stepped, const RunState& run,
            const OverrunPolicy& overrun, const Clock& clock, PlantMemory& memory, DeferredSignal& client) noexcept;

  void note(EventKind kind, std::int64_t value) noexcept;

  /// Where the plant's sensors are read into, before fill_frame().
  std::span<Reading> readings() noexcept;
  /// The frame of a step that was just taken.
  void fill_frame(const StepFacts& facts, const StepInput& input) noexcept;
  /// That frame: into the journal, and out where it is due now.
  void publish_step(const StepInput& input, const StepOrigin& origin) noexcept;
  /// Lets a frame out that waits for the next release.
  void release_frame() noexcept;
  /// Events of what has changed with a step.
  void note_changes(StepStatus status) noexcept;

  void set_usage(const ThreadUsage& usage) noexcept { status_.usage = usage; }
  void publish_status() noexcept;
  void publish_pose() noexcept;

  void keep_journal(Journal journal) noexcept { journal_ = journal; }
  /// Whether its reader is so far behind that a plant that may wait for him does.
  bool journal_is_full() const noexcept;

 private:
  std::int64_t failure_of(StepStatus status) const noexcept;
  bool is_time_for_pose() const noexcept;

  const Mode mode_;
  const FrameSettings frames_;
  const std::uint64_t steps_between_pictures_;
  Journal journal_;
  const SteppedPlant& stepped_;
  const RunState& run_;
  const OverrunPolicy& overrun_;
  const Clock& clock_;
  PlantMemory& memory_;
  DeferredSignal& client_;

  std::array<Reading, kMaxSensors> readings_{};
  SensorFrame frame_;
  LoopStatus status_;
  PoseSample pose_;
  bool frame_waits_ = false;  // for the next release
  bool changed_ = false;      // faults or overrides, in the last step
  bool was_stale_ = false;
};

}  // namespace kinloop::rt
