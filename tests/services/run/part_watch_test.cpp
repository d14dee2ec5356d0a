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
  PartWatch watch{*memory, kSecond_ns, log::Logger(log, "test")};
};

TEST(PartWatch, ABuilderThatIsSilentIsMissedOnceItWasThere) {
  WatchedParts parts;
  EXPECT_TRUE(parts.watch.answer(1000 * kSecond_ns, nullptr, nullptr)) << "it was never there";
  parts.memory->builder_beat.show(1000 * kSecond_ns);

  EXPECT_TRUE(parts.watch.answer(1059 * kSecond_ns, nullptr, nullptr));
  EXPECT_FALSE(parts.watch.answer(1061 * kSecond_ns, nullptr, nullptr));
  EXPECT_FALSE(parts.watch.answer(1062 * kSecond_ns, nullptr, nullptr));
  parts.memory->builder_beat.show(1063 * kSecond_ns);
  EXPECT_TRUE(parts.watch.answer(1064 * kSecond_ns, nullptr, nullptr));

  parts.log.close();
  EXPECT_EQ(parts.said.str(), "the thread that rebuilds plants shows no life\n");
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
