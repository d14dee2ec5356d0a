// Tests the mailbox: newest wins, values are whole, and what another process wrote over it does no harm.
#include "rt/ipc/latest_value.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "tests/rt/shared_payload.hpp"
#include "tests/support/private_memory.hpp"

namespace kinloop::rt {
namespace {

TEST(LatestValue, IsEmptyUntilItIsWritten) {
  Private<LatestValue<int>> mailbox;

  EXPECT_EQ(mailbox.take().value, nullptr);
  EXPECT_FALSE(mailbox.take().is_new);
}

TEST(LatestValue, GivesTheNewestOnceAsNewAndThenAgain) {
  Private<LatestValue<int>> mailbox;

  for (const int value : {1, 2, 3}) mailbox.write(value);
  const auto first = mailbox.take();
  const auto again = mailbox.take();

  ASSERT_NE(first.value, nullptr);
  EXPECT_EQ(*first.value, 3);
  EXPECT_TRUE(first.is_new);
  ASSERT_NE(again.value, nullptr);
  EXPECT_EQ(*again.value, 3);
  EXPECT_FALSE(again.is_new);
}

TEST(LatestValue, LeavesWhatWasTakenAloneWhileTheWriterGoesOn) {
  Private<LatestValue<int>> mailbox;
  mailbox.write(1);
  const auto taken = mailbox.take();

  for (int i = 2; i < 20; ++i) mailbox.write(i);

  EXPECT_EQ(*taken.value, 1);
  EXPECT_EQ(*mailbox.take().value, 19);
}

TEST(LatestValue, GivesWholeValuesInOrderToAReaderInAnotherThread) {
  const auto mailbox = std::make_unique<Private<LatestValue<Payload>>>();
  constexpr std::uint64_t kLast = 300000;
  std::thread writer([&] {
    for (std::uint64_t i = 1; i <= kLast; ++i) {
      mailbox->write(Payload::of(i));
    }
  });

  std::uint64_t before = 0;
  while (before < kLast) {
    const auto taken = mailbox->take();
    if (taken.value == nullptr) continue;
    ASSERT_TRUE(taken.value->is_whole());
    ASSERT_GE(taken.value->number(), before);
    ASSERT_EQ(taken.is_new, taken.value->number() > before);
    before = taken.value->number();
  }
  writer.join();
}

TEST(LatestValue, SurvivesAnyMarksThatAnotherProcessLeavesInIt) {
  Private<LatestValue<int>> mailbox;
  const auto* first = reinterpret_cast<const char*>(&mailbox.written.slots);
  const auto* last = first + sizeof mailbox.written.slots;
  for (std::uint32_t word = 0; word < 4096; ++word) {
    const std::uint32_t pattern = word < 1024 ? word : word * 2654435761U;
    mailbox.written.newest_pair.store(pattern);
    mailbox.written.newest_slot[0].store(pattern >> 3U);
    mailbox.written.newest_slot[1].store(pattern >> 7U);
    mailbox.read.pair.store(pattern >> 11U);

    const auto taken = mailbox.take();
    mailbox.write(7);
    mailbox.write(8);

    const auto* at = reinterpret_cast<const char*>(taken.value);
    EXPECT_TRUE(at == nullptr || (at >= first && at + sizeof(int) <= last)) << pattern;
    ASSERT_NE(mailbox.take().value, nullptr) << pattern;
    EXPECT_EQ(*mailbox.take().value, 8) << pattern;
  }
}

}  // namespace
}  // namespace kinloop::rt
