// Tests who may command which actuator, what becomes of frames, and that none of it allocates.
#include "services/io/command_arbiter.hpp"

#include <gtest/gtest.h>

#include <array>

#include "services/wire/frame_codec.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/private_memory.hpp"

namespace kinloop::io {
namespace {

constexpr std::uint64_t kSchema = 77;
constexpr std::int64_t kArbiterSecond = 1'000'000'000;

struct ArbiterFixture {
  explicit ArbiterFixture(rt::Mode mode = rt::Mode::kRealTime) : arbiter(kSchema, 3, mode, *memory) {}

  std::uint64_t lease(std::vector<std::size_t> actuators, std::int64_t now_ns = 0) {
    const auto lease = arbiter.acquire(actuators, "test", 1.0, now_ns);
    EXPECT_TRUE(lease);
    return lease ? lease->id : 0;
  }
  static v1::ActuatorFrame frame(std::uint64_t lease, std::uint64_t sequence, std::vector<double> values) {
    v1::ActuatorFrame frame;
    frame.set_schema_hash(kSchema);
    frame.set_lease(lease);
    frame.set_sequence(sequence);
    frame.mutable_value()->Assign(values.begin(), values.end());
    return frame;
  }
  v1::ErrorCode code(const v1::ActuatorFrame& frame, std::int64_t now_ns = 0) {
    const auto error = arbiter.take(frame, now_ns);
    return error ? error->code() : v1::ERROR_CODE_UNSPECIFIED;
  }
  rt::Command newest() {
    const auto taken = memory->command.take();
    return taken.value != nullptr ? *taken.value : rt::Command{};
  }

