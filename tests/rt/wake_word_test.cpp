// Tests how who waits learns of news: by looking, by sleeping, and that none is slept through.
#include "rt/wake_word.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace kinloop::rt {
namespace {

constexpr std::int64_t kLong_ns = 5'000'000'000;
constexpr std::int64_t kShort_ns = 1'000'000;

TEST(WakeWord, NewsSinceTheLastLookAreSeenAtOnce) {
  WakeWord word;
  const std::uint32_t seen = word.seen();

  word.notify();

  EXPECT_TRUE(word.wait(seen, kLong_ns));
  EXPECT_NE(word.seen(), seen);
}

TEST(WakeWord, GivesUpWhereNothingComes) {
  WakeWord word;

  EXPECT_FALSE(word.look_out(word.seen(), kShort_ns));
  EXPECT_FALSE(word.wait(word.seen(), kShort_ns));
}

TEST(WakeWord, LooksOutForNewsOfAnotherThread) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two cores";
  WakeWord word;
  const std::uint32_t seen = word.seen();
  std::thread other([&] { word.notify(); });

  EXPECT_TRUE(word.look_out(seen, kLong_ns));

  other.join();
}

/// Two that answer each other, now looking, now sleeping: a missed wake-up would stop them for seconds.
TEST(WakeWord, NoNewsAreSleptThrough) {
  constexpr int kWakeRounds = 2000;
  WakeWord there;
  WakeWord back;
  std::atomic<int> asked{0};
  std::atomic<int> answered{0};
  const auto await = [](WakeWord& word, const std::atomic<int>& count, int wanted) {
    for (int sleeps = 0; sleeps < 3;) {  // a sleep may end for no reason
      const std::uint32_t seen = word.seen();
      if (count.load() >= wanted) return true;
      if (wanted % 2 == 0 && word.look_out(seen, kShort_ns)) continue;
      if (!word.wait(seen, kLong_ns)) ++sleeps;
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
