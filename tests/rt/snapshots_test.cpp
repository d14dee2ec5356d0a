// Tests snapshots: what leaves comes back, what is damaged does not, and what the journal is told.
#include "rt/loop/snapshots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "rt/messages/state_hash.hpp"
#include "tests/rt/loop_parts.hpp"
#include "tests/support/allocation_count.hpp"

namespace kinloop::rt {
namespace {

struct SnapshotRig : LoopParts {
  void step(int count) {
    for (int i = 0; i < count; ++i) ASSERT_TRUE(is_done(plant->step(plants::input_of(*plant, 3.0), state)));
  }
  /// What left is on its way back.
  void send_back() {
    const auto block = memory->outgoing_block;
    std::copy(block.begin(), block.end(), memory->incoming_block.begin());
    memory->incoming = memory->outgoing;
  }

  Snapshots snapshots{stepped, *memory};
  PendingChanges changes;
};

TEST(Snapshots, WhatLeftComesBack) {
  SnapshotRig rig;
  rig.step(20);
  const std::uint64_t hash = state_hash(rig.state);
  ASSERT_EQ(rig.changes.add(stuck(1), *rig.plant, rig.state), ReplyStatus::kDone);
  rig.input.memory()[0].value = 2.5;
  const AllocationCount allocations;
  ASSERT_EQ(rig.snapshots.export_snapshot(20, rig.changes), ReplyStatus::kDone);
  rig.send_back();
  rig.step(10);
  rig.changes.count = 0;
  rig.input.memory()[0].value = -1.0;

  const ReplyStatus status = rig.snapshots.import_snapshot(*rig.plant, rig.changes);
  rig.snapshots.restore(9);

  EXPECT_EQ(status, ReplyStatus::kDone);
  EXPECT_EQ(state_hash(rig.state), hash);
  EXPECT_EQ(rig.changes.count, 1U);
  EXPECT_EQ(rig.input.memory()[0].value, 2.5);
  EXPECT_EQ(rig.memory->outgoing.count, 20U);
  EXPECT_EQ(rig.snapshots.origin().restored, 9U);
  EXPECT_EQ(allocations.value(), 0);
}

TEST(Snapshots, ADamagedOneAltersNothing) {
  const auto damages = {
      +[](PlantMemory& memory) { memory.incoming_block[8] += 1e-12; },
      +[](PlantMemory& memory) { memory.incoming.state_hash ^= 1U; },
      +[](PlantMemory& memory) { memory.incoming.actuators = 2; },
      +[](PlantMemory& memory) { memory.incoming.changes = kMaxChanges + 1; },
      +[](PlantMemory& memory) { memory.incoming.policies[0].value = std::numeric_limits<double>::quiet_NaN(); },
  };
  for (const auto damage : damages) {
    SnapshotRig rig;
    rig.step(5);
    ASSERT_EQ(rig.snapshots.export_snapshot(5, rig.changes), ReplyStatus::kDone);
    rig.send_back();
    damage(*rig.memory);
    ASSERT_EQ(rig.changes.add(stuck(1), *rig.plant, rig.state), ReplyStatus::kDone);
    rig.input.memory()[0].value = -1.0;

    EXPECT_EQ(rig.snapshots.import_snapshot(*rig.plant, rig.changes), ReplyStatus::kRefused);

    EXPECT_EQ(rig.changes.count, 1U);
    EXPECT_EQ(rig.input.memory()[0].value, -1.0);
    EXPECT_EQ(rig.snapshots.origin().restored, 0U);
  }
}

TEST(Snapshots, NoneLiftsAnEmergencyStop) {
  SnapshotRig rig;
  rig.input.memory()[0].value = 5.0;
  ASSERT_EQ(rig.snapshots.export_snapshot(0, rig.changes), ReplyStatus::kDone);
  rig.send_back();
  rig.input.make_safe();

  ASSERT_EQ(rig.snapshots.import_snapshot(*rig.plant, rig.changes), ReplyStatus::kDone);

  EXPECT_TRUE(rig.input.memory()[0].stopped);
  EXPECT_EQ(rig.input.memory()[0].value, 0.0);
}

TEST(Snapshots, AResetReturnsToTheFirstStateAndForgetsFailures) {
  SnapshotRig rig;
  const std::uint64_t first = state_hash(rig.state);
  rig.step(5);
  rig.stepped.fault.goes_on_after(StepStatus::kDiverged);

  rig.snapshots.reset(3);

  EXPECT_EQ(state_hash(rig.state), first);
  EXPECT_FALSE(rig.stepped.fault.has_failed());
  EXPECT_EQ(rig.snapshots.origin().restored, 3U);
}

TEST(Snapshots, TheJournalIsToldWhichCameLast) {
  SnapshotRig rig;
  const State first = rig.state;

  rig.snapshots.reset(3);
  rig.snapshots.set_parameters(first, 4);
  EXPECT_TRUE(rig.snapshots.origin().parameters_last);

  rig.snapshots.reset(5);
  EXPECT_FALSE(rig.snapshots.origin().parameters_last);
  EXPECT_EQ(rig.snapshots.origin().parameters, 4U);

  rig.snapshots.clear_origin();
  EXPECT_EQ(rig.snapshots.origin().restored, 0U);
  EXPECT_EQ(rig.snapshots.origin().parameters, 0U);
}

}  // namespace
}  // namespace kinloop::rt
