// Tests waiting for a signal, spinning and sleeping, and that none is slept through.
#include "rt/ipc/futex_event.hpp"
#include "tests/support/private_memory.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace kinloop::rt {
namespace {

constexpr std::int64_t kAwake_ns = 5'000'000'000;
constexpr std::int64_t kShort_ns = 1'000'000;

TEST(FutexEvent, ASignalSinceTheLastLookIsSeenAtOnce) {
  Private<FutexEvent> event;
  const std::uint32_t seen = event.seen();

  event.notify();

  EXPECT_TRUE(event.wait(seen, kAwake_ns));
  EXPECT_NE(event.seen(), seen);
}

TEST(FutexEvent, GivesUpWhereNothingComes) {
  Private<FutexEvent> event;

  EXPECT_FALSE(event.spin_wait(event.seen(), kShort_ns));
  EXPECT_FALSE(event.wait(event.seen(), kShort_ns));
}

TEST(FutexEvent, SpinsUntilAnotherThreadSignals) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two cores";
  Private<FutexEvent> event;
  const std::uint32_t seen = event.seen();
  std::thread other([&] { event.notify(); });

  EXPECT_TRUE(event.spin_wait(seen, kAwake_ns));

  other.join();
}

/// Two that answer each other, now looking, now sleeping: a missed wake-up would stop them for seconds.
TEST(FutexEvent, NoSignalIsSleptThrough) {
  constexpr int kWakeRounds = 2000;
  Private<FutexEvent> there;
  Private<FutexEvent> back;
  std::atomic<int> asked{0};
  std::atomic<int> answered{0};
  const auto await = [](FutexEvent& event, const std::atomic<int>& count, int wanted) {
    for (int sleeps = 0; sleeps < 3;) {  // a sleep may end for no reason
      const std::uint32_t seen = event.seen();
      if (count.load() >= wanted) return true;
      if (wanted % 2 == 0 && event.spin_wait(seen, kShort_ns)) continue;
      if (!event.wait(seen, kAwake_ns)) ++sleeps;
    }
    return false;
  };
  std::thread other([&] {
    for (int i = 1; i <= kWakeRounds && await(there, asked, i); ++i) {
      answered.store(i);
      back.notify();
    }
  });

  int done = 0;
  while (done < kWakeRounds) {
    asked.store(++done);
    there.notify();
    if (!await(back, answered, done)) break;
  }
  asked.store(kWakeRounds);
  there.notify();
  other.join();

  EXPECT_EQ(done, kWakeRounds);
  EXPECT_EQ(answered.load(), kWakeRounds);
}

}  // namespace
}  // namespace kinloop::rt
