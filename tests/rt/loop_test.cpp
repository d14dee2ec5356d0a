// Tests the loop on a clock made of numbers: releases, policies, faults, and who is told of them.
#include "tests/rt/loop_rig.hpp"

#include <atomic>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/allocation_count.hpp"

namespace kinloop::rt {
namespace {

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

}  // namespace
}  // namespace kinloop::rt
