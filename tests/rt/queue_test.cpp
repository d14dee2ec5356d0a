// Tests the queue and the ring of frames: order, bounds, counted drops, wild indices.
#include "rt/ipc/queue.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "rt/ipc/frame_ring.hpp"
#include "tests/rt/shared_payload.hpp"
#include "tests/support/private_memory.hpp"

namespace kinloop::rt {
namespace {

TEST(Queue, GivesAllInOrderAndSaysWhenItIsFullOrEmpty) {
  Private<Queue<int, 4>> queue;
  int value = 0;
  EXPECT_FALSE(queue.pop(value));

  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(queue.push(10 * round + i));
    EXPECT_FALSE(queue.push(99));
    EXPECT_EQ(queue.size(), 4U);
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(queue.pop(value));
      EXPECT_EQ(value, 10 * round + i);
    }
    EXPECT_FALSE(queue.pop(value));
  }
}

TEST(Queue, LosesNothingBetweenTwoThreads) {
  const auto queue = std::make_unique<Private<Queue<Payload, 16>>>();
  constexpr std::uint64_t kLast = 300000;
  std::thread producer([&] {
    for (std::uint64_t i = 1; i <= kLast; ++i) {
      while (!queue->push(Payload::of(i))) std::this_thread::yield();
    }
  });

  Payload payload;
  for (std::uint64_t i = 1; i <= kLast; ++i) {
    while (!queue->pop(payload)) std::this_thread::yield();
    ASSERT_TRUE(payload.is_whole());
    ASSERT_EQ(payload.number(), i);
  }
  producer.join();

  EXPECT_FALSE(queue->pop(payload));
}

TEST(Queue, StaysInsideItsSlotsWhateverIndicesItFindsAndWorksAgain) {
  Private<Queue<int, 8>> queue;
  const std::uint64_t wild[] = {0, 1, 7, 8, 9, 1U << 20U, UINT64_MAX, UINT64_MAX - 3, UINT64_MAX / 2};
  for (const std::uint64_t head : wild) {
    for (const std::uint64_t tail : wild) {
      queue.read.head.store(head);
      queue.written.tail.store(tail);
      int value = 0;

      for (int i = 0; i < 20; ++i) queue.push(i);
      for (int i = 0; i < 20; ++i) queue.pop(value);

      EXPECT_TRUE(queue.push(42)) << head << " " << tail;
      ASSERT_TRUE(queue.pop(value)) << head << " " << tail;
      EXPECT_EQ(value, 42);
    }
  }
}

TEST(FrameRing, DropsWhatItsReaderHasNoRoomForAndCounts) {
  Private<FrameRing<int, 4>> ring;

  for (int i = 0; i < 10; ++i) ring.publish(i);

  EXPECT_EQ(ring.dropped(), 6U);
  int frame = 0;
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(ring.take(frame));
    EXPECT_EQ(frame, i);
  }
  EXPECT_FALSE(ring.take(frame));
  EXPECT_TRUE(ring.publish(11));
}

}  // namespace
}  // namespace kinloop::rt
