// Tests replies: sent once, and again to whoever asks with the same number.
#include "rt/loop/replies.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/support/allocation_count.hpp"
#include "tests/support/private_memory.hpp"

namespace kinloop::rt {
namespace {

struct RepliesRig {
  std::vector<Reply> sent() {
    std::vector<Reply> all;
    for (Reply reply; queue->pop(reply);) all.push_back(reply);
    return all;
  }

  std::unique_ptr<Private<Queue<Reply, 128>>> queue = std::make_unique<Private<Queue<Reply, 128>>>();
  Private<FutexEvent> event;
  DeferredSignal client{event};
  Replies replies{*queue, client};
};

constexpr std::uint64_t kNumberedId = Request::kNumbered | 7U;

TEST(Replies, ANumberedOneIsSentAgain) {
  RepliesRig rig;
  rig.replies.send(kNumberedId, ReplyStatus::kRefused, 12);

  const bool again = rig.replies.send_again(kNumberedId);

  EXPECT_TRUE(again);
  const auto sent = rig.sent();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[1].id, kNumberedId);
  EXPECT_EQ(sent[1].status, ReplyStatus::kRefused);
  EXPECT_EQ(sent[1].step, 12U);
}

TEST(Replies, OneWithoutANumberIsNot) {
  RepliesRig rig;
  rig.replies.send(7, ReplyStatus::kDone, 12);

  EXPECT_FALSE(rig.replies.send_again(7));
  EXPECT_EQ(rig.sent().size(), 1U);
}

TEST(Replies, WantOfRoomIsNotRemembered) {
  RepliesRig rig;
  rig.replies.send(kNumberedId, ReplyStatus::kFull, 12);

  EXPECT_FALSE(rig.replies.send_again(kNumberedId)) << "there may be room now";
}

TEST(Replies, TheLastOnesAreRemembered) {
  RepliesRig rig;

  const AllocationCount allocations;
  for (std::uint64_t i = 0; i <= Replies::kRemembered; ++i) {
    rig.replies.send(Request::kNumbered | (i + 1), ReplyStatus::kDone, i);
  }

  EXPECT_FALSE(rig.replies.send_again(Request::kNumbered | 1U));
  EXPECT_TRUE(rig.replies.send_again(Request::kNumbered | 2U));
  EXPECT_EQ(allocations.value(), 0);
}

TEST(Replies, TheClientIsWokenOnceTheTickIsOver) {
  RepliesRig rig;
  const std::uint32_t before = rig.event.seen();

  rig.replies.send(1, ReplyStatus::kDone, 1);
  rig.replies.send(2, ReplyStatus::kDone, 1);

  EXPECT_EQ(rig.event.seen(), before);
  rig.client.send();
  rig.client.send();
  EXPECT_EQ(rig.event.seen(), before + 1);
}

}  // namespace
}  // namespace kinloop::rt
