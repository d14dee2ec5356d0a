// Tests the loop in lockstep, in free mode and paused, and that a record of it is repeated in each with equal hashes.
#include <vector>

#include "tests/rt/loop_rig.hpp"

namespace kinloop::rt {
namespace {

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

}  // namespace
}  // namespace kinloop::rt
