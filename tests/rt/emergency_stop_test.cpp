// Tests the words by which a stop reaches the loop.
#include "rt/policies/emergency_stop.hpp"

#include <gtest/gtest.h>

namespace kinloop::rt {
namespace {

constexpr std::size_t kOfIo = static_cast<std::size_t>(StopWriter::kIo);

struct StopRig {
  std::array<StopWord, kStopWriters> of_writers;
  StopWords words{of_writers[0], of_writers[1], of_writers[2]};
  StopReceipts receipts;
  std::uint64_t ask(StopWriter writer) { return ask_stop(words, writer, iterations); }

  std::atomic<std::uint64_t> iterations{40};
  StopLatch latch{words, receipts};
};

TEST(EmergencyStop, IsLatchedOnceWithTickAndStep) {
  StopRig rig;
  EXPECT_FALSE(rig.latch.is_asked());

  const std::uint64_t count = rig.ask(StopWriter::kIo);

  EXPECT_TRUE(rig.latch.is_asked());
  rig.latch.confirm(41, 17);
  EXPECT_FALSE(rig.latch.is_asked());
  EXPECT_EQ(rig.receipts[kOfIo].count.load(), count);
  EXPECT_EQ(rig.receipts[kOfIo].tick.load(), 41U);
  EXPECT_EQ(rig.receipts[kOfIo].step.load(), 17U);
  EXPECT_EQ(rig.words[kOfIo].asked_tick.load(), 40U);
}

TEST(EmergencyStop, EveryWriterHasHisOwnReceipt) {
  StopRig rig;
  rig.ask(StopWriter::kSupervisor);
  rig.latch.is_asked();
  rig.latch.confirm(2, 2);
  rig.ask(StopWriter::kLocal);
  rig.latch.is_asked();

  rig.latch.confirm(9, 9);

  EXPECT_EQ(rig.receipts[static_cast<std::size_t>(StopWriter::kSupervisor)].tick.load(), 2U);
  EXPECT_EQ(rig.receipts[static_cast<std::size_t>(StopWriter::kLocal)].tick.load(), 9U);
  EXPECT_EQ(rig.receipts[kOfIo].count.load(), 0U);
}

TEST(EmergencyStop, OneThatComesWhileAnotherIsLatchedIsNotLost) {
  StopRig rig;
  rig.ask(StopWriter::kIo);
  ASSERT_TRUE(rig.latch.is_asked());
  const std::uint64_t second = rig.ask(StopWriter::kIo);

  rig.latch.confirm(2, 2);

  EXPECT_LT(rig.receipts[kOfIo].count.load(), second);
  EXPECT_TRUE(rig.latch.is_asked());
}

TEST(EmergencyStop, AnyChangeOfAWordIsOne) {
  StopRig rig;
  rig.ask(StopWriter::kIo);
  rig.latch.is_asked();
  rig.latch.confirm(2, 2);

  rig.words[kOfIo].count.store(0);  // by whoever damages the memory

  EXPECT_TRUE(rig.latch.is_asked());
}

}  // namespace
}  // namespace kinloop::rt
