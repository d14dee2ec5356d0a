// Tests the loop on a clock made of numbers: releases, policies, modes, faults, and that a record of it can be
// repeated.
#include "rt/loop/loop.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "tests/rt/loop_parts.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/plants.hpp"

namespace kinloop::rt {
namespace {

constexpr std::int64_t kLoopPeriod = 1'000'000;

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

TEST(Loop, ReleasesEveryStepOneperiodAfterTheOther) {
  LoopRig rig;

  const LoopEnd end = rig.run();

  EXPECT_EQ(end, LoopEnd::kDone);
  const auto frames = rig.frames();
  ASSERT_EQ(frames.size(), 100U);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(frames[i].step, i + 1);
    EXPECT_EQ(frames[i].due_ns, 5'000 + static_cast<std::int64_t>(i + 1) * kLoopPeriod);
  }
  EXPECT_EQ(rig.status().overrun.misses, 0);
  EXPECT_EQ(rig.events(), (std::vector{EventKind::kStarted, EventKind::kEnded}));
  EXPECT_EQ(rig.memory->heartbeat.running.load(), 0U);
}

/// As after a write that was cut off, or by somebody who knows nothing of checksums.
TEST(Loop, ADamagedCommandCountsAsNone) {
  LoopRig rig;

  rig.run([&](std::uint64_t tick) {
    Command command = rig.next_command(3.0, tick);
    if (tick >= 10) command.value[0] = 24.0;
    rig.memory->command.write(command);
  });

  const auto frames = rig.frames();
  EXPECT_EQ(frames[8].command_sequence, 9U);
  EXPECT_EQ(frames[20].command_sequence, 9U) << "the last that was intact";
  EXPECT_EQ(frames[20].command_age_ticks, 12);
  EXPECT_EQ(rig.status().commands.damaged, 91);
  EXPECT_TRUE(frames[40].flags & frame_flag::kStale) << "damaged ones keep nothing alive";
}

TEST(Loop, OneStepOf3Point4PeriodsUnderEachPolicy) {
  struct Expected {
    OverrunKind kind;
    LoopEnd end;
    std::int64_t misses, skipped;
    double behind_periods;  // the last release against its place on the first grid
  };
  // Steps: 20, of which the fifth takes 3.4 periods; a step takes no time else.
  const Expected all[] = {
      {OverrunKind::kSlip, LoopEnd::kDone, 1, 0, 2.4},         {OverrunKind::kCatchUp, LoopEnd::kDone, 3, 0, 0.0},
      {OverrunKind::kSkip, LoopEnd::kDone, 1, 3, 3.0},         {OverrunKind::kDegrade, LoopEnd::kDone, 3, 0, 0.0},
      {OverrunKind::kStop, LoopEnd::kOverrunLimit, 1, 0, 0.0},
  };
  for (const Expected& expected : all) {
    LoopRig rig;
    rig.settings.max_steps = 20;
    rig.settings.overrun.kind = expected.kind;
    rig.settings.overrun.levels = 2;

    const LoopEnd end = rig.run([&](std::uint64_t tick) {
      if (tick == 5) rig.clock.now += 34 * kLoopPeriod / 10;
    });

    EXPECT_EQ(end, expected.end) << name_of(expected.kind);
    const OverrunCounters& counters = rig.status().overrun;
    EXPECT_EQ(counters.misses, expected.misses) << name_of(expected.kind);
    EXPECT_EQ(counters.skipped_releases, expected.skipped) << name_of(expected.kind);
    const auto frames = rig.frames();
    const std::int64_t on_grid = 5'000 + static_cast<std::int64_t>(frames.size()) * kLoopPeriod;
    EXPECT_NEAR(static_cast<double>(frames.back().due_ns - on_grid) / kLoopPeriod, expected.behind_periods, 1e-9)
        << name_of(expected.kind);
    EXPECT_NEAR(frames.back().time_s, 1e-3 * static_cast<double>(frames.size()), 1e-12) << "dt never changes";
    if (end == LoopEnd::kDone) {
      EXPECT_NE(frames[5].flags & frame_flag::kOverrun, 0U) << name_of(expected.kind);
    }
  }
}

TEST(Loop, DegradingIsSeenInFramesAndEvents) {
  LoopRig rig;
  rig.settings.overrun.kind = OverrunKind::kDegrade;
  rig.settings.overrun.levels = 2;
  rig.settings.overrun.recover_after = 10;

  rig.run([&](std::uint64_t tick) {
    if (tick == 5) rig.clock.now += 15 * kLoopPeriod / 10;
  });

  const auto frames = rig.frames();
  EXPECT_EQ(frames[4].level, 0);
  EXPECT_EQ(frames[5].level, 1);
  EXPECT_TRUE((frames[5].flags & frame_flag::kDegraded) != 0);
  EXPECT_EQ(frames.back().level, 0) << "it recovers";
  const auto events = rig.events();
  EXPECT_EQ(std::count(events.begin(), events.end(), EventKind::kLevelChanged), 2);
}

TEST(Loop, CommandsThatStopAreMadeSafeInTheTickTheRigNames) {
  LoopRig rig;

  rig.run([&](std::uint64_t tick) {
    if (tick <= 10) rig.send(12.0, tick);
  });

  const auto frames = rig.frames();
  const auto journal = rig.journal();
  EXPECT_EQ(frames[9].command_sequence, 10U);
  EXPECT_EQ(frames[9].command_age_ticks, 0);
  EXPECT_EQ(frames[29].command_age_ticks, 20);
  EXPECT_EQ(frames[29].flags & frame_flag::kStale, 0U);
  EXPECT_NE(frames[30].flags & frame_flag::kStale, 0U);
  EXPECT_EQ(journal[29].input.command[0], 12.0);
  EXPECT_EQ(journal[30].input.command[0], 11.5);
  EXPECT_EQ(journal[99].input.command[0], 0.0);
}

TEST(Loop, NonsenseNeverReachesThePlant) {
  LoopRig rig;

  rig.run([&](std::uint64_t tick) {
    if (tick == 1) rig.send(3.0, 1);
    if (tick == 2) rig.send(std::numeric_limits<double>::quiet_NaN(), 2);
    if (tick == 3) rig.send(std::numeric_limits<double>::infinity(), 3);
    if (tick == 4) rig.send(24.1, 4);
  });

  const auto journal = rig.journal();
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(journal[i].input.command[0], 3.0);
  EXPECT_EQ(rig.status().commands.not_finite, 2);
  EXPECT_EQ(rig.status().commands.out_of_range, 1);
}

PlantSpec fragile() {
  PlantSpec spec = plants::driven_pendulum();
  spec.actuators[0].kind = ActuatorKind::kForce;
  spec.actuators[0].chain = {};
  spec.sensors[2].signal = "u.to_rod";
  return spec;
}

TEST(Loop, AFailedStepStopsTheRunAtTheLastGoodState) {
  LoopRig rig(fragile());
  rig.command.upper = std::numeric_limits<double>::infinity();

  const LoopEnd end = rig.run([&](std::uint64_t tick) {
    if (tick == 8) rig.send(1.7e308, 8);
  });

  EXPECT_EQ(end, LoopEnd::kFault);
  const auto frames = rig.frames();
  ASSERT_EQ(frames.size(), 8U) << "the last one says so";
  EXPECT_EQ(frames.back().step, 7U);
  EXPECT_EQ(frames.back().state_hash, frames[6].state_hash);
  EXPECT_NE(frames.back().flags & frame_flag::kFaulted, 0U);
  EXPECT_TRUE(std::isnan(frames.back().value[0])) << "declared invalid";
  EXPECT_NE(frames.back().quality[0] & sensor_flag::kInvalid, 0);
  EXPECT_EQ(frames.back().value[1], -1.0) << "declared value";
  EXPECT_EQ(frames.back().value[2], frames[6].value[2]) << "held";
}

TEST(Loop, OrFreezesThePlant) {
  LoopRig rig(fragile());
  rig.command.upper = std::numeric_limits<double>::infinity();
  rig.settings.fault.kind = FaultKind::kFreeze;

  const LoopEnd end = rig.run([&](std::uint64_t tick) {
    if (tick == 8) rig.send(1.7e308, 8);
  });

  EXPECT_EQ(end, LoopEnd::kDone);
  const auto frames = rig.frames();
  ASSERT_EQ(frames.size(), 100U);
  EXPECT_EQ(frames.back().time_s, frames[6].time_s);
  EXPECT_NE(frames.back().flags & frame_flag::kFrozen, 0U);
  EXPECT_NE(frames.back().flags & frame_flag::kFaulted, 0U);
  EXPECT_EQ(rig.status().faults.failed, 1);
}

TEST(Loop, LockstepMakesOneStepForEachCommand) {
  LoopRig rig;
  rig.settings.mode = Mode::kLockstep;
  rig.settings.max_steps = 5;
  for (std::uint64_t i = 1; i <= 6; ++i) rig.release(static_cast<double>(i), i);

  const LoopEnd end = rig.run();

  EXPECT_EQ(end, LoopEnd::kDone);
  const auto frames = rig.frames();
  ASSERT_EQ(frames.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(frames[i].command_sequence, i + 1);
}

TEST(Loop, ALockstepCommandIsAnsweredAtOnceWhateverTheFramesDoElse) {
  LoopRig rig;
  rig.settings.mode = Mode::kLockstep;
  rig.settings.frames = {10, FrameSettings::Leave::kAtRelease};
  rig.settings.max_steps = 1;
  rig.release(0.0, 1);

  rig.run();

  EXPECT_EQ(rig.frames().size(), 1U);
}

TEST(Loop, ARefusedCommandIsNotTheOneInForce) {
  LoopRig rig;

  rig.run([&](std::uint64_t tick) {
    if (tick == 1) rig.send(3.0, 7);
    if (tick == 5) rig.send(99.0, 8);
  });

  const auto frames = rig.frames();
  EXPECT_EQ(frames[4].command_sequence, 7U);
  EXPECT_EQ(frames[4].command_age_ticks, 4);
}

TEST(Loop, FramesCanBeFewer) {
  LoopRig rig;
  rig.settings.frames.every = 10;

  rig.run();

  const auto frames = rig.frames();
  ASSERT_EQ(frames.size(), 10U);
  EXPECT_EQ(frames[0].step, 10U);
  EXPECT_EQ(rig.journal().size(), 100U) << "every step is journaled";
}

TEST(Loop, FramesCanWaitForTheNextRelease) {
  LoopRig rig;
  rig.settings.frames.leave = FrameSettings::Leave::kAtRelease;
  rig.settings.max_steps = 3;
  std::vector<std::size_t> there;

  rig.run([&](std::uint64_t) { there.push_back(rig.memory->frames.size()); });

  EXPECT_EQ(there, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(rig.frames().size(), 3U);
}

TEST(Loop, PausedItLivesAndResumedItMissedNothing) {
  LoopRig rig;

  rig.run([&](std::uint64_t tick) {
    if (tick != 10) return;
    rig.ask(RequestKind::kPause);
    rig.ask(RequestKind::kPause);
    rig.ask(RequestKind::kResume);
  });

  const auto frames = rig.frames();
  ASSERT_EQ(frames.size(), 100U);
  EXPECT_EQ(frames[10].due_ns - frames[9].due_ns, 2 * kLoopPeriod) << "a period after it was resumed";
  EXPECT_EQ(frames[11].due_ns - frames[10].due_ns, kLoopPeriod);
  EXPECT_EQ(rig.status().overrun.misses, 0);
  const auto events = rig.events();
  EXPECT_EQ(events, (std::vector{EventKind::kStarted, EventKind::kPaused, EventKind::kResumed, EventKind::kEnded}));
}

TEST(Loop, PausedItBeatsAsOftenAsItWouldStep) {
  LoopRig rig;
  rig.ask(RequestKind::kPause);
  MonotonicClock clock;
  LiveInput live({rig.command}, *rig.memory);
  std::thread plant([&] { Loop(rig.settings, *rig.plant, rig.state, live, clock, *rig.memory).run(); });

  const std::int64_t until_ns = clock.now_ns() + 20'000'000'000;
  while (rig.memory->heartbeat.iterations.load() < 200 && clock.now_ns() < until_ns) std::this_thread::yield();

  EXPECT_GE(rig.memory->heartbeat.iterations.load(), 200U);
  EXPECT_EQ(rig.memory->frames.size(), 0U);
  rig.memory->stop.store(1);
  plant.join();
}

/// Late, stale, degraded and frozen steps in one run.
std::vector<JournalEntry> eventful_journal() {
  LoopRig rig;
  rig.settings.max_steps = 1500;
  rig.settings.overrun.kind = OverrunKind::kDegrade;
  rig.settings.overrun.levels = 2;
  rig.settings.overrun.recover_after = 40;
  rig.command.when_stale = StaleKind::kFreeze;
  rig.run([&](std::uint64_t tick) {
    if (tick % 7 == 0 && tick % 500 < 300) rig.send(10.0 * std::sin(0.01 * static_cast<double>(tick)), tick);
    if (tick % 311 == 0) rig.clock.now += 21 * kLoopPeriod / 10;
  });
  const LoopStatus status = rig.status();
  EXPECT_GT(status.overrun.misses, 0);
  EXPECT_GT(status.overrun.level_changes, 2);
  EXPECT_GT(status.commands.made_safe, 0);
  return rig.journal();
}

TEST(Loop, AnEventfulRunReplaysWithEqualHashesInFreeAndInLockstep) {
  const std::vector<JournalEntry> journal = eventful_journal();
  ASSERT_EQ(journal.size(), 1500U);

  for (const Mode mode : {Mode::kFree, Mode::kLockstep}) {
    LoopRig rig;
    rig.settings.mode = mode;
    rig.settings.max_steps = 0;
    RecordedInput recorded(journal);
    ScriptedInput input(recorded, [&](std::uint64_t) {
      if (mode == Mode::kLockstep) rig.memory->releases.push({});
    });
    rig.memory->releases.push({});

    Loop(rig.settings, *rig.plant, rig.state, input, rig.clock, *rig.memory).run();

    const auto again = rig.journal();
    ASSERT_EQ(again.size(), journal.size()) << name_of(mode);
    for (std::size_t i = 0; i < journal.size(); ++i) {
      ASSERT_EQ(again[i].frame.state_hash, journal[i].frame.state_hash) << name_of(mode) << " step " << i;
    }
  }
}

class NoCpuTime final : public CpuTime {
 public:
  std::int64_t used_ns() noexcept override { return 0; }
};

TEST(Loop, ServesClientWatchdogAndSupervisorAtOnce) {
  LoopRig rig;
  rig.settings.max_steps = 2000;
  rig.settings.period_ns = 200'000;
  rig.settings.overrun.kind = OverrunKind::kSkip;
  MonotonicClock clock;
  LiveInput live({rig.command}, *rig.memory);
  std::atomic<bool> ended{false};
  std::thread plant([&] {
    Loop(rig.settings, *rig.plant, rig.state, live, clock, *rig.memory).run();
    ended.store(true);
  });
  std::uint64_t frames = 0;
  std::uint64_t entries = 0;
  std::thread client([&] {
    SensorFrame frame;
    for (std::uint64_t sequence = 1; !ended.load(); ++sequence) {
      const std::uint32_t seen = rig.memory->to_client.seen();
      rig.send(5.0, sequence);
      while (rig.memory->frames.take(frame)) ++frames;
      rig.memory->to_client.wait(seen, 1'000'000);
    }
    while (rig.memory->frames.take(frame)) ++frames;
  });
  std::thread watchdog([&] {
    Watchdog watch(Mode::kRealTime, 20'000'000'000, 1'000'000);
    NoCpuTime cpu;
    const auto counts = std::make_unique<HistogramCounts>();
    while (!ended.load()) {
      EXPECT_NE(watch.look(rig.memory->heartbeat, clock.now_ns(), cpu), Health::kTripped);
      rig.memory->timing.latency().copy_to(*counts);
    }
  });
  while (!ended.load()) {
    rig.status();
    rig.events();
    entries += rig.journal().size();
  }
  for (std::thread* thread : {&plant, &client, &watchdog}) thread->join();
  entries += rig.journal().size();

  EXPECT_EQ(rig.state.step(), 2000U);
  EXPECT_EQ(frames + rig.memory->frames.dropped(), 2000U);
  EXPECT_EQ(entries + rig.memory->journal.dropped(), 2000U);
}

TEST(Loop, ForcedLongStepsOnTheRealClockAreMissedAndMadeUpFor) {
  LoopRig rig;
  rig.settings.max_steps = 50;
  rig.settings.overrun.kind = OverrunKind::kCatchUp;
  rig.settings.overrun.max_behind = 1000;
  MonotonicClock clock;
  LiveInput live({rig.command}, *rig.memory);
  ScriptedInput input(live, [&](std::uint64_t tick) {
    const std::int64_t until_ns = clock.now_ns() + 34 * kLoopPeriod / 10;
    while (tick == 10 && clock.now_ns() < until_ns) {
    }
  });
  const std::int64_t start_ns = clock.now_ns();

  Loop(rig.settings, *rig.plant, rig.state, input, clock, *rig.memory).run();

  EXPECT_GE(rig.status().overrun.misses, 3);
  const auto frames = rig.frames();
  EXPECT_EQ(frames.back().due_ns - frames.front().due_ns, 49 * kLoopPeriod) << "releases stay where they are";
  EXPECT_GE(clock.now_ns() - start_ns, 50 * kLoopPeriod);
}

TEST(Loop, ATickDoesNotAllocate) {
  LoopRig rig;
  rig.settings.overrun.kind = OverrunKind::kDegrade;
  rig.settings.overrun.levels = 2;
  LiveInput live({rig.command}, *rig.memory);
  Loop loop(rig.settings, *rig.plant, rig.state, live, rig.clock, *rig.memory);

  const AllocationCount allocations;
  loop.run();

  EXPECT_EQ(allocations.value(), 0);
}

TEST(LoopRequests, PausedItMakesJustTheStepsThatAreAskedForAndSaysWhenTheyAreDone) {
  LoopRig rig;
  rig.settings.max_steps = 0;
  rig.settings.begins_paused = true;
  rig.ask(RequestKind::kStep, 5, 77);
  rig.ask(RequestKind::kStep, 5, 78);
  MonotonicClock clock;
  LiveInput live({rig.command}, *rig.memory);
  std::thread plant([&] { Loop(rig.settings, *rig.plant, rig.state, live, clock, *rig.memory).run(); });
  Reply reply;
  std::vector<Reply> replies;
  const std::int64_t until_ns = clock.now_ns() + 20'000'000'000;
  while (replies.size() < 2 && clock.now_ns() < until_ns) {
    if (rig.memory->replies.pop(reply)) replies.push_back(reply);
  }
  rig.memory->stop.store(1);
  plant.join();

  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[0].id, 78U);
  EXPECT_EQ(replies[0].status, ReplyStatus::kNotNow) << "one at a time";
  EXPECT_EQ(replies[1].id, 77U);
  EXPECT_EQ(replies[1].status, ReplyStatus::kDone);
  EXPECT_EQ(replies[1].step, 1U) << "the first of them";
  EXPECT_EQ(rig.frames().size(), 5U);
}

TEST(LoopRequests, ANumberedRequestIsDoneOnceAndAnsweredTwice) {
  LoopRig rig;
  constexpr std::uint64_t kId = Request::kNumbered | 5U;

  rig.run([&](std::uint64_t tick) {
    if (tick != 10 && tick != 20) return;
    rig.ask(RequestKind::kReset, 1, kId);
  });

  const auto replies = rig.replies();
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[0].step, replies[1].step);
  const auto events = rig.events();
  EXPECT_EQ(std::count(events.begin(), events.end(), EventKind::kReset), 1);
}

TEST(LoopRequests, ASnapshotThatIsRestoredGoesOnWithTheSameHashes) {
  LoopRig rig;
  rig.settings.max_steps = 600;
  std::vector<double> kept;
  SnapshotBuffer buffer;
  const auto feed = [&](std::uint64_t step) { rig.send(3.0 * std::sin(0.05 * static_cast<double>(step)), step + 1); };

  rig.run([&](std::uint64_t tick) {
    if (tick == 100) {
      Request fault;
      fault.kind = RequestKind::kChange;
      fault.change.kind = ChangeKind::kFault;
      fault.change.target = 0;
      fault.change.fault = SignalFault::kDelay;
      fault.change.value = 0.03;
      rig.memory->requests.push(fault);
    }
    if (tick == 149) rig.ask(RequestKind::kSnapshot);
    if (tick == 151) {
      const auto block = rig.memory->outgoing_block;
      kept.assign(block.begin(), block.end());
      buffer = rig.memory->outgoing;
    }
    if (tick == 399) {
      std::copy(kept.begin(), kept.end(), rig.memory->incoming_block.begin());
      rig.memory->incoming = buffer;
      rig.ask(RequestKind::kRestore, 9, 3);
    }
    const std::uint64_t step = tick < 400 ? tick : tick - 250;
    if (step < 120 || step > 180) feed(step);  // ramps from 141 on
  });

  const auto frames = rig.frames();
  const auto journal = rig.journal();
  ASSERT_EQ(frames.size(), 600U);
  EXPECT_EQ(journal[399].restored, 9U);
  EXPECT_EQ(frames[399].step, 150U);
  for (std::size_t i = 0; i < 200; ++i) {
    ASSERT_EQ(frames[399 + i].step, frames[149 + i].step);
    ASSERT_EQ(frames[399 + i].state_hash, frames[149 + i].state_hash) << "step " << frames[149 + i].step;
  }
}

TEST(LoopRequests, ASnapshotHoldsChangesThatWaitForTheirStep) {
  LoopRig rig;
  rig.settings.max_steps = 40;
  rig.run([&](std::uint64_t tick) {
    if (tick == 10) {
      Request fault;
      fault.kind = RequestKind::kChange;
      fault.change.kind = ChangeKind::kFault;
      fault.change.target = 2;
      fault.change.fault = SignalFault::kStuck;
      rig.memory->requests.push(fault);
      rig.ask(RequestKind::kSnapshot);  // in the same iteration: the fault begins with the next step
    }
    if (tick == 20) {
      const auto block = rig.memory->outgoing_block;
      std::copy(block.begin(), block.end(), rig.memory->incoming_block.begin());
      rig.memory->incoming = rig.memory->outgoing;
      rig.ask(RequestKind::kRestore, 1);
    }
  });

  const auto frames = rig.frames();
  ASSERT_EQ(frames[20].step, frames[10].step);
  for (std::size_t i = 0; i < 10; ++i) ASSERT_EQ(frames[20 + i].state_hash, frames[10 + i].state_hash) << i;
}

/// As an io would hand it over that was itself deceived, or taken over.
TEST(LoopRequests, ASnapshotWithCommandsThatTheRigForbidsIsRefused) {
  const CommandState kForbidden[] = {{1e9, 0, true, false, false},
                                     {-25.0, 0, true, false, false},
                                     {0.0, 22, true, true, false},
                                     {0.0, 21, true, false, false},
                                     {0.0, std::int64_t{1} << 40, true, true, false},
                                     {0.0, -1, true, false, false}};
  for (const CommandState& forbidden : kForbidden) {
    LoopRig rig;
    rig.run([&](std::uint64_t tick) {
      if (tick == 10) rig.ask(RequestKind::kSnapshot);
      if (tick != 20) return;
      const auto block = rig.memory->outgoing_block;
      std::copy(block.begin(), block.end(), rig.memory->incoming_block.begin());
      rig.memory->incoming = rig.memory->outgoing;
      rig.memory->incoming.policies[0] = forbidden;
      rig.ask(RequestKind::kRestore, 1, 44);
    });

    const std::vector<Reply> replies = rig.replies();
    ASSERT_EQ(replies.size(), 2U);
    EXPECT_EQ(replies[1].status, ReplyStatus::kRefused) << forbidden.value << " " << forbidden.age_ticks;
  }
}

TEST(LoopRequests, ADamagedSnapshotIsRefusedAndChangesNothing) {
  LoopRig rig;
  rig.run([&](std::uint64_t tick) {
    if (tick == 10) rig.ask(RequestKind::kSnapshot);
    if (tick == 20) {
      const auto block = rig.memory->outgoing_block;
      std::copy(block.begin(), block.end(), rig.memory->incoming_block.begin());
      rig.memory->incoming = rig.memory->outgoing;
      rig.memory->incoming_block[8] += 1e-12;
      rig.ask(RequestKind::kRestore, 1, 44);
    }
  });

  const auto replies = rig.replies();
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[1].status, ReplyStatus::kRefused);
  EXPECT_EQ(rig.frames().back().step, 100U);
}

TEST(LoopRequests, AnEmergencyStopHoldsUntilItIsRearmed) {
  LoopRig rig;
  rig.command.when_stale = StaleKind::kZero;
  rig.run([&](std::uint64_t tick) {
    rig.send(5.0, tick);  // with the bit that re-arms: only a request lifts an emergency stop
    if (tick == 10) rig.ask(RequestKind::kMakeSafe);
    if (tick == 50) rig.ask(RequestKind::kRearm, 1);
  });

  const auto journal = rig.journal();
  EXPECT_EQ(journal[9].input.command[0], 5.0);
  for (std::size_t i = 10; i < 50; ++i) EXPECT_EQ(journal[i].input.command[0], 0.0) << i;
  EXPECT_EQ(journal[50].input.command[0], 5.0);
}

TEST(LoopStop, AWordIsInForceInTheNextStepAndHoldsUntilARequestRearms) {
  LoopRig rig;
  rig.command.when_stale = StaleKind::kZero;
  const std::atomic<std::uint64_t>& ticks = rig.memory->heartbeat.iterations;
  rig.run([&](std::uint64_t tick) {
    rig.send(5.0, tick);  // with the bit that re-arms
    if (tick == 10) ask_stop(rig.memory->stops, StopWriter::kSupervisor, ticks);
    if (tick == 50) rig.ask(RequestKind::kRearm, 1);
    if (tick == 70) ask_stop(rig.memory->stops, StopWriter::kLocal, ticks);
  });

  const auto journal = rig.journal();
  EXPECT_EQ(journal[9].input.command[0], 5.0);
  for (std::size_t i = 10; i < 50; ++i) EXPECT_EQ(journal[i].input.command[0], 0.0) << i;
  EXPECT_EQ(journal[50].input.command[0], 5.0);
  for (std::size_t i = 70; i < 100; ++i) EXPECT_EQ(journal[i].input.command[0], 0.0) << i;
  const StopReceipt& receipt = rig.memory->stop_receipts[static_cast<std::size_t>(StopWriter::kSupervisor)];
  EXPECT_EQ(receipt.step.load(), 11U);
  EXPECT_EQ(receipt.tick.load(), rig.memory->stops[0].asked_tick.load() + 1);
}

TEST(LoopStop, ARearmThatComesWithAStopDoesNotLiftIt) {
  LoopRig rig;
  rig.command.when_stale = StaleKind::kZero;
  rig.run([&](std::uint64_t tick) {
    rig.send(5.0, tick);
    if (tick != 10) return;
    ask_stop(rig.memory->stops, StopWriter::kIo, rig.memory->heartbeat.iterations);
    rig.ask(RequestKind::kRearm, 1);
  });

  EXPECT_EQ(rig.journal().back().input.command[0], 0.0);
}

TEST(LoopStop, IsLatchedWhilePausedAndInLockstepWithoutCommands) {
  for (const Mode mode : {Mode::kRealTime, Mode::kLockstep, Mode::kFree}) {
    LoopRig rig;
    rig.settings.mode = mode;
    rig.settings.max_steps = 0;
    rig.settings.begins_paused = mode != Mode::kLockstep;
    MonotonicClock clock;
    LiveInput live({rig.command}, *rig.memory);
    std::thread plant([&] { Loop(rig.settings, *rig.plant, rig.state, live, clock, *rig.memory).run(); });
    const Heartbeat& heartbeat = rig.memory->heartbeat;
    const std::int64_t until_ns = clock.now_ns() + 20'000'000'000;
    while (heartbeat.iterations.load() < 5 && clock.now_ns() < until_ns) std::this_thread::yield();

    const std::uint64_t count = ask_stop(rig.memory->stops, StopWriter::kSupervisor, heartbeat.iterations);
    const StopReceipt& receipt = rig.memory->stop_receipts[0];
    while (receipt.count.load() != count && clock.now_ns() < until_ns) std::this_thread::yield();
    rig.memory->stop.store(1);
    plant.join();

    EXPECT_EQ(receipt.count.load(), count);
    EXPECT_LE(receipt.tick.load(), rig.memory->stops[0].asked_tick.load() + 2) << name_of(mode);
    EXPECT_EQ(rig.state.step(), 0U);
    EXPECT_TRUE(live.is_stopped());
  }
}

TEST(LoopLife, ActuatorsAreMadeSafeWhenOneOfThoseAboveIsSilent) {
  for (const Guardian silent : {Guardian::kSupervisor, Guardian::kIo}) {
    LoopRig rig;
    rig.command.when_stale = StaleKind::kZero;
    rig.settings.life_timeout_ns = 20 * kLoopPeriod;
    rig.run([&](std::uint64_t tick) {
      rig.send(5.0, tick);  // whatever commands say
      if (tick <= 50 || silent != Guardian::kSupervisor) rig.memory->supervisor_beat.show(rig.clock.now);
      if (tick <= 50 || silent != Guardian::kIo) beat_of(rig.memory->io_beats, IoThread::kMain).show(rig.clock.now);
    });

    const auto journal = rig.journal();
    EXPECT_EQ(journal[69].input.command[0], 5.0);
    for (std::size_t i = 72; i < 100; ++i) EXPECT_EQ(journal[i].input.command[0], 0.0) << i;
    int told = 0;
    for (Event event; rig.memory->events.take(event);) {
      if (event.kind != EventKind::kAbandoned) continue;
      ++told;
      EXPECT_EQ(event.value, static_cast<std::int64_t>(silent));
    }
    EXPECT_EQ(told, 1);
  }
}

TEST(LoopLife, WhereNobodyEverWasNobodyIsMissed) {
  LoopRig rig;
  rig.settings.life_timeout_ns = 20 * kLoopPeriod;
  rig.run([&](std::uint64_t tick) { rig.send(5.0, tick); });

  EXPECT_EQ(rig.journal().back().input.command[0], 5.0);
}

TEST(LoopRequests, AResetBeginsAgainWithTheSameHashes) {
  LoopRig rig;

  rig.run([&](std::uint64_t tick) {
    if (tick == 40) rig.ask(RequestKind::kReset, 2, 1);
  });

  const auto frames = rig.frames();
  EXPECT_EQ(frames[40].step, 1U);
  EXPECT_EQ(frames[40].state_hash, frames[0].state_hash);
  EXPECT_EQ(rig.journal()[40].restored, 2U);
}

TEST(LoopRequests, APlantWithOtherParametersTakesOverBetweenTwoSteps) {
  LoopRig rig;
  PlantSpec stronger = plants::driven_pendulum();
  stronger.actuators[0].motor.torque_Nm_per_A *= 2.0;
  const auto next = plants::made(rig.model, stronger);
  const State first = next->initial_state();
  PlantExchange exchange;
  PlantExchange::Offer offer{next.get(), &first, 31, 4};
  LiveInput live({rig.command}, *rig.memory);
  ScriptedInput input(live, [&](std::uint64_t tick) {
    rig.send(5.0, tick);
    if (tick == 20) exchange.offer(offer);
  });

  Loop(rig.settings, *rig.plant, rig.state, input, rig.clock, *rig.memory, &exchange).run();

  EXPECT_EQ(exchange.collect(), rig.plant.get());
  const auto journal = rig.journal();
  EXPECT_EQ(journal[20].parameters, 4U);
  EXPECT_EQ(journal[20].frame.step, 21U);
  Reply reply;
  ASSERT_TRUE(rig.memory->replies.pop(reply));
  EXPECT_EQ(reply.id, 31U);
  EXPECT_EQ(reply.step, 21U);
}

/// A plant that is offered with the state in the buffer, at tick 20; the buffer is damaged where `damage` says so.
struct OfferWithState {
  explicit OfferWithState(const std::function<void(PlantMemory&)>& damage = [](PlantMemory&) {})
      : stronger(plants::driven_pendulum()) {
    stronger.actuators[0].motor.torque_Nm_per_A *= 2.0;
    next = plants::made(rig.model, stronger);
    const State first = next->initial_state();
    PlantExchange::Offer offer{next.get(), &first, 31, 4, 9};
    LiveInput live({rig.command}, *rig.memory);
    ScriptedInput input(live, [&](std::uint64_t tick) {
      rig.send(5.0, tick);
      if (tick == 10) rig.ask(RequestKind::kSnapshot);
      if (tick != 20) return;
      const auto block = rig.memory->outgoing_block;
      std::copy(block.begin(), block.end(), rig.memory->incoming_block.begin());
      rig.memory->incoming = rig.memory->outgoing;
      damage(*rig.memory);
      exchange.offer(offer);
    });
    Loop(rig.settings, *rig.plant, rig.state, input, rig.clock, *rig.memory, &exchange).run();
  }