  std::unique_ptr<rt::PrivateMemory> memory = std::make_unique<rt::PrivateMemory>();
  CommandArbiter arbiter;
};

TEST(CommandArbiter, AFrameReachesTheActuatorsOfItsLeaseAlone) {
  ArbiterFixture d;
  const std::uint64_t lease = d.lease({2, 0});

  EXPECT_EQ(d.code(ArbiterFixture::frame(lease, 1, {5.0, 6.0})), v1::ERROR_CODE_UNSPECIFIED);

  const rt::Command command = d.newest();
  EXPECT_EQ(command.value[2], 5.0);
  EXPECT_EQ(command.value[0], 6.0);
  EXPECT_EQ(command.given[1], 0U) << "nobody commands it";
}

TEST(CommandArbiter, TwoWritersDoNotRefreshEachOthersValues) {
  ArbiterFixture d;
  const std::uint64_t one = d.lease({0});
  const std::uint64_t two = d.lease({1, 2});
  d.code(ArbiterFixture::frame(one, 1, {1.0}));
  const rt::Command first = d.newest();

  d.code(ArbiterFixture::frame(two, 1, {2.0, 3.0}));
  const rt::Command second = d.newest();

  EXPECT_EQ(second.value[0], 1.0);
  EXPECT_EQ(second.given[0], first.given[0]) << "its value is as old as it was";
  EXPECT_EQ(second.given[1], 1U);
}

TEST(CommandArbiter, RefusesByTypeWhatItMust) {
  ArbiterFixture d;
  const std::uint64_t lease = d.lease({0, 1, 2});
  v1::ActuatorFrame other = ArbiterFixture::frame(lease, 1, {1, 2, 3});
  other.set_schema_hash(1);

  EXPECT_EQ(d.code(other), v1::ERROR_CODE_SCHEMA);
  EXPECT_EQ(d.code(ArbiterFixture::frame(lease + 1, 1, {1, 2, 3})), v1::ERROR_CODE_NO_LEASE);
  EXPECT_EQ(d.code(ArbiterFixture::frame(lease, 1, {1, 2})), v1::ERROR_CODE_INVALID);
  EXPECT_EQ(d.code(ArbiterFixture::frame(lease, 5, {1, 2, 3})), v1::ERROR_CODE_UNSPECIFIED);
  EXPECT_EQ(d.code(ArbiterFixture::frame(lease, 5, {1, 2, 3})), v1::ERROR_CODE_REPLAYED);
  EXPECT_EQ(d.code(ArbiterFixture::frame(lease, 4, {1, 2, 3})), v1::ERROR_CODE_REPLAYED);
  EXPECT_EQ(d.arbiter.counters().refused(), 5);
  EXPECT_EQ(d.arbiter.counters().taken, 1);
}

TEST(CommandArbiter, ALeaseEndsWhenNothingIsHeardAndTheActuatorIsFreeAgain) {
  ArbiterFixture d;
  const std::uint64_t lease = d.lease({0});
  const std::array<std::size_t, 1> wanted = {0};
  EXPECT_FALSE(d.arbiter.acquire(wanted, "other", 1.0, kArbiterSecond / 2));
  EXPECT_EQ(d.code(ArbiterFixture::frame(lease, 1, {1.0}), kArbiterSecond / 2), v1::ERROR_CODE_UNSPECIFIED)
      << "and is renewed";
  EXPECT_TRUE(d.arbiter.expire(kArbiterSecond).empty());

  const auto over = d.arbiter.expire(2 * kArbiterSecond);

  ASSERT_EQ(over.size(), 1U);
  EXPECT_EQ(d.code(ArbiterFixture::frame(lease, 2, {1.0}), 2 * kArbiterSecond), v1::ERROR_CODE_NO_LEASE);
  EXPECT_TRUE(d.arbiter.acquire(wanted, "other", 1.0, 2 * kArbiterSecond));
}

TEST(CommandArbiter, InLockstepEveryFrameReleasesOneStepUntilTheQueueIsFull) {
  ArbiterFixture d(rt::Mode::kLockstep);
  const std::uint64_t lease = d.lease({0, 1, 2});
  std::uint64_t taken = 0;
  while (d.code(ArbiterFixture::frame(lease, taken + 1, {1, 2, 3})) == v1::ERROR_CODE_UNSPECIFIED) ++taken;

  EXPECT_EQ(taken, 64U);
  rt::Command command;
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < taken; ++i) {
    ASSERT_TRUE(d.memory->releases.pop(command));
    EXPECT_GT(command.release, last);
    last = command.release;
  }
}

TEST(CommandArbiter, ValuesOfAFrameThatFoundNoRoomDoNotLeaveWithTheNext) {
  ArbiterFixture d(rt::Mode::kLockstep);
  const std::uint64_t one = d.lease({0});
  const std::uint64_t two = d.lease({1});
  std::uint64_t sequence = 0;
  while (d.code(ArbiterFixture::frame(one, ++sequence, {1.0})) == v1::ERROR_CODE_UNSPECIFIED) continue;
  EXPECT_EQ(d.code(ArbiterFixture::frame(one, ++sequence, {47.0})), v1::ERROR_CODE_BUSY);
  rt::Command command;
  while (d.memory->releases.pop(command)) continue;

  EXPECT_EQ(d.code(ArbiterFixture::frame(two, 1, {2.0})), v1::ERROR_CODE_UNSPECIFIED);

  const std::uint32_t given = command.given[0];
  ASSERT_TRUE(d.memory->releases.pop(command));
  EXPECT_EQ(command.value[0], 1.0);
  EXPECT_EQ(command.given[0], given);
}

TEST(CommandArbiter, AHundredThousandFramesFromBytesToPlantAndBackAllocateNothing) {
  ArbiterFixture d;
  const std::uint64_t lease = d.lease({0, 1, 2});
  v1::ActuatorFrame sent = ArbiterFixture::frame(lease, 1, {1, 2, 3});
  sent.set_sent_ns(1);
  sent.set_rearm(1);
  std::array<char, 256> bytes{};
  v1::ActuatorFrame received;
  wire::FrameEncoder encoder(kSchema);
  rt::SensorFrame frame;
  frame.count = 20;
  std::size_t sum = 0;
  const auto once = [&](std::uint64_t i) {
    sent.set_sequence(i);
    const auto size = sent.ByteSizeLong();
    sent.SerializeToArray(bytes.data(), static_cast<int>(bytes.size()));
    received.Clear();
    ASSERT_TRUE(wire::decode({bytes.data(), size}, received));
    ASSERT_FALSE(d.arbiter.take(received, 0));
    frame.step = i;
    sum += encoder.encode(frame, i).size() + encoder.encode_answer(i, frame, i).size();
  };
  for (std::uint64_t i = 1; i <= 10; ++i) once(i);

  const AllocationCount allocations;
  for (std::uint64_t i = 11; i <= 100'010; ++i) once(i);

  EXPECT_EQ(allocations.value(), 0);
  EXPECT_GT(sum, 100'000U);
}

TEST(FrameCodec, FramesComeBackAsTheyWere) {
  rt::SensorFrame frame;
  frame.step = 12;
  frame.time_s = 0.25;
  frame.count = 2;
  frame.value = {1.5, -2.5};
  frame.quality = {rt::sensor_flag::kLost, rt::sensor_flag::kInvalid};
  frame.flags = rt::frame_flag::kStale;
  frame.state_hash = 0xFEDCBA9876543210;
  wire::FrameEncoder encoder(kSchema);
  v1::SensorFrame wire;

  const wire::Bytes bytes = encoder.encode(frame, 3);
  ASSERT_TRUE(wire.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));

  EXPECT_EQ(wire.step(), 12U);
  EXPECT_EQ(wire.sequence(), 3U);
  EXPECT_EQ(wire.schema_hash(), kSchema);
  EXPECT_EQ(wire.value(1), -2.5);
  EXPECT_EQ(wire.quality()[1], v1::SENSOR_FLAG_INVALID);
  EXPECT_EQ(wire.flags(), static_cast<std::uint32_t>(v1::FRAME_FLAG_STALE));
  EXPECT_EQ(wire.state_hash(), frame.state_hash);
}

}  // namespace
}  // namespace kinloop::io
