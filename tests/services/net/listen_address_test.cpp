// Tests how addresses are read, who can reach them, and the rule that the network needs keys.
#include "services/net/listen_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinloop::net {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& text) {
  const auto address = parse_listen_address(text);
  if (address) return "";
  EXPECT_THAT(address.error().where, HasSubstr("--listen "));
  return address.error().what;
}

ListenAddress read(const std::string& text) {
  const auto address = parse_listen_address(text);
  EXPECT_TRUE(address.has_value()) << text;
  return address ? *address : ListenAddress{};
}

TEST(ListenAddress, AFolderHoldsFourSockets) {
  const ListenAddress address = read("ipc:///run/rig");

  EXPECT_EQ(endpoint_of(address, Channel::kControl), "ipc:///run/rig/control");
  EXPECT_EQ(endpoint_of(address, Channel::kActuators), "ipc:///run/rig/actuators");
  EXPECT_EQ(endpoint_of(address, Channel::kSensors), "ipc:///run/rig/sensors");
  EXPECT_EQ(endpoint_of(address, Channel::kEvents), "ipc:///run/rig/events");
  EXPECT_EQ(address.reach, Reach::kOwner);
}

TEST(ListenAddress, APortIsFollowedByThreeMore) {
  const ListenAddress address = read("tcp://127.0.0.1:5600");

  EXPECT_EQ(endpoint_of(address, Channel::kControl), "tcp://127.0.0.1:5600");
  EXPECT_EQ(endpoint_of(address, Channel::kEvents), "tcp://127.0.0.1:5603");
}

TEST(ListenAddress, PortZeroIsAnyFreeOne) {
  for (const Channel channel : kChannels) {
    EXPECT_EQ(endpoint_of(read("tcp://127.0.0.1:0"), channel), "tcp://127.0.0.1:*");
  }
}

TEST(ListenAddress, LocalhostIsWrittenAsZeroMqWantsIt) {
  EXPECT_EQ(endpoint_of(read("tcp://localhost:1"), Channel::kControl), "tcp://127.0.0.1:1");
}

TEST(ListenAddress, OnlyLoopbackCountsAsThisHost) {
  for (const char* text : {"tcp://127.0.0.1:1", "tcp://127.255.1.2:1", "tcp://[::1]:1", "tcp://localhost:1",
                           "tcp://[0:0:0:0:0:0:0:1]:1"}) {
    EXPECT_EQ(read(text).reach, Reach::kHost) << text;
  }
  for (const char* text : {"tcp://*:1", "tcp://0.0.0.0:1", "tcp://[::]:1", "tcp://eth0:1", "tcp://lo:1",
                           "tcp://10.0.0.7:1", "tcp://128.0.0.1:1", "tcp://126.255.255.255:1", "tcp://[fe80::1%eth0]:1",
                           "tcp://[::ffff:127.0.0.1]:1", "tcp://[::2]:1", "tcp://Localhost:1"}) {
    EXPECT_EQ(read(text).reach, Reach::kNetwork) << text;
  }
}

TEST(ListenAddress, WhatIsNoAddressIsRefused) {
  for (const char* text : {"", "5600", "udp://127.0.0.1:1", "TCP://127.0.0.1:1", "ipc", "tcp:/x"}) {
    EXPECT_THAT(error_of(text), HasSubstr("wants ipc:///folder or tcp://host:port")) << text;
  }
  for (const char* text :
       {"tcp://:1", "tcp://1.2.3:1", "tcp://127.1:1", "tcp://256.0.0.1:1", "tcp://[::1:1", "tcp://::1:1", "tcp://[x]:1",
        "tcp://[]:1", "tcp://a b:1", "tcp://averyveryverylongname:1", "tcp://127.0.0.1;eth0:1", "tcp://*.*:1"}) {
    EXPECT_THAT(error_of(text), HasSubstr("is no address of this host")) << text;
  }
  for (const char* text : {"tcp://127.0.0.1", "tcp://[::1]", "tcp://", "tcp://*"}) {
    EXPECT_THAT(error_of(text), HasSubstr("the port is missing")) << text;
  }
}

TEST(ListenAddress, ANameWithinTheProcessIsForProgramsThatHoldThePlant) {
  const ListenAddress address = listen_within("rig-1").value();

  EXPECT_EQ(address.reach, Reach::kProcess);
  EXPECT_EQ(endpoint_of(address, Channel::kSensors), "inproc://rig-1/sensors");
  EXPECT_EQ(protection_of(address, Keys::kGiven, Consent::kNone), Protection::kProcessOnly);
  EXPECT_EQ(describe(address, Protection::kProcessOnly), "inproc://rig-1: for threads of this process");
  EXPECT_THAT(error_of("inproc://rig-1"), HasSubstr("no client is there"));
  for (const std::string& name : {std::string(), std::string("a/b"), std::string("a\0b", 3), std::string(65, 'a')}) {
    EXPECT_FALSE(listen_within(name)) << name;
  }
}

