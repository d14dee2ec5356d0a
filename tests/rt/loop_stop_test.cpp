// Tests that a stop holds in every mode until it is rearmed, and that silence above makes actuators safe.
#include "tests/rt/loop_rig.hpp"

#include <atomic>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/allocation_count.hpp"

namespace kinloop::rt {
namespace {

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

TEST(LoopStop, TheStatusNamesTheActuatorsThatItHolds) {
  LoopRig rig;
  rig.command.when_stale = StaleKind::kZero;
  std::vector<ActuatorsHeld> held;
  rig.run([&](std::uint64_t tick) {
    held.push_back(rig.status().held);
    rig.send(5.0, tick);
    if (tick == 10) ask_stop(rig.memory->stops, StopWriter::kSupervisor, rig.memory->heartbeat.iterations);
    if (tick == 50) rig.ask(RequestKind::kRearm, 1);
  });

  EXPECT_EQ(held[9].stopped, 0U);
  EXPECT_EQ(held[9].safe, 0U);
  EXPECT_EQ(held[20].stopped, 1U);
  EXPECT_EQ(held[20].safe, 1U);
  EXPECT_EQ(held[60].stopped, 0U);
  EXPECT_EQ(held[60].safe, 0U);
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

/// Whose first large force ends in numbers that are none.
PlantSpec breakable() {
  PlantSpec spec = plants::driven_pendulum();
  spec.actuators[0].kind = ActuatorKind::kForce;
  spec.actuators[0].chain = {};
  spec.sensors[2].signal = "u.to_rod";
  return spec;
}

TEST(LoopStop, IsLatchedByAFrozenPlantAndStillHoldsOnceItMovesAgain) {
  LoopRig rig(breakable());
  rig.settings.fault.kind = FaultKind::kFreeze;
  rig.command.upper = std::numeric_limits<double>::infinity();
  rig.command.when_stale = StaleKind::kZero;
  const StopReceipt& receipt = rig.memory->stop_receipts[static_cast<std::size_t>(StopWriter::kSupervisor)];
  std::uint64_t latched = 0;

  const LoopEnd end = rig.run([&](std::uint64_t tick) {
    rig.send(tick == 8 ? 1.7e308 : 5.0, tick);
    if (tick == 30) ask_stop(rig.memory->stops, StopWriter::kSupervisor, rig.memory->heartbeat.iterations);
    if (tick == 32) latched = receipt.count.load();
    if (tick == 50) rig.ask(RequestKind::kReset);
    if (tick == 70) rig.ask(RequestKind::kRearm, 1);
  });

  EXPECT_EQ(end, LoopEnd::kDone);
  EXPECT_EQ(latched, 1U) << "within two ticks";
  EXPECT_LE(receipt.tick.load(), rig.memory->stops[0].asked_tick.load() + 2);
  const auto journal = rig.journal();
  const auto frames = rig.frames();
  ASSERT_EQ(journal.size(), 100U);
  ASSERT_EQ(frames.size(), 100U);
  EXPECT_NE(frames[29].flags & frame_flag::kFrozen, 0U);
  EXPECT_NE(frames[45].flags & frame_flag::kFrozen, 0U);
  EXPECT_EQ(frames[55].flags & frame_flag::kFrozen, 0U) << "reset: it moves again";
  EXPECT_EQ(journal[28].input.command[0], 5.0);
  for (std::size_t i = 30; i < 70; ++i) {
    EXPECT_EQ(journal[i].input.command[0], 0.0) << i;
    EXPECT_EQ(journal[i].input.stopped, 1U) << i;
  }
  EXPECT_EQ(journal[75].input.command[0], 5.0);
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

/// An io that is started again clears its beats; it may die or hang before it shows the next one, again and again.
TEST(LoopLife, ABeatThatIsClearedIsSilence) {
  for (const Guardian silent : {Guardian::kSupervisor, Guardian::kIo}) {
    LoopRig rig;
    rig.command.when_stale = StaleKind::kZero;
    rig.settings.life_timeout_ns = 20 * kLoopPeriod;
    rig.run([&](std::uint64_t tick) {
      rig.send(5.0, tick);
      Beat& lost =
          silent == Guardian::kIo ? beat_of(rig.memory->io_beats, IoThread::kMain) : rig.memory->supervisor_beat;
      for (Beat* beat : {&rig.memory->supervisor_beat, &beat_of(rig.memory->io_beats, IoThread::kMain)}) {
        beat->show(rig.clock.now);
      }
      if (tick > 50) lost.end();
    });

    const auto journal = rig.journal();
    EXPECT_EQ(journal[69].input.command[0], 5.0);
    for (std::size_t i = 72; i < 100; ++i) EXPECT_EQ(journal[i].input.command[0], 0.0) << i;
  }
}

TEST(LoopLife, ABeatThatComesBackInTimeIsNotMissed) {
  LoopRig rig;
  rig.settings.life_timeout_ns = 20 * kLoopPeriod;
  rig.run([&](std::uint64_t tick) {
    rig.send(5.0, tick);
    Beat& io = beat_of(rig.memory->io_beats, IoThread::kMain);
    io.show(rig.clock.now);
    if (tick % 20 < 15) io.end();
  });

  EXPECT_EQ(rig.journal().back().input.command[0], 5.0);
}

TEST(LoopLife, ABeatOfATimeToComeIsWorthNoMoreThanOneOfNow) {
  LoopRig rig;
  rig.command.when_stale = StaleKind::kZero;
  rig.settings.life_timeout_ns = 20 * kLoopPeriod;
  rig.run([&](std::uint64_t tick) {
    rig.send(5.0, tick);
    Beat& io = beat_of(rig.memory->io_beats, IoThread::kMain);
    io.show(rig.clock.now + 1'000'000 * kLoopPeriod);
    if (tick > 50) io.end();
  });

  EXPECT_EQ(rig.journal().back().input.command[0], 0.0);
}

TEST(LoopLife, WhereNobodyEverWasNobodyIsMissed) {
  LoopRig rig;
  rig.settings.life_timeout_ns = 20 * kLoopPeriod;
  rig.run([&](std::uint64_t tick) { rig.send(5.0, tick); });

  EXPECT_EQ(rig.journal().back().input.command[0], 5.0);
}

}  // namespace
}  // namespace kinloop::rt
