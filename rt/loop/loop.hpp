// Owns Loop: keeps a plant in step with what releases its steps. wait → tick → account → notify.
//
// The tick makes no system call, takes no lock and allocates nothing; waiting and waking happen around it. What was
// asked is done by Requests before it, what a step came to is shown by Publisher.
#pragma once

#include "core/plant/plant.hpp"
#include "rt/ipc/spin_gate.hpp"
#include "rt/loop/deferred_signal.hpp"
#include "rt/loop/input_source.hpp"
#include "rt/loop/loop_settings.hpp"
#include "rt/loop/plant_exchange.hpp"
#include "rt/loop/publisher.hpp"
#include "rt/loop/requests.hpp"
#include "rt/loop/run_state.hpp"
#include "rt/loop/stepped_plant.hpp"
#include "rt/policies/emergency_stop.hpp"
#include "rt/timing/phase_timer.hpp"

namespace kinloop::rt {

class Loop {
 public:
  /// `exchange` may be null: then the plant is always this one.
  Loop(const LoopSettings& settings, Plant& plant, State& state, InputSource& input, Clock& clock, PlantMemory& memory,
       PlantExchange* exchange = nullptr);
  Loop(const Loop&) = delete;  // its parts refer to each other
  Loop& operator=(const Loop&) = delete;

  /// Until there is a reason to end.
  LoopEnd run() noexcept;
  const FaultCounters& faults() const noexcept { return stepped_.fault.counters(); }

 private:
  enum class Wake { kStep, kCommand, kPause, kStop };

  Wake wait() noexcept;
  Wake wait_for_signal(std::uint32_t seen) noexcept;
  bool is_released() noexcept;
  void latch_stops() noexcept;
  void make_safe(EventKind why, std::int64_t value) noexcept;
  void restart_clock() noexcept;
  bool tick() noexcept;
  void account_timing() noexcept;
  LoopEnd finish() noexcept;

  const LoopSettings settings_;
  Clock& clock_;
  PlantMemory& memory_;
  SteppedPlant stepped_;
  RunState run_;
  StopLatch stops_;
  OverrunPolicy overrun_;
  PhaseTimer phases_;
  DeferredSignal client_;
  Publisher publisher_;
  Requests requests_;

  ThreadUsage usage_at_start_;
  Command release_;
  const Command* released_by_ = nullptr;  // rather than by the clock
  std::int64_t due_ns_ = 0;
  std::int64_t last_wait_ns_ = 0;  // the last wait for a signal
  SpinGate spin_gate_;
  bool by_clock_ = false;  // this iteration
  bool was_late_ = false;  // the last step
};

}  // namespace kinloop::rt
