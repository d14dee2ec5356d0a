// Tests changes that wait for a step.
#include "rt/loop/pending_changes.hpp"

#include <gtest/gtest.h>

#include "tests/rt/loop_parts.hpp"

namespace kinloop::rt {
namespace {

StepChange push_on_rod() {
  StepChange change;
  change.kind = ChangeKind::kForce;
  change.target = 1;
  change.wrench[3] = 1.0;
  return change;
}

TEST(PendingChanges, TheNextStepTakesThem) {
  LoopParts parts;
  PendingChanges changes;
  ASSERT_EQ(changes.add(stuck(0), *parts.plant, parts.state), ReplyStatus::kDone);
  ASSERT_EQ(changes.add(stuck(2), *parts.plant, parts.state), ReplyStatus::kDone);

  StepInput first;
  StepInput second;
  changes.move_into(first);
  changes.move_into(second);

  ASSERT_EQ(first.changes, 2U);
  EXPECT_EQ(first.change[1].target, 2U);
  EXPECT_EQ(second.changes, 0U);
}

TEST(PendingChanges, ARecordedInputKeepsItsOwn) {
  PendingChanges changes;
  StepInput recorded;
  recorded.changes = 1;
  recorded.change[0] = stuck(1);

  changes.move_into(recorded);

  EXPECT_EQ(recorded.changes, 1U);
}

TEST(PendingChanges, WhatNeedsRoomComesAlone) {
  LoopParts parts;
  PendingChanges changes;
  ASSERT_EQ(changes.add(push_on_rod(), *parts.plant, parts.state), ReplyStatus::kDone);

  EXPECT_EQ(changes.add(push_on_rod(), *parts.plant, parts.state), ReplyStatus::kFull);
  EXPECT_EQ(changes.add(stuck(0), *parts.plant, parts.state), ReplyStatus::kDone);
}

TEST(PendingChanges, ThereIsAnEndToTheirNumber) {
  LoopParts parts;
  PendingChanges changes;
  for (std::size_t i = 0; i < kMaxChanges; ++i) {
    ASSERT_EQ(changes.add(stuck(0), *parts.plant, parts.state), ReplyStatus::kDone);
  }

  EXPECT_EQ(changes.add(stuck(0), *parts.plant, parts.state), ReplyStatus::kFull);
}

TEST(PendingChanges, NonsenseIsRefused) {
  LoopParts parts;
  PendingChanges changes;

  EXPECT_EQ(changes.add(stuck(99), *parts.plant, parts.state), ReplyStatus::kRefused);
  EXPECT_EQ(changes.count, 0U);
}

}  // namespace
}  // namespace kinloop::rt
