// Owns Loop: keeps a plant in step with what releases its steps. wait → tick → notify.
//
// The tick makes no system call, takes no lock and allocates nothing; waiting and waking happen around it.
#pragma once

#include <array>

#include "core/plant/plant.hpp"
#include "rt/input_source.hpp"
#include "rt/phase_marks.hpp"

namespace kinloop::rt {

/// Whether inputs and hashes of all steps are kept for a reader, who takes them from the ring. By the clock, what he is
/// too slow for is dropped and counted; in the other modes the plant waits for him.
enum class Journal { kNone, kKept };

struct LoopSettings {
  Mode mode = Mode::kRealTime;
  std::int64_t period_ns = 1'000'000;
  std::uint64_t most_steps = 0;  // 0: until it is stopped
  OverrunSettings overrun;       // in real_time
  FaultSettings fault;
  FrameSettings frames;
  Journal journal = Journal::kKept;
};

enum class LoopEnd {
  kDone,          // all steps
  kStopped,       // because it was asked to
  kOverrunLimit,  // too many steps ended too late
  kFault,         // a step failed; the state is that before it
};

class Loop {
 public:
  Loop(const LoopSettings& settings, Plant& plant, State& state, InputSource& input, Clock& clock,
       PlantMemory& memory) noexcept;

  /// Until there is a reason to end.
  LoopEnd run() noexcept;
  const FaultCounters& faults() const noexcept { return fault_.counters(); }

 private:
  enum class Wake { kStep, kPause, kStop };

  Wake wait() noexcept;
  bool may_step() const noexcept;
  bool journal_is_full() const noexcept;
  void take_requests() noexcept;
  bool tick() noexcept;
  void judge() noexcept;
  void notify() noexcept;
  LoopEnd finish() noexcept;

  void fill_frame(StepStatus status) noexcept;
  void publish(const StepInput& input) noexcept;
  void leave_frame() noexcept;
  void end_with(LoopEnd reason) noexcept;
  void note_changes(StepStatus status) noexcept;
  void publish_status() noexcept;
  void note(EventKind kind, std::int64_t value) noexcept;

  LoopSettings settings_;
  Plant& plant_;
  State& state_;
  InputSource& input_;
  Clock& clock_;
  PlantMemory& memory_;
  OverrunPolicy overrun_;
  FaultPolicy fault_;
  PhaseMarks marks_;

  std::array<Reading, kMostSensors> readings_{};
  SensorFrame frame_;
  LoopStatus status_;
  ThreadUsage usage_at_start_;
  Request request_;
  const Command* released_by_ = nullptr;  // by a request, rather than by the clock
  std::uint64_t steps_ = 0;
  std::int64_t due_ns_ = 0;
  LoopEnd end_ = LoopEnd::kDone;
  bool ends_ = false;  // with end_
  bool paused_ = false;
  bool resumed_ = false;   // in this iteration: its step is due a period from now
  bool was_late_ = false;  // the last step
  bool was_stale_ = false;
  bool frame_waits_ = false;  // for the next release
  bool has_news_ = false;     // for the client
};

}  // namespace kinloop::rt