TEST(ListenAddress, NothingHidesBehindAZeroByteOrAnInterface) {
  for (const std::string& text : {std::string("tcp://127.0.0.1\0.evil:1", 24), std::string("tcp://[::1\0]:1", 14),
                                  std::string("ipc:///a\0b", 10)}) {
    EXPECT_EQ(parse_listen_address(text).error().what, "an address holds no zero byte");
  }
  EXPECT_THAT(error_of("tcp://[::1%lo;eth0]:1"), HasSubstr("is no address of this host"));
  EXPECT_EQ(read("tcp://[::1%lo]:1").reach, Reach::kNetwork);
}

TEST(ListenAddress, PortsLeaveRoomForTheOtherThree) {
  for (const char* text : {"tcp://*:65533", "tcp://*:65536", "tcp://*:-1", "tcp://*:", "tcp://*:http", "tcp://*:1x",
                           "tcp://*: 1", "tcp://*:99999999999", "tcp://*:*"}) {
    EXPECT_EQ(error_of(text), "the port is 0 (any that are free) to 65532: the three after it are taken too") << text;
  }
  EXPECT_EQ(endpoint_of(read("tcp://*:65532"), Channel::kEvents), "tcp://*:65535");
}

TEST(ListenAddress, AFolderIsAbsolute) {
  for (const char* text : {"ipc://folder", "ipc://", "ipc://*", "ipc://@name", "ipc://./x"}) {
    EXPECT_THAT(error_of(text), HasSubstr("wants an absolute path, with three slashes")) << text;
  }
}

TEST(ListenAddress, SlashesAtTheEndDoNotMatter) {
  EXPECT_EQ(endpoint_of(read("ipc:///run/rig//"), Channel::kControl), "ipc:///run/rig/control");
}

TEST(ListenAddress, APathThatIsTooLongForTheKernelIsRefused) {
  const std::string longest = "ipc:///" + std::string(96, 'a');  // with "/actuators" just 107

  EXPECT_EQ(error_of(longest), "");
  EXPECT_EQ(
      error_of(longest + "a"),
      "the path of the socket 'actuators' in it would have 108 characters, the kernel takes 107: choose a shorter "
      "folder");
}

TEST(Protection, TheNetworkNeedsKeysOrConsent) {
  const ListenAddress network = read("tcp://*:5600");

  EXPECT_EQ(protection_of(network, Keys::kNone, Consent::kNone), Protection::kRefused);
  EXPECT_EQ(protection_of(network, Keys::kNone, Consent::kInsecure), Protection::kOpenToAll);
  EXPECT_EQ(protection_of(network, Keys::kGiven, Consent::kNone), Protection::kCurve);
  EXPECT_EQ(protection_of(network, Keys::kGiven, Consent::kInsecure), Protection::kCurve);
}

TEST(Protection, LoopbackUsesKeysThatAreThere) {
  const ListenAddress loopback = read("tcp://[::1]:5600");

  EXPECT_EQ(protection_of(loopback, Keys::kNone, Consent::kNone), Protection::kHostOnly);
  EXPECT_EQ(protection_of(loopback, Keys::kNone, Consent::kInsecure), Protection::kHostOnly);
  EXPECT_EQ(protection_of(loopback, Keys::kGiven, Consent::kNone), Protection::kCurve);
}

TEST(Protection, AFolderIsGuardedByItsRights) {
  for (const Keys keys : {Keys::kNone, Keys::kGiven}) {
    EXPECT_EQ(protection_of(read("ipc:///a"), keys, Consent::kNone), Protection::kFileRights);
  }
}

TEST(StopSockets, FollowTheFourOthers) {
  const ListenAddress address = read("tcp://127.0.0.1:5600");

  EXPECT_EQ(stop_endpoint_of(address, StopPort::kOfSupervisor), "tcp://127.0.0.1:5604");
  EXPECT_EQ(stop_endpoint_of(address, StopPort::kOfIo), "tcp://127.0.0.1:5605");
  EXPECT_EQ(stop_endpoint_of(address, StopPort::kAny), "tcp://127.0.0.1:*");
  EXPECT_EQ(stop_endpoint_of(read("tcp://127.0.0.1:0"), StopPort::kOfIo), "tcp://127.0.0.1:*");
  EXPECT_EQ(stop_endpoint_of(read("tcp://127.0.0.1:65531"), StopPort::kOfSupervisor), "tcp://127.0.0.1:65535");
  EXPECT_EQ(stop_endpoint_of(read("tcp://127.0.0.1:65531"), StopPort::kOfIo), "tcp://127.0.0.1:*");
}

TEST(Protection, IsDescribedInWords) {
  const ListenAddress network = read("tcp://*:5600");

  EXPECT_THAT(describe(network, Protection::kRefused),
              HasSubstr("tcp://*:5600: can be reached from the network, so clients need keys: kinloop keygen"));
  EXPECT_THAT(describe(network, Protection::kOpenToAll), HasSubstr("INSECURE: everybody who reaches this address"));
  EXPECT_THAT(describe(network, Protection::kCurve), HasSubstr("encrypted, for the owners of allowed keys"));
  EXPECT_THAT(describe(read("tcp://[::1]:1"), Protection::kHostOnly), HasSubstr("every user of this host may command"));
  EXPECT_EQ(describe(read("ipc:///a"), Protection::kFileRights), "ipc:///a: for this user alone");
}

}  // namespace
}  // namespace kinloop::net
