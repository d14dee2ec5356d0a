// Tests which lines are held back, and what is told of them.
#include "services/log/repeat_limit.hpp"

#include <gtest/gtest.h>

namespace kinloop::log {
namespace {

constexpr std::chrono::milliseconds kShortly{10};
constexpr std::chrono::seconds kSecond{1};

class RepeatLimitTest : public testing::Test {
 protected:
  bool permits(const std::string& text, const char* site = "a.cpp:1", Level level = Level::kWarning) {
    return limit_.permits(site, level, "io", text, now_);
  }
  int permitted(int times, const std::string& text) {
    int count = 0;
    for (int i = 0; i < times; ++i) count += permits(text) ? 1 : 0;
    return count;
  }

  RepeatLimit limit_;
  RepeatLimit::Time now_{kSecond};
};

TEST_F(RepeatLimitTest, AFewASecondAreWrittenAndTheRestIsCounted) {
  EXPECT_EQ(permitted(1000, "late"), RepeatLimit::kMaxASecond);

  EXPECT_TRUE(limit_.take_ended(now_ + kSecond - kShortly).empty());
  const std::vector<Repeats> ended = limit_.take_ended(now_ + kSecond);

  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].count, 1000 - RepeatLimit::kMaxASecond);
  EXPECT_EQ(ended[0].last_text, "late");
  EXPECT_EQ(ended[0].level, Level::kWarning);
  EXPECT_STREQ(ended[0].part, "io");
  EXPECT_TRUE(limit_.take_ended(now_ + 10 * kSecond).empty()) << "told once";
}

TEST_F(RepeatLimitTest, TheNextSecondBeginsAnew) {
  permitted(1000, "late");
  now_ += kSecond;
  limit_.take_ended(now_);

  EXPECT_EQ(permitted(1000, "late"), RepeatLimit::kMaxASecond);
}

TEST_F(RepeatLimitTest, LinesThatDifferInNumbersAreTheSame) {
  int count = 0;
  for (int step = 0; step < 1000; ++step) count += permits("step " + std::to_string(step) + " is late") ? 1 : 0;

  EXPECT_EQ(count, RepeatLimit::kMaxASecond);
  EXPECT_EQ(limit_.take_ended(now_ + kSecond)[0].last_text, "step 999 is late");
}

TEST_F(RepeatLimitTest, OtherTextsAndOtherSitesAreNotHeldBack) {
  permitted(1000, "late");

  EXPECT_TRUE(permits("early"));
  EXPECT_TRUE(permits("late", "b.cpp:1"));
}

TEST_F(RepeatLimitTest, TheGravestLevelIsTold) {
  permitted(RepeatLimit::kMaxASecond, "late");
  for (const Level level : {Level::kInfo, Level::kError, Level::kDebug}) permits("late", "a.cpp:1", level);

  EXPECT_EQ(limit_.take_ended(now_ + kSecond)[0].level, Level::kError);
}

TEST_F(RepeatLimitTest, NobodyGetsManyLinesByChangingTheText) {
  int count = 0;
  for (int i = 0; i < 2'000; ++i)
    count += permits("a client sent " + std::string(static_cast<std::size_t>(i), 'x')) ? 1 : 0;

  EXPECT_LE(count, static_cast<int>(RepeatLimit::kMaxKinds) + RepeatLimit::kMaxASecond);
  std::int64_t told = 0;
  for (const Repeats& repeats : limit_.take_ended(now_ + kSecond)) told += repeats.count;
  EXPECT_EQ(count + told, 2'000);
}

TEST_F(RepeatLimitTest, NothingIsKeptOfASecondThatIsOver) {
  EXPECT_FALSE(limit_.next_end());
  permits("late");
  EXPECT_EQ(limit_.next_end(), now_ + kSecond);

  limit_.take_ended(now_ + kSecond);

  EXPECT_FALSE(limit_.next_end());
}

}  // namespace
}  // namespace kinloop::log
