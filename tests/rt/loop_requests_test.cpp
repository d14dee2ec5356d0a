// Tests what is asked of a running loop: steps, snapshots, resets, plants that take over.
#include "tests/rt/loop_rig.hpp"

#include <atomic>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/allocation_count.hpp"

namespace kinloop::rt {
namespace {

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