  LoopRig rig;
  PlantSpec stronger;
  std::unique_ptr<Plant> next;
  PlantExchange exchange;
};

TEST(LoopRequests, APlantThatBringsItsStateTakesOverInThatState) {
  OfferWithState run;

  EXPECT_EQ(run.exchange.collect(), run.rig.plant.get());
  const auto journal = run.rig.journal();
  EXPECT_EQ(journal[20].parameters, 4U);
  EXPECT_EQ(journal[20].restored, 9U);
  EXPECT_EQ(journal[20].parameters_last, 0U);
  EXPECT_EQ(journal[20].frame.step, 11U) << "both before the same step";
  const auto replies = run.rig.replies();
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[1].id, 31U);
  EXPECT_EQ(replies[1].status, ReplyStatus::kDone);
}

TEST(LoopRequests, APlantThatBringsADamagedStateIsRefusedWithIt) {
  LoopRig untouched;
  untouched.run([&](std::uint64_t tick) { untouched.send(5.0, tick); });
  OfferWithState run([](PlantMemory& memory) { memory.incoming_block[8] += 1e-12; });

  EXPECT_EQ(run.exchange.collect(), run.next.get());
  const auto replies = run.rig.replies();
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[1].status, ReplyStatus::kRefused);
  const auto frames = run.rig.frames();
  const auto expected = untouched.frames();
  ASSERT_EQ(frames.size(), expected.size());
  for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_EQ(frames[i].state_hash, expected[i].state_hash) << i;
}

TEST(LoopRequests, AgesAtWhichCountingWouldOverflowAreRefused) {
  OfferWithState run(
      [](PlantMemory& memory) { memory.incoming.policies[0].age_ticks = std::numeric_limits<std::int64_t>::max(); });

  EXPECT_EQ(run.exchange.collect(), run.next.get());
}

}  // namespace
}  // namespace kinloop::rt
