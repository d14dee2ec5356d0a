// Tests the loop on a clock made of numbers: releases, policies, modes, faults, and that a record of it can be
// repeated.
#include "rt/loop.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/allocation_count.hpp"
#include "tests/support/plants.hpp"

namespace kinloop::rt {
namespace {

constexpr std::int64_t kPeriod = 1'000'000;

class FakeClock final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override { return now; }
  void sleep_until(std::int64_t time_ns) noexcept override { now = std::max(now, time_ns); }

  std::int64_t now = 5'000;
};

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

 private:
  InputSource& live_;
  Script script_;
  std::uint64_t tick_ = 0;
};

struct Rig {
  explicit Rig(const PlantSpec& spec = plants::driven_pendulum())
      : model(mechanisms::compiled(mechanisms::pendulum())),
        plant(plants::made(model, spec)),
        state(plant->initial_state()) {
    settings.most_steps = 100;
    settings.period_ns = kPeriod;
    command.lower = -24.0;
    command.upper = 24.0;
    command.most_age_ticks = 20;
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
  LoopStatus status() {
    const auto taken = memory->status.take();
    return taken.value != nullptr ? *taken.value : LoopStatus{};
  }

  Model model;
  std::unique_ptr<Plant> plant;
  State state;
  std::unique_ptr<PlantMemory> memory = std::make_unique<PlantMemory>();
  FakeClock clock;
  LoopSettings settings;
  CommandSettings command;
  Command newest;
};

TEST(Loop, ReleasesEveryStepOneperiodAfterTheOther) {
  Rig rig;

  const LoopEnd end = rig.run();

  EXPECT_EQ(end, LoopEnd::kDone);
  const auto frames = rig.frames();
  ASSERT_EQ(frames.size(), 100U);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(frames[i].step, i + 1);
    EXPECT_EQ(frames[i].due_ns, 5'000 + static_cast<std::int64_t>(i + 1) * kPeriod);
  }
  EXPECT_EQ(rig.status().overrun.misses, 0);
  EXPECT_EQ(rig.events(), (std::vector{EventKind::kStarted, EventKind::kEnded}));
  EXPECT_EQ(rig.memory->heartbeat.running.load(), 0U);
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
    Rig rig;
    rig.settings.most_steps = 20;
    rig.settings.overrun.kind = expected.kind;
    rig.settings.overrun.levels = 2;

    const LoopEnd end = rig.run([&](std::uint64_t tick) {
      if (tick == 5) rig.clock.now += 34 * kPeriod / 10;
    });

    EXPECT_EQ(end, expected.end) << name_of(expected.kind);
    const OverrunCounters& counters = rig.status().overrun;
    EXPECT_EQ(counters.misses, expected.misses) << name_of(expected.kind);
    EXPECT_EQ(counters.skipped_releases, expected.skipped) << name_of(expected.kind);
    const auto frames = rig.frames();
    const std::int64_t on_grid = 5'000 + static_cast<std::int64_t>(frames.size()) * kPeriod;
    EXPECT_NEAR(static_cast<double>(frames.back().due_ns - on_grid) / kPeriod, expected.behind_periods, 1e-9)
        << name_of(expected.kind);
    EXPECT_NEAR(frames.back().time_s, 1e-3 * static_cast<double>(frames.size()), 1e-12) << "dt never changes";
    if (end == LoopEnd::kDone) {
      EXPECT_NE(frames[5].flags & frame_flag::kOverrun, 0U) << name_of(expected.kind);
    }
  }
}

