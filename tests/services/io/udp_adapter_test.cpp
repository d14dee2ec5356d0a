// Tests which datagrams move the machine, which do not, and where frames go.
#include "services/io/udp_adapter.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/services/io/udp_wire.hpp"
#include "tests/support/allocation_count.hpp"

namespace kinloop::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> values_of(const rt::Command& command) {
  return {command.value.begin(), command.value.begin() + command.count};
}

TEST(UdpAdapter, ACommandReachesThePlant) {
  Wire wire;

  wire.command(7, {1.5, -2.5});

  const auto command = wire.bench.command();
  ASSERT_TRUE(command);
  EXPECT_EQ(command->sequence, 7U);
  EXPECT_THAT(values_of(*command), ElementsAre(1.5, -2.5));
  EXPECT_EQ(wire.adapter->count(UdpCount::kTaken), 1);
  EXPECT_EQ(wire.adapter->trouble(), "");
}

TEST(UdpAdapter, ValuesAreInTheOrderThatTheRigGives) {
  Wire wire("real_time", ", actuators: [hand, belt]");

  wire.command(1, {1.5, -2.5}, 0b01);

  const auto command = wire.bench.command();
  ASSERT_TRUE(command);
  EXPECT_THAT(values_of(*command), ElementsAre(-2.5, 1.5));
  EXPECT_EQ(command->rearm, 0b10U) << "the hand's bit";
}

TEST(UdpAdapter, TheFirstCommandTakesTheLeaseAndSilenceEndsIt) {
  Wire wire;

  EXPECT_TRUE(wire.bench.arbiter.leases().empty());
  wire.command(1, {0.0, 0.0});
  wire.command(2, {0.0, 0.0});
  EXPECT_EQ(wire.bench.arbiter.leases().size(), 1U);
  wire.now_ns += 99 * kMillisecond_ns;
  EXPECT_TRUE(wire.bench.arbiter.expire(wire.now_ns).empty());
  wire.now_ns += kMillisecond_ns;
  EXPECT_EQ(wire.bench.arbiter.expire(wire.now_ns).size(), 1U);

  wire.command(3, {0.0, 0.0});
  EXPECT_EQ(wire.bench.arbiter.leases().size(), 1U);
  EXPECT_EQ(wire.adapter->count(UdpCount::kTaken), 3);
}

TEST(UdpAdapter, ALeaseThatIsOverIsTakenAgainEvenIfNobodyClearedItAway) {
  Wire wire;
  wire.command(1, {0.0, 0.0});

  wire.now_ns += 200 * kMillisecond_ns;
  wire.command(2, {0.0, 0.0});

  EXPECT_EQ(wire.bench.arbiter.leases().size(), 1U);
  EXPECT_EQ(wire.adapter->count(UdpCount::kTaken), 2);
}

TEST(UdpAdapter, CommandsForActuatorsOfSomebodyElseAreDropped) {
  Wire wire;
  const std::vector<std::size_t> hand = {1};
  const auto other = wire.bench.arbiter.acquire(hand, "a client with quite a long name", 1.0, wire.now_ns);
  ASSERT_TRUE(other);

  wire.command(1, {1.0, 1.0});
  EXPECT_FALSE(wire.bench.command());
  EXPECT_EQ(wire.adapter->count(UdpCount::kNotFree), 1);
  wire.bench.arbiter.release(other->id);
  wire.command(2, {1.0, 1.0});

  EXPECT_TRUE(wire.bench.command());
  EXPECT_THAT(wire.adapter->trouble(), HasSubstr("1 for actuators that somebody else holds"));
}

