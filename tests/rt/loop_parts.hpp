// Owns what tests of the loop and of its parts stand on: a clock made of numbers, memory for a plant, a plant.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "rt/loop/deferred_signal.hpp"
#include "rt/loop/input_source.hpp"
#include "rt/loop/loop_settings.hpp"
#include "rt/loop/publisher.hpp"
#include "rt/loop/run_state.hpp"
#include "rt/loop/stepped_plant.hpp"
#include "rt/timing/clock.hpp"
#include "tests/support/plants.hpp"
#include "tests/support/private_memory.hpp"

namespace kinloop::rt {

class FakeClock final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override { return now; }
  void sleep_until(std::int64_t time_ns) noexcept override { now = std::max(now, time_ns); }

  std::int64_t now = 5'000;
};

using MemoryPtr = std::unique_ptr<PrivateMemory>;

/// With buffers for such states.
inline MemoryPtr memory_for(const State& state) {
  return std::make_unique<PrivateMemory>(static_cast<std::size_t>(state.block().size()));
}

/// What the parts of a loop share, around the driven pendulum or another mechanism; no loop.
struct LoopParts {
  explicit LoopParts(const ModelSpec& mechanism = mechanisms::pendulum(),
                     const PlantSpec& around = plants::driven_pendulum())
      : model(mechanisms::compiled(mechanism)), plant(plants::made(model, around)) {}

  std::vector<Reply> replies() {
    std::vector<Reply> all;
    for (Reply reply; memory->replies.pop(reply);) all.push_back(reply);
    return all;
  }
  std::vector<EventKind> events() {
    std::vector<EventKind> all;
    for (Event event; memory->events.take(event);) all.push_back(event.kind);
    return all;
  }

  LoopSettings settings;
  Model model;
  std::unique_ptr<Plant> plant;
  State state = plant->initial_state();
  MemoryPtr memory = memory_for(state);
  FakeClock clock;
  LiveInput input{{CommandSettings{}}, *memory};
  SteppedPlant stepped{plant.get(), state, input, FaultPolicy(settings.fault)};
  RunState run;
  OverrunPolicy overrun{settings.overrun, settings.period_ns, 0};
  DeferredSignal client{memory->to_client};
};

/// The sensor with this number is stuck.
inline StepChange stuck(std::uint32_t sensor) {
  StepChange change;
  change.kind = ChangeKind::kFault;
  change.target = sensor;
  change.fault = SignalFault::kStuck;
  return change;
}

}  // namespace kinloop::rt
