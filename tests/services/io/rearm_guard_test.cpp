// Tests that what waited while io stood still lifts no stop that came meanwhile, and that nothing else is refused.
#include "services/io/rearm_guard.hpp"

#include <gtest/gtest.h>

#include "tests/support/private_memory.hpp"

namespace kinloop::io {
namespace {

constexpr std::int64_t kMillisecond_ns = 1'000'000;

class RearmGuardTest : public testing::Test {
 protected:
  void stop() { rt::ask_stop(memory_->stops, rt::StopWriter::kSupervisor, memory_->heartbeat.iterations); }

  const std::unique_ptr<rt::PrivateMemory> memory_ = std::make_unique<rt::PrivateMemory>();
  RearmGuard guard_{memory_->stops};
};

TEST_F(RearmGuardTest, AStopOfBeforeMayBeLifted) {
  guard_.begin_round(1000 * kMillisecond_ns);
  stop();
  EXPECT_TRUE(guard_.may_rearm()) << "in the same round: it was confirmed, and re-armed";
  guard_.begin_round(1020 * kMillisecond_ns);
  EXPECT_TRUE(guard_.may_rearm());
}

TEST_F(RearmGuardTest, WhatWaitedWhileIoStoodStillLiftsNoStopThatCameMeanwhile) {
  guard_.begin_round(1000 * kMillisecond_ns);
  stop();
  guard_.begin_round(2500 * kMillisecond_ns);

  EXPECT_FALSE(guard_.may_rearm());
  guard_.has_read_all();
  guard_.begin_round(2510 * kMillisecond_ns);
  EXPECT_FALSE(guard_.may_rearm()) << "it may be with a thread of ZeroMQ";
  guard_.begin_round(3500 * kMillisecond_ns);
  EXPECT_FALSE(guard_.may_rearm()) << "requests still wait";
  guard_.has_read_all();
  EXPECT_TRUE(guard_.may_rearm()) << "this one was asked for afterwards";
}

TEST_F(RearmGuardTest, WithoutAStopNothingIsRefused) {
  stop();
  guard_.begin_round(1000 * kMillisecond_ns);
  guard_.begin_round(9000 * kMillisecond_ns);

  EXPECT_TRUE(guard_.may_rearm());
}

}  // namespace
}  // namespace kinloop::io
