// Owns LoopRig: a loop on a clock made of numbers, with all that is around it, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "rt/loop/loop.hpp"
#include "tests/rt/loop_parts.hpp"
#include "tests/support/plants.hpp"

namespace kinloop::rt {

inline constexpr std::int64_t kLoopPeriod = 1'000'000;

/// Live commands, with something done before each step.
class ScriptedInput final : public InputSource {
 public:
  using Script = std::function<void(std::uint64_t tick)>;  // the first is 1
  ScriptedInput(InputSource& live, Script script) : live_(live), script_(std::move(script)) {}

  bool next(const Command* released_by, int level, StepInput& input) noexcept override {
    script_(++tick_);
    return live_.next(released_by, level, input);
  }
  CommandInForce in_force() const noexcept override { return live_.in_force(); }
  CommandCounters counters() const noexcept override { return live_.counters(); }
  void rearm(std::uint64_t actuators) noexcept override { live_.rearm(actuators); }
  void make_safe() noexcept override { live_.make_safe(); }
  bool is_stopped() const noexcept override { return live_.is_stopped(); }
  bool accepts(std::size_t i, const CommandState& policy) const noexcept override { return live_.accepts(i, policy); }
  std::span<CommandState> memory() noexcept override { return live_.memory(); }

 private:
  InputSource& live_;
  Script script_;
  std::uint64_t tick_ = 0;
};

struct LoopRig {
  explicit LoopRig(const PlantSpec& spec = plants::driven_pendulum())
      : model(mechanisms::compiled(mechanisms::pendulum())),
        plant(plants::made(model, spec)),
        state(plant->initial_state()) {
    settings.max_steps = 100;
    settings.period_ns = kLoopPeriod;
    command.lower = -24.0;
    command.upper = 24.0;
    command.max_age_ticks = 20;
    command.when_stale = StaleKind::kRamp;
    command.ramp_per_tick = 0.5;
  }

  LoopEnd run(const ScriptedInput::Script& script = [](std::uint64_t) {}) {
    LiveInput live({command}, *memory);
    ScriptedInput input(live, script);
    return Loop(settings, *plant, state, input, clock, *memory).run();
  }

  void send(double volts, std::uint64_t sequence) { memory->command.write(next_command(volts, sequence)); }
  void release(double volts, std::uint64_t sequence) { memory->releases.push(next_command(volts, sequence)); }
  const Command& next_command(double volts, std::uint64_t sequence) {
    newest.sequence = sequence;
    newest.count = 1;
    newest.give(0, volts);
    newest.rearm = ~std::uint64_t{0};
    newest.seal();
    return newest;
  }
  void ask(RequestKind kind, std::uint64_t number = 0, std::uint64_t id = 0) {
    Request request;
    request.id = id;
    request.kind = kind;
    request.number = number;
    ASSERT_TRUE(memory->requests.push(request));
  }

  std::vector<SensorFrame> frames() {
    std::vector<SensorFrame> all;
    SensorFrame frame;
    while (memory->frames.take(frame)) all.push_back(frame);
    return all;
  }
  std::vector<EventKind> events() {
    std::vector<EventKind> all;
    Event event;
    while (memory->events.take(event)) all.push_back(event.kind);
    return all;
  }
  std::vector<JournalEntry> journal() {
    std::vector<JournalEntry> all;
    JournalEntry entry;
    while (memory->journal.take(entry)) all.push_back(entry);
    return all;
  }
  std::vector<Reply> replies() {
    std::vector<Reply> all;
    Reply reply;
    while (memory->replies.pop(reply)) all.push_back(reply);
    return all;
  }
  LoopStatus status() {
    const auto taken = memory->status.take();
    return taken.value != nullptr ? *taken.value : LoopStatus{};
  }

  Model model;
  std::unique_ptr<Plant> plant;
  State state;
  MemoryPtr memory = memory_for(state);
  FakeClock clock;
  LoopSettings settings;
  CommandSettings command;
  Command newest;
};

}  // namespace kinloop::rt