TEST(UdpAdapter, EveryFlawIsCountedUnderItsName) {
  Wire wire;
  const auto good = command_bytes(wire.layout.hash, 1, {1.0, 2.0});
  const auto with = [&](std::size_t place, int byte) {
    auto bytes = good;
    bytes[place] ^= static_cast<std::byte>(byte);
    return bytes;
  };
  auto longer = good;
  longer.push_back(std::byte{0});
  const std::vector<std::byte> huge(9000);

  wire.put(std::span(good).first(31));
  wire.put(std::span(good).first(good.size() - 1));
  wire.put({});
  wire.put(longer);
  wire.put(huge);
  wire.put(with(6, 1));  // the count
  EXPECT_EQ(wire.adapter->count(UdpCount::kSize), 6);
  wire.put(with(0, 1));
  EXPECT_EQ(wire.adapter->count(UdpCount::kMagic), 1);
  wire.put(with(4, 2));
  EXPECT_EQ(wire.adapter->count(UdpCount::kVersion), 1);
  wire.put(with(8, 1));
  EXPECT_EQ(wire.adapter->count(UdpCount::kLayout), 1);
  wire.command(1, {1.0, kNaN});
  wire.command(1, {std::numeric_limits<double>::infinity(), 1.0});
  EXPECT_EQ(wire.adapter->count(UdpCount::kNotFinite), 2);

  EXPECT_FALSE(wire.bench.command());
  EXPECT_TRUE(wire.bench.arbiter.leases().empty());
  EXPECT_EQ(wire.adapter->refused(), 11);
  EXPECT_THAT(wire.adapter->trouble(), HasSubstr("commands refused: 6 of another size, 1 no command at all"));
}

TEST(UdpAdapter, ASequenceThatDoesNotGoUpIsAReplay) {
  Wire wire;

  wire.command(0, {1.0, 1.0});
  wire.command(5, {1.0, 1.0});
  wire.command(5, {2.0, 2.0});
  wire.command(1, {2.0, 2.0});

  EXPECT_EQ(wire.adapter->count(UdpCount::kReplayed), 3);
  EXPECT_THAT(values_of(*wire.bench.command()), ElementsAre(1.0, 1.0));
}

TEST(UdpAdapter, OneForgedSequenceDoesNotSilenceTheTrueController) {
  Wire wire;
  wire.command(5, {1.0, 1.0});

  wire.command(std::numeric_limits<std::uint64_t>::max(), {9.0, 9.0});
  EXPECT_EQ(wire.adapter->count(UdpCount::kJumped), 1);
  wire.command(6, {2.0, 2.0});

  EXPECT_THAT(values_of(*wire.bench.command()), ElementsAre(2.0, 2.0));
  EXPECT_THAT(wire.adapter->trouble(), HasSubstr("1 whose sequence went up too far"));
}