TEST(Loop, DegradingIsSeenInFramesAndEvents) {
  Rig rig;
  rig.settings.overrun.kind = OverrunKind::kDegrade;
  rig.settings.overrun.levels = 2;
  rig.settings.overrun.recover_after = 10;

  rig.run([&](std::uint64_t tick) {
    if (tick == 5) rig.clock.now += 15 * kPeriod / 10;
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
  Rig rig;

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
  Rig rig;

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
  Rig rig(fragile());
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
  Rig rig(fragile());
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
  Rig rig;
  rig.settings.mode = Mode::kLockstep;
  rig.settings.most_steps = 5;
  for (std::uint64_t i = 1; i <= 6; ++i) rig.release(static_cast<double>(i), i);

  const LoopEnd end = rig.run();

  EXPECT_EQ(end, LoopEnd::kDone);
  const auto frames = rig.frames();
  ASSERT_EQ(frames.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(frames[i].command_sequence, i + 1);
}

TEST(Loop, ALockstepCommandIsAnsweredAtOnceWhateverTheFramesDoElse) {
  Rig rig;
  rig.settings.mode = Mode::kLockstep;
  rig.settings.frames = {10, FrameSettings::Leave::kAtRelease};
  rig.settings.most_steps = 1;
  rig.release(0.0, 1);

  rig.run();

  EXPECT_EQ(rig.frames().size(), 1U);
}

TEST(Loop, ARefusedCommandIsNotTheOneInForce) {
  Rig rig;

  rig.run([&](std::uint64_t tick) {
    if (tick == 1) rig.send(3.0, 7);
    if (tick == 5) rig.send(99.0, 8);
  });

  const auto frames = rig.frames();
  EXPECT_EQ(frames[4].command_sequence, 7U);
  EXPECT_EQ(frames[4].command_age_ticks, 4);
}

TEST(Loop, FramesCanBeFewer) {
  Rig rig;
  rig.settings.frames.every = 10;

  rig.run();

  const auto frames = rig.frames();
  ASSERT_EQ(frames.size(), 10U);
  EXPECT_EQ(frames[0].step, 10U);
  EXPECT_EQ(rig.journal().size(), 100U) << "every step is journaled";
}

TEST(Loop, FramesCanWaitForTheNextRelease) {
  Rig rig;
  rig.settings.frames.leave = FrameSettings::Leave::kAtRelease;
  rig.settings.most_steps = 3;
  std::vector<std::size_t> there;

  rig.run([&](std::uint64_t) { there.push_back(rig.memory->frames.size()); });

  EXPECT_EQ(there, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(rig.frames().size(), 3U);
}

TEST(Loop, PausedItLivesAndResumedItMissedNothing) {
  Rig rig;

  rig.run([&](std::uint64_t tick) {
    if (tick != 10) return;
    rig.ask(RequestKind::kPause);
    rig.ask(RequestKind::kPause);
    rig.ask(RequestKind::kResume);
  });

  const auto frames = rig.frames();
  ASSERT_EQ(frames.size(), 100U);
  EXPECT_EQ(frames[10].due_ns - frames[9].due_ns, 2 * kPeriod) << "a period after it was resumed";
  EXPECT_EQ(frames[11].due_ns - frames[10].due_ns, kPeriod);
  EXPECT_EQ(rig.status().overrun.misses, 0);
  const auto events = rig.events();
  EXPECT_EQ(events, (std::vector{EventKind::kStarted, EventKind::kPaused, EventKind::kResumed, EventKind::kEnded}));
}

TEST(Loop, PausedItBeatsAsOftenAsItWouldStep) {
  Rig rig;
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
  Rig rig;
  rig.settings.most_steps = 1500;
  rig.settings.overrun.kind = OverrunKind::kDegrade;
  rig.settings.overrun.levels = 2;
  rig.settings.overrun.recover_after = 40;
  rig.command.when_stale = StaleKind::kFreeze;
  rig.run([&](std::uint64_t tick) {
    if (tick % 7 == 0 && tick % 500 < 300) rig.send(10.0 * std::sin(0.01 * static_cast<double>(tick)), tick);
    if (tick % 311 == 0) rig.clock.now += 21 * kPeriod / 10;
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
    Rig rig;
    rig.settings.mode = mode;
    rig.settings.most_steps = 0;
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

TEST(Loop, ServesClientWatchdogAndSupervisorAtOnce) {
  Rig rig;
  rig.settings.most_steps = 2000;
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
    Watchdog watch(Mode::kRealTime, 20'000'000'000);
    const auto counts = std::make_unique<HistogramCounts>();
    while (!ended.load()) {
      EXPECT_NE(watch.look(rig.memory->heartbeat, clock.now_ns()), Health::kTripped);
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
  Rig rig;
  rig.settings.most_steps = 50;
  rig.settings.overrun.kind = OverrunKind::kCatchUp;
  rig.settings.overrun.most_behind = 1000;
  MonotonicClock clock;
  LiveInput live({rig.command}, *rig.memory);
  ScriptedInput input(live, [&](std::uint64_t tick) {
    const std::int64_t until_ns = clock.now_ns() + 34 * kPeriod / 10;
    while (tick == 10 && clock.now_ns() < until_ns) {
    }
  });
  const std::int64_t start_ns = clock.now_ns();

  Loop(rig.settings, *rig.plant, rig.state, input, clock, *rig.memory).run();

  EXPECT_GE(rig.status().overrun.misses, 3);
  const auto frames = rig.frames();
  EXPECT_EQ(frames.back().due_ns - frames.front().due_ns, 49 * kPeriod) << "releases stay where they are";
  EXPECT_GE(clock.now_ns() - start_ns, 50 * kPeriod);
}

TEST(Loop, ATickDoesNotAllocate) {
  Rig rig;
  rig.settings.overrun.kind = OverrunKind::kDegrade;
  rig.settings.overrun.levels = 2;
  LiveInput live({rig.command}, *rig.memory);
  Loop loop(rig.settings, *rig.plant, rig.state, live, rig.clock, *rig.memory);

  const AllocationCount allocations;
  loop.run();

  EXPECT_EQ(allocations.value(), 0);
}

}  // namespace
}  // namespace kinloop::rt
