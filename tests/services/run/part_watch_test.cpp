// Tests who is missed: the builder of plants, and a plant that neither starts nor ends.
#include "services/run/part_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/private_memory.hpp"

namespace kinloop::run {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;

struct WatchedParts {
  const std::unique_ptr<rt::PrivateMemory> memory = std::make_unique<rt::PrivateMemory>();
  std::ostringstream said;
  log::Log log{{log::Level::kWarning, log::Format::kText}, {&said}};
  rt::Beat thread;
  int missed = 0;
  PartWatch watch{*memory,
                  kSecond_ns,
                  {{"the thread", &thread, 2 * kSecond_ns, WatchedThread::Process::kOwn, [this] { ++missed; }}},
                  log::Logger(log, "test")};
};

TEST(PartWatch, ABuilderThatIsSilentIsMissedOnceItWasThere) {
  WatchedParts parts;
  EXPECT_TRUE(parts.watch.are_well(1000 * kSecond_ns, nullptr)) << "it was never there";
  parts.memory->builder_beat.show(1000 * kSecond_ns);

  EXPECT_TRUE(parts.watch.are_well(1059 * kSecond_ns, nullptr));
  EXPECT_FALSE(parts.watch.are_well(1061 * kSecond_ns, nullptr));
  EXPECT_FALSE(parts.watch.are_well(1062 * kSecond_ns, nullptr));
  parts.memory->builder_beat.show(1063 * kSecond_ns);
  EXPECT_TRUE(parts.watch.are_well(1064 * kSecond_ns, nullptr));

  parts.log.close();
  EXPECT_EQ(parts.said.str(), "the thread that rebuilds plants shows no life\n");
}

TEST(PartWatch, AThreadOfItsOwnThatIsSilentIsToldOnceAndActedUponAsLongAsItIs) {
  WatchedParts parts;
  parts.thread.show(10 * kSecond_ns);

  const auto looks = [&](std::int64_t half_seconds) {
    int answers = 0;
    for (std::int64_t i = 20; i <= half_seconds; ++i)
      answers += parts.watch.are_well(i * kSecond_ns / 2, nullptr) ? 1 : 0;
    return answers;
  };

  EXPECT_EQ(looks(30), 5) << "from 10 s to 12 s";
  EXPECT_EQ(parts.missed, 6);
  parts.log.close();
  EXPECT_EQ(parts.said.str(), "the thread shows no life\n");
}

TEST(PartWatch, WhoWasStoppedGivesItsOwnThreadsTheirTimeAnew) {
  WatchedParts parts;
  parts.thread.show(10 * kSecond_ns);
  ASSERT_TRUE(parts.watch.are_well(10 * kSecond_ns, nullptr));

  EXPECT_TRUE(parts.watch.are_well(20 * kSecond_ns, nullptr)) << "all of the process stood still";
  EXPECT_TRUE(parts.watch.are_well(21 * kSecond_ns, nullptr));
  EXPECT_TRUE(parts.watch.are_well(22 * kSecond_ns, nullptr));
  EXPECT_FALSE(parts.watch.are_well(22 * kSecond_ns + 1, nullptr)) << "and this one still does";
}

class SilentIo final : public IoRunner {
 public:
  explicit SilentIo(std::int64_t restart_ns) : restart_ns_(restart_ns) {}
  void tend(std::int64_t /*now_ns*/) override {}
  bool answers(std::int64_t now_ns) const override { return now_ns <= 100 * kSecond_ns || now_ns >= 200 * kSecond_ns; }
  std::int64_t longest_restart_ns() const noexcept override { return restart_ns_; }
  void stop() override {}

 private:
  std::int64_t restart_ns_;
};

TEST(PartWatch, AnIoThatIsStartedAgainHasTheTimeThatThisMayTake) {
  WatchedParts parts;
  const SilentIo io(23 * kSecond_ns);
  ASSERT_TRUE(parts.watch.are_well(100 * kSecond_ns, &io));

  EXPECT_TRUE(parts.watch.are_well(122 * kSecond_ns, &io));
  EXPECT_FALSE(parts.watch.are_well(123 * kSecond_ns, &io));
  EXPECT_FALSE(parts.watch.are_well(199 * kSecond_ns, &io)) << "not for every one that dies before it is up";
  EXPECT_TRUE(parts.watch.are_well(200 * kSecond_ns, &io));
}

TEST(PartWatch, AnIoThatNothingStartsAgainHasNone) {
  WatchedParts parts;
  const SilentIo io(0);
  ASSERT_TRUE(parts.watch.are_well(100 * kSecond_ns, &io));

  EXPECT_FALSE(parts.watch.are_well(100 * kSecond_ns + 1, &io));
}

TEST(PartWatch, AThreadOfItsOwnIsMissedWhileIoIsStartedAgain) {
  WatchedParts parts;
  const SilentIo io(23 * kSecond_ns);
  parts.thread.show(99 * kSecond_ns);
  for (std::int64_t half = 200; half <= 204; ++half) {  // from the first look on the thread has its time
    ASSERT_TRUE(parts.watch.are_well(half * kSecond_ns / 2, &io)) << "io has its time, and the thread is in time";
  }

  EXPECT_FALSE(parts.watch.are_well(102 * kSecond_ns + 1, &io));
}

TEST(PartWatch, APlantThatDoesNotStartIsLateOnce) {
  WatchedParts parts;

  EXPECT_FALSE(parts.watch.plant_is_late(60 * kSecond_ns));
  EXPECT_TRUE(parts.watch.plant_is_late(62 * kSecond_ns));
  EXPECT_FALSE(parts.watch.plant_is_late(63 * kSecond_ns));
}

TEST(PartWatch, APlantThatRunsIsNeverLate) {
  WatchedParts parts;
  parts.memory->heartbeat.running = 1;
  parts.memory->heartbeat.iterations = 5;

  EXPECT_FALSE(parts.watch.plant_is_late(1000 * kSecond_ns));
}

TEST(PartWatch, APlantThatDoesNotEndIsLate) {
  for (const bool is_asked : {true, false}) {
    WatchedParts parts;
    parts.memory->heartbeat.running = 1;
    parts.memory->heartbeat.iterations = 5;
    EXPECT_FALSE(parts.watch.plant_is_late(100 * kSecond_ns));

    if (is_asked) {
      parts.memory->stop = 1;
    } else {
      parts.memory->heartbeat.running = 0;  // its loop has ended, its process has not
    }

    EXPECT_FALSE(parts.watch.plant_is_late(109 * kSecond_ns));
    EXPECT_TRUE(parts.watch.plant_is_late(111 * kSecond_ns));
  }
}

}  // namespace
}  // namespace kinloop::run
