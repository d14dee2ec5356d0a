// Tests when the watchdog trips, on a clock made of numbers.
#include "rt/policies/watchdog.hpp"

#include <gtest/gtest.h>

namespace kinloop::rt {
namespace {

constexpr std::int64_t kTimeout = 50;

TEST(Watchdog, WaitsForTheLoopToStart) {
  Heartbeat heartbeat;
  Watchdog watchdog(Mode::kRealTime, kTimeout);

  EXPECT_EQ(watchdog.look(heartbeat, 0), Health::kNotRunning);
  EXPECT_EQ(watchdog.look(heartbeat, 1000), Health::kNotRunning);
}

TEST(Watchdog, TripsOnceTheSilenceIsLongerThanTheTimeout) {
  Heartbeat heartbeat;
  heartbeat.running = 1;
  Watchdog watchdog(Mode::kRealTime, kTimeout);
  watchdog.look(heartbeat, 100);
  heartbeat.iterations = 5;
  heartbeat.beat_ns = 103;

  EXPECT_EQ(watchdog.look(heartbeat, 110), Health::kHealthy);
  EXPECT_EQ(watchdog.look(heartbeat, 153), Health::kHealthy);
  EXPECT_EQ(watchdog.look(heartbeat, 154), Health::kTripped);
  EXPECT_EQ(watchdog.silent_ns(), 51);
}

TEST(Watchdog, StaysTrippedWhateverComes) {
  Heartbeat heartbeat;
  heartbeat.running = 1;
  Watchdog watchdog(Mode::kRealTime, kTimeout);
  watchdog.look(heartbeat, 0);
  watchdog.look(heartbeat, 100);
  heartbeat.iterations = 9;

  EXPECT_EQ(watchdog.look(heartbeat, 101), Health::kTripped);
}

TEST(Watchdog, IterationsKeepItQuiet) {
  Heartbeat heartbeat;
  heartbeat.running = 1;
  Watchdog watchdog(Mode::kRealTime, kTimeout);

  for (int i = 0; i < 100; ++i) {
    heartbeat.iterations = static_cast<std::uint64_t>(i);
    heartbeat.beat_ns = 40 * i;
    EXPECT_EQ(watchdog.look(heartbeat, 40 * i), Health::kHealthy);
  }
}

TEST(Watchdog, InLockstepOnlyTheTimeInsideATickCounts) {
  Heartbeat heartbeat;
  heartbeat.running = 1;
  Watchdog watchdog(Mode::kLockstep, kTimeout);

  EXPECT_EQ(watchdog.look(heartbeat, 0), Health::kHealthy);
  EXPECT_EQ(watchdog.look(heartbeat, 10'000), Health::kHealthy);
  heartbeat.in_tick = 1;
  EXPECT_EQ(watchdog.look(heartbeat, 10'040), Health::kHealthy);
  EXPECT_EQ(watchdog.look(heartbeat, 10'051), Health::kTripped);
}

TEST(Watchdog, AProperEndIsNoTrip) {
  Heartbeat heartbeat;
  heartbeat.running = 1;
  Watchdog watchdog(Mode::kRealTime, kTimeout);
  watchdog.look(heartbeat, 0);
  heartbeat.running = 0;

  EXPECT_EQ(watchdog.look(heartbeat, 1000), Health::kNotRunning);
}

}  // namespace
}  // namespace kinloop::rt