TEST(UdpAdapter, ASequenceThatWasBroughtOutOfPlaceIsFoundAgain) {
  for (const std::uint64_t forged : {std::numeric_limits<std::uint64_t>::max(), std::uint64_t{60'000}}) {
    Wire wire;
    wire.command(forged, {9.0, 9.0});  // the first of all: whatever it is
    ASSERT_EQ(wire.adapter->count(UdpCount::kTaken), 1);

    std::uint64_t sequence = 5000;
    for (int i = 1; i < UdpAdapter::kMinRun; ++i) wire.command(sequence++, {1.0, 1.0});
    EXPECT_EQ(wire.adapter->count(UdpCount::kTaken), 1) << "late ones of a network look like this too";
    wire.command(sequence++, {1.0, 1.0});
    EXPECT_EQ(wire.adapter->count(UdpCount::kTaken), 2);
    wire.command(sequence++, {2.0, 2.0});

    EXPECT_THAT(values_of(*wire.bench.command()), ElementsAre(2.0, 2.0));
  }
}

TEST(UdpAdapter, OldDatagramsBetweenNewOnesAreNeverBelieved) {
  Wire wire;
  wire.command(1000, {1.0, 1.0});

  for (std::uint64_t i = 0; i < 100; ++i) {
    wire.command(10 + i, {9.0, 9.0});
    wire.command(1001 + i, {1.0, 1.0});
  }

  EXPECT_EQ(wire.adapter->count(UdpCount::kReplayed), 100);
  EXPECT_THAT(values_of(*wire.bench.command()), ElementsAre(1.0, 1.0));
}

TEST(UdpAdapter, WhoCommandsGetsAtMostOneFrameForEachDatagram) {
  Wire wire;
  wire.command(1, {0.0, 0.0});
  wire.command(2, {0.0, 0.0});
  rt::SensorFrame frame;

  for (frame.step = 1; frame.step <= 1000; ++frame.step) wire.adapter->send(frame, wire.now_ns);

  EXPECT_EQ(wire.adapter->count(UdpCount::kSent), 2);
  for (std::uint64_t i = 3; i < 100; ++i) wire.command(i, {0.0, 0.0});
  for (; frame.step <= 2000; ++frame.step) wire.adapter->send(frame, wire.now_ns);
  EXPECT_EQ(wire.adapter->count(UdpCount::kSent), 2 + UdpAdapter::kMaxOwed)
      << "what was not called for is not saved up";
}

TEST(UdpAdapter, HostsThatTheRigDoesNotNameGetNothingAndMoveNothing) {
  Wire wire("real_time", ", senders: [127.0.0.2]");

  wire.command(1, {1.0, 1.0});  // from 127.0.0.1
  rt::SensorFrame frame;
  wire.adapter->send(frame, wire.now_ns);

  EXPECT_FALSE(wire.bench.command());
  EXPECT_EQ(wire.adapter->count(UdpCount::kStranger), 1);
  EXPECT_EQ(wire.adapter->count(UdpCount::kSent), 0);
}

TEST(UdpAdapter, AControllerThatStartsAgainBeginsWithOneOnceItsLeaseIsOver) {
  Wire wire;
  wire.command(5, {1.0, 1.0});
  wire.now_ns += 101 * kMillisecond_ns;

  wire.command(4, {2.0, 2.0});
  EXPECT_EQ(wire.adapter->count(UdpCount::kReplayed), 1) << "an old datagram, not a start";
  wire.command(1, {3.0, 3.0});
  wire.command(2, {4.0, 4.0});

  EXPECT_EQ(wire.adapter->count(UdpCount::kTaken), 3);
  EXPECT_THAT(values_of(*wire.bench.command()), ElementsAre(4.0, 4.0));
}

TEST(UdpAdapter, WhileALeaseLastsItIsItsSendersAlone) {
  Wire wire;
  UdpClient other;
  wire.command(1, {1.0, 1.0});

  wire.put(command_bytes(wire.layout.hash, 2, {9.0, 9.0}), other);
  EXPECT_EQ(wire.adapter->count(UdpCount::kOtherSender), 1);
  wire.now_ns += 101 * kMillisecond_ns;
  wire.put(command_bytes(wire.layout.hash, 2, {9.0, 9.0}), other);

  EXPECT_THAT(values_of(*wire.bench.command()), ElementsAre(9.0, 9.0));
  wire.adapter->send(frame_of(1), wire.now_ns);
  EXPECT_TRUE(other.has_mail());
  EXPECT_FALSE(wire.controller.has_mail());
}

TEST(UdpAdapter, AFrameHoldsWhatTheHeaderSaysAndTheChosenSensors) {
  Wire wire("real_time", ", sensors: [angle, position]");
  for (std::uint64_t i = 1; i <= 2; ++i) wire.command(i, {0.0, 0.0});
  rt::SensorFrame frame = frame_of(42);
  frame.flags = rt::frame_flag::kOverrun | rt::frame_flag::kStale;
  frame.command_sequence = 41;
  frame.command_age_ticks = 3;
  frame.state_hash = 0x123456789abcdef0U;

  wire.adapter->send(frame_of(41), wire.now_ns);
  wire.adapter->send(frame, wire.now_ns);

  std::array<std::byte, 2000> bytes{};
  EXPECT_EQ(wire.controller.receive(bytes), 64U + 2 * 8);
  EXPECT_EQ(number_in<std::uint64_t>(bytes, 16), 1U);
  ASSERT_EQ(wire.controller.receive(bytes), 64U + 2 * 8);
  EXPECT_EQ(number_in<std::uint32_t>(bytes, 0), 0x3153534bU);
  EXPECT_EQ(number_in<std::uint16_t>(bytes, 4), 1U);
  EXPECT_EQ(number_in<std::uint16_t>(bytes, 6), 2U);
  EXPECT_EQ(number_in<std::uint64_t>(bytes, 8), wire.layout.hash);
  EXPECT_EQ(number_in<std::uint64_t>(bytes, 16), 2U);
  EXPECT_EQ(number_in<std::uint64_t>(bytes, 24), 42U);
  EXPECT_EQ(number_in<double>(bytes, 32), frame.time_s);
  EXPECT_EQ(number_in<std::uint64_t>(bytes, 40), 41U);
  EXPECT_EQ(number_in<std::uint64_t>(bytes, 48), frame.state_hash);
  EXPECT_EQ(number_in<std::uint32_t>(bytes, 56), frame.flags);
  EXPECT_EQ(number_in<std::uint32_t>(bytes, 60), 3U);
  EXPECT_EQ(number_in<double>(bytes, 64), 3.25);
  EXPECT_EQ(number_in<double>(bytes, 72), 0.5);
}

TEST(UdpAdapter, NobodyGetsFramesBeforeSomebodyCommands) {
  Wire wire;

  wire.adapter->send(frame_of(1), wire.now_ns);

  EXPECT_EQ(wire.adapter->count(UdpCount::kSent), 0);
}

TEST(UdpAdapter, APeerGetsFramesWhoeverCommands) {
  UdpClient display;
  Wire wire("real_time", "", [&](UdpAdapterSpec& spec) {
    spec.peer = "127.0.0.1";
    spec.peer_port = display.address().port();
  });

  wire.adapter->send(frame_of(1), wire.now_ns);
  wire.command(1, {0.0, 0.0});
  wire.adapter->send(frame_of(2), wire.now_ns);

  std::array<std::byte, 2000> bytes{};
  display.receive(bytes);
  display.receive(bytes);
  EXPECT_EQ(number_in<std::uint64_t>(bytes, 24), 2U);
  EXPECT_FALSE(wire.controller.has_mail());
}

TEST(UdpAdapter, ARateThinsFramesButNotThoseOfAFault) {
  Wire wire("real_time", ", rate: 250 Hz");
  for (std::uint64_t i = 1; i <= 3; ++i) wire.command(i, {0.0, 0.0});

  for (std::uint64_t step = 1; step <= 8; ++step) wire.adapter->send(frame_of(step), wire.now_ns);
  EXPECT_EQ(wire.adapter->count(UdpCount::kSent), 2);
  rt::SensorFrame fault = frame_of(9);
  fault.flags = rt::frame_flag::kFaulted;
  wire.adapter->send(fault, wire.now_ns);

  EXPECT_EQ(wire.adapter->count(UdpCount::kSent), 3);
}

TEST(UdpAdapter, InLockstepEachCommandReleasesAStepAndIsAnswered) {
  Wire wire("lockstep", ", rate: 10 Hz");

  wire.command(1, {1.0, 0.0});
  wire.command(2, {2.0, 0.0});

  for (std::uint64_t step = 1; step <= 2; ++step) {
    EXPECT_TRUE(wire.adapter->is_waiting());
    const auto release = wire.bench.release();
    ASSERT_TRUE(release);
    EXPECT_EQ(release->value[0], static_cast<double>(step));
    rt::SensorFrame frame = frame_of(step);
    frame.release = release->release;
    wire.adapter->send(frame, wire.now_ns);
    std::array<std::byte, 2000> bytes{};
    wire.controller.receive(bytes);
    EXPECT_EQ(number_in<std::uint64_t>(bytes, 24), step) << "whatever the rate";
  }
  EXPECT_FALSE(wire.adapter->is_waiting());
  EXPECT_FALSE(wire.bench.release());
}

TEST(UdpAdapter, InLockstepAPeerGetsStepsOfOthersAtTheRate) {
  UdpClient display;
  Wire wire("lockstep", ", rate: 100 Hz", [&](UdpAdapterSpec& spec) {
    spec.peer = "127.0.0.1";
    spec.peer_port = display.address().port();
  });
  wire.command(1, {1.0, 0.0});
  const auto release = wire.bench.release();
  ASSERT_TRUE(release);
  rt::SensorFrame frame = frame_of(1);
  frame.release = release->release;
  wire.adapter->send(frame, wire.now_ns);

  for (std::uint64_t step = 2; step <= 10; ++step) wire.adapter->send(frame_of(step), wire.now_ns);

  EXPECT_EQ(wire.adapter->count(UdpCount::kSent), 2);
}

TEST(UdpAdapter, InLockstepMoreCommandsThanFitAreDroppedAndCounted) {
  Wire wire("lockstep");

  for (std::uint64_t i = 1; i <= 70; ++i) wire.command(i, {0.0, 0.0});

  EXPECT_EQ(wire.adapter->count(UdpCount::kTaken), 64);
  EXPECT_EQ(wire.adapter->count(UdpCount::kQueueFull), 6);
}

TEST(UdpAdapter, OneCallTakesABoundedNumberOfDatagrams) {
  Wire wire;
  const std::byte garbage{1};
  for (int i = 0; i < UdpAdapter::kMaxAtOnce + 4; ++i) {
    wire.controller.send({&garbage, 1}, wire.adapter->address());
  }

  wire.adapter->receive(wire.now_ns);
  EXPECT_EQ(wire.adapter->count(UdpCount::kSize), UdpAdapter::kMaxAtOnce);
  wire.adapter->receive(wire.now_ns);

  EXPECT_GT(wire.adapter->count(UdpCount::kSize), UdpAdapter::kMaxAtOnce) << "the rest, as far as the kernel kept it";
}

TEST(UdpAdapter, GarbageMovesNothing) {
  Wire wire;
  std::mt19937 random(11);
  constexpr int kDatagrams = 20'000;
  std::int64_t good = 0;

  for (int i = 0; i < kDatagrams; ++i) {
    auto bytes = command_bytes(wire.layout.hash, static_cast<std::uint64_t>(i) + 1, {1.0, 2.0});
    const auto kind = random() % 3;
    if (kind == 0) {  // noise
      bytes.resize(random() % 80);
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    } else if (kind == 1) {  // one byte of what identifies it is wrong
      bytes[random() % 16] ^= static_cast<std::byte>(1 + random() % 255);
    } else {
      ++good;
    }
    wire.put(bytes);
  }

  EXPECT_EQ(wire.adapter->count(UdpCount::kTaken), good);
  EXPECT_EQ(wire.adapter->refused(), kDatagrams - good);
  EXPECT_EQ(wire.bench.arbiter.counters().taken, good);
}

TEST(UdpAdapter, AHundredThousandFramesAllocateNothing) {
  Wire wire;
  auto bytes = command_bytes(wire.layout.hash, 1, {1.0, 2.0});
  wire.put(bytes);
  rt::SensorFrame frame = frame_of(1);
  std::array<std::byte, 2000> answer{};

  const AllocationCount allocations;
  for (std::uint64_t i = 2; i < 100'002; ++i) {
    std::memcpy(bytes.data() + 16, &i, sizeof i);
    wire.put(bytes);
    frame.step = i;
    wire.adapter->send(frame, wire.now_ns);
    wire.controller.receive(answer);
  }

  EXPECT_EQ(allocations.value(), 0);
  EXPECT_EQ(wire.adapter->count(UdpCount::kTaken), 100'001);
  EXPECT_EQ(wire.adapter->count(UdpCount::kSent), 100'000);
}

TEST(UdpAdapter, FramesThatAreRefusedAllocateNothing) {
  Wire wire;
  const std::vector<std::size_t> hand = {1};
  ASSERT_TRUE(wire.bench.arbiter.acquire(hand, "a client with quite a long name", 1.0, wire.now_ns));
  const auto bytes = command_bytes(wire.layout.hash, 1, {1.0, 2.0});

  const AllocationCount allocations;
  for (int i = 0; i < 1000; ++i) wire.put(bytes);

  EXPECT_EQ(allocations.value(), 0);
  EXPECT_EQ(wire.adapter->count(UdpCount::kNotFree), 1000);
}

TEST(UdpAdapter, APortThatIsTakenIsAnErrorOfItsField) {
  Wire wire;
  UdpAdapterSpec spec = wire.spec;
  spec.port = wire.adapter->address().port();

  const auto second = UdpAdapter::open("adapters[1]", spec, wire.layout, rt::Mode::kRealTime, wire.bench.arbiter);

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().where, "adapters[1].port");
  EXPECT_THAT(second.error().what, HasSubstr("cannot listen at 127.0.0.1:" + std::to_string(spec.port)));
}

TEST(UdpAdapter, AnotherOrderOrChoiceOfSignalsIsAnotherLayout) {
  const LoadedRig rig = cart_rig("");
  const auto hash = [&](std::vector<std::string> actuators, std::vector<std::string> sensors) {
    UdpAdapterSpec spec;
    spec.actuators = std::move(actuators);
    spec.sensors = std::move(sensors);
    return make_udp_layout(rig, spec).hash;
  };

  const std::vector<std::uint64_t> hashes = {hash({"belt", "hand"}, {"angle"}), hash({"hand", "belt"}, {"angle"}),
                                             hash({"belt"}, {"angle"}), hash({"belt", "hand"}, {"angle", "speed"}),
                                             hash({"belt", "hand"}, {})};

  EXPECT_EQ(std::set<std::uint64_t>(hashes.begin(), hashes.end()).size(), hashes.size());
  EXPECT_EQ(hash({"belt", "hand"}, {"angle"}), hashes[0]);
}

}  // namespace
}  // namespace kinloop::io
