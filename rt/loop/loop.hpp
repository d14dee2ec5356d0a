// Owns Loop: keeps a plant in step with what releases its steps. wait → tick → notify.
//
// The tick makes no system call, takes no lock and allocates nothing; waiting and waking happen around it.
#pragma once

#include <array>

#include "core/plant/plant.hpp"
#include "rt/loop/input_source.hpp"
#include "rt/loop/plant_exchange.hpp"
#include "rt/timing/phase_timer.hpp"

namespace kinloop::rt {

/// Whether inputs and hashes of all steps are kept for a reader, who takes them from the ring. By the clock, what he is
/// too slow for is dropped and counted; in the other modes the plant waits for him.
enum class Journal { kNone, kKept };

struct LoopSettings {
  Mode mode = Mode::kRealTime;
  std::int64_t period_ns = 1'000'000;
  std::uint64_t max_steps = 0;  // 0: until it is stopped
  OverrunSettings overrun;      // in real_time
  FaultSettings fault;
  FrameSettings frames;
  Journal journal = Journal::kKept;
  bool begins_paused = false;
};

enum class LoopEnd {
  kDone,          // all steps
  kStopped,       // because it was asked to
  kOverrunLimit,  // too many steps ended too late
  kFault,         // a step failed; the state is that before it
};

class Loop {
 public:
  /// `exchange` may be null: then the plant is always this one.
  Loop(const LoopSettings& settings, Plant& plant, State& state, InputSource& input, Clock& clock, PlantMemory& memory,
       PlantExchange* exchange = nullptr);

  /// Until there is a reason to end.
  LoopEnd run() noexcept;
  const FaultCounters& faults() const noexcept { return fault_.counters(); }

 private:
  enum class Wake { kStep, kCommand, kPause, kStop };

  Wake wait() noexcept;
  Wake wait_for_signal(std::uint32_t seen) noexcept;
  bool is_released() noexcept;
  bool journal_is_full() const noexcept;
  void adopt_plant() noexcept;
  bool takes_state_of(const PlantExchange::Offer& offer) noexcept;
  void take_requests() noexcept;
  void answer(const Request& request) noexcept;
  bool answer_again(std::uint64_t id) noexcept;
  void reply(std::uint64_t id, ReplyStatus status, std::uint64_t step) noexcept;
  void pause() noexcept;
  void resume() noexcept;
  ReplyStatus begin_steps(const Request& request) noexcept;
  ReplyStatus take_change(const StepChange& change) noexcept;
  ReplyStatus export_snapshot() noexcept;
  ReplyStatus import_snapshot(const Plant& plant) noexcept;
  void restart_from(const State& start, EventKind why, std::uint64_t number) noexcept;
  void count_step() noexcept;
  bool tick() noexcept;
  void account_timing() noexcept;
  void notify() noexcept;
  LoopEnd finish() noexcept;

  void fill_frame(StepStatus status) noexcept;
  void publish(const StepInput& input) noexcept;
  void leave_frame() noexcept;
  void end_with(LoopEnd reason) noexcept;
  void note_changes(StepStatus status) noexcept;
  std::int64_t failure_of(StepStatus status) const noexcept;
  void publish_status() noexcept;
  // loop_pose.cpp
  static std::uint64_t steps_between_pictures(std::int64_t period_ns) noexcept;
  bool is_time_for_pose() const noexcept;
  void publish_pose() noexcept;
  void note(EventKind kind, std::int64_t value) noexcept;

  LoopSettings settings_;
  Plant* plant_;
  State& state_;
  InputSource& input_;
  Clock& clock_;
  PlantMemory& memory_;
  PlantExchange* exchange_;
  State first_, incoming_;  // where the plant starts; a state that comes from outside while it is looked at
  OverrunPolicy overrun_;
  FaultPolicy fault_;
  PhaseTimer phases_;

  std::array<Reading, kMaxSensors> readings_{};
  SensorFrame frame_;
  LoopStatus status_;
  PoseSample pose_;
  ThreadUsage usage_at_start_;
  Command release_;
  const Command* released_by_ = nullptr;  // rather than by the clock
  std::array<Reply, 64> answered_{};      // numbered requests, so that none is done twice
  std::size_t next_answered_ = 0;
  StepInput next_;                               // changes that wait for the next step
  std::uint64_t restored_ = 0, parameters_ = 0;  // numbers of what was put in place since the last step
  std::uint64_t steps_left_ = 0, first_asked_step_ = 0, steps_asked_by_ = 0;  // of a paused plant, by which request
  std::uint64_t steps_ = 0;
  std::int64_t due_ns_ = 0;
  std::int64_t last_wait_ns_ = 0;  // the last wait for a signal
  LoopEnd end_ = LoopEnd::kDone;
  bool ends_ = false;             // with end_
  bool changed_ = false;          // faults or overrides, in this step
  bool parameters_last_ = false;  // after what was restored
  bool paused_;
  bool by_clock_ = false;  // this iteration
  bool resumed_ = false;   // in this iteration: its step is due a period from now
  bool was_late_ = false;  // the last step
  bool was_stale_ = false;
  bool frame_waits_ = false;  // for the next release
  bool must_notify_ = false;  // for the client
};

}  // namespace kinloop::rt
