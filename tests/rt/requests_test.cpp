// Tests requests without a loop around them; what they do to one is in loop_test.cpp.
#include "rt/loop/requests.hpp"

#include <gtest/gtest.h>

#include "tests/rt/loop_parts.hpp"

namespace kinloop::rt {
namespace {

struct RequestsRig : LoopParts {
  void ask(RequestKind kind, std::uint64_t number, std::uint64_t id) {
    Request request;
    request.id = id;
    request.kind = kind;
    request.number = number;
    ASSERT_TRUE(memory->requests.push(request));
  }

  Publisher publisher{settings, stepped, run, overrun, clock, *memory, client};
  Requests requests{Mode::kRealTime, stepped, run, publisher, *memory, client, nullptr};
};

TEST(Requests, APauseIsInTheStatusBeforeItIsAnswered) {
  RequestsRig rig;
  rig.ask(RequestKind::kPause, 0, 1);

  rig.requests.take();

  EXPECT_TRUE(rig.run.paused);
  EXPECT_TRUE(rig.memory->status.take().value->paused);
  ASSERT_EQ(rig.replies().size(), 1U);
  EXPECT_EQ(rig.events(), (std::vector{EventKind::kPaused}));
}

TEST(Requests, StepsAreAnsweredWhenTheyAreDone) {
  RequestsRig rig;
  rig.run.paused = true;
  rig.ask(RequestKind::kStep, 2, 1);
  rig.requests.take();

  rig.requests.count_step();
  EXPECT_TRUE(rig.replies().empty());
  rig.requests.count_step();

  const auto replies = rig.replies();
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].status, ReplyStatus::kDone);
  EXPECT_EQ(rig.run.steps_left, 0U);
}

TEST(Requests, StepsThatTheEndOfTheRunCutsShortAreNotDone) {
  RequestsRig rig;
  rig.run.paused = true;
  rig.ask(RequestKind::kStep, 2, 1);
  rig.requests.take();
  rig.requests.count_step();

  rig.requests.finish();

  const auto replies = rig.replies();
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].status, ReplyStatus::kNotNow);
}

TEST(Requests, AStepRequestThatComesTwiceIsDoneOnceAndAnsweredOnceDone) {
  RequestsRig rig;
  constexpr std::uint64_t kId = Request::kNumbered | 3U;
  rig.run.paused = true;
  rig.ask(RequestKind::kStep, 2, kId);
  rig.ask(RequestKind::kStep, 2, kId);

  rig.requests.take();

  EXPECT_TRUE(rig.replies().empty());
  EXPECT_EQ(rig.run.steps_left, 2U);
}

TEST(Requests, AResumedRunSaysSo) {
  RequestsRig rig;
  rig.run.paused = true;
  rig.ask(RequestKind::kResume, 0, 1);

  rig.requests.take();

  EXPECT_FALSE(rig.run.paused);
  EXPECT_TRUE(rig.run.resumed);
}

TEST(Requests, WhatNobodyKnowsIsRefused) {
  RequestsRig rig;
  rig.ask(static_cast<RequestKind>(77), 0, 1);

  rig.requests.take();

  const auto replies = rig.replies();
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].status, ReplyStatus::kRefused);
}

}  // namespace
}  // namespace kinloop::rt
