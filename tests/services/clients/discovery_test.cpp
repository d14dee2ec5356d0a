// Tests the finding of plants, the hosts of their addresses, and key files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>
#include <kinloop/client/discovery.hpp>
#include <kinloop/client/keys.hpp>

#include <array>
#include <cstdlib>

#include "tests/support/temporary_folder.hpp"

namespace kinloop::client {
namespace {

using testing::HasSubstr;

/// Of a process that is over.
long gone_pid() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return child;
}

class Discovery : public TemporaryFolder {
 protected:
  void add_plant(const std::string& rig, const std::string& suffix, long pid) const {
    write(rig + "-" + suffix + "/endpoints", "pid " + std::to_string(pid) + "\nrig " + rig +
                                                 "\nmode free\ncontrol ipc:///x/" + rig + suffix + "\nfuture line\n");
  }
};

TEST_F(Discovery, TheOnlyPlantNeedsNoName) {
  add_plant("crane", "1", getpid());

  const auto address = find_control_address("", folder_);

  ASSERT_TRUE(address);
  EXPECT_EQ(*address, "ipc:///x/crane1");
}

TEST_F(Discovery, SeveralPlantsAreListed) {
  add_plant("crane", "1", getpid());
  add_plant("pendulum", "2", getpid());

  const auto address = find_control_address("", folder_);

  ASSERT_FALSE(address);
  EXPECT_EQ(address.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(address.error().message, HasSubstr("crane-1 (free), pendulum-2 (free)"));
}

TEST_F(Discovery, ARigsNameOrItsFolderNamesAPlant) {
  add_plant("crane", "1", getpid());
  add_plant("pendulum", "2", getpid());

  EXPECT_EQ(find_control_address("pendulum", folder_).value(), "ipc:///x/pendulum2");
  EXPECT_EQ(find_control_address("crane-1", folder_).value(), "ipc:///x/crane1");
}

TEST_F(Discovery, TwoOfOneRigAreToldApartByTheirProcess) {
  add_plant("crane", "1", getpid());
  add_plant("crane", "2", getpid());

  EXPECT_THAT(find_control_address("crane", folder_).error().message, HasSubstr("crane-1 (free), crane-2"));
  EXPECT_EQ(find_control_address("crane-2", folder_).value(), "ipc:///x/crane2");
}

TEST_F(Discovery, AnUnknownNameTellsWhatThereIs) {
  add_plant("crane", "1", getpid());

  const auto address = find_control_address("craen", folder_);

  ASSERT_FALSE(address);
  EXPECT_EQ(address.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(address.error().message, HasSubstr("there is crane-1"));
}

TEST_F(Discovery, PlantsThatAreGoneAndFilesThatAreNoneArePassedOver) {
  add_plant("crane", "1", gone_pid());
  write("broken-2/endpoints", "pid x\ncontrol ipc:///y\n");
  write("empty-3/other", "");
  write("loose_file", "");

  EXPECT_TRUE(running_plants(folder_).empty());
  const auto address = find_control_address("", folder_);
  ASSERT_FALSE(address);
  EXPECT_EQ(address.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(address.error().message, HasSubstr("kinloop run"));
}

TEST_F(Discovery, AMissingFolderHasNoPlants) { EXPECT_TRUE(running_plants(folder_ / "nowhere").empty()); }

TEST(Endpoints, AllLinesAreRead) {
  const auto plant = parse_endpoints(
      "pid 12\nrig crane\nmode lockstep\ncontrol tcp://h:1\nactuators tcp://h:2\nsensors tcp://h:3\nevents "
      "tcp://h:4\n");

  ASSERT_TRUE(plant);
  EXPECT_EQ(plant->pid, 12);
  EXPECT_EQ(plant->rig, "crane");
  EXPECT_EQ(plant->mode, "lockstep");
  EXPECT_EQ(plant->control, "tcp://h:1");
  EXPECT_EQ(plant->actuators, "tcp://h:2");
  EXPECT_EQ(plant->sensors, "tcp://h:3");
  EXPECT_EQ(plant->events, "tcp://h:4");
}

TEST(Endpoints, AddressesNameThemselves) {
  EXPECT_EQ(find_control_address("tcp://rig7:5600", "/nowhere").value(), "tcp://rig7:5600");
}

TEST(Endpoints, TheRuntimeFolderFollowsTheEnvironment) {
  setenv("KINLOOP_RUNTIME_DIR", "/a/b", 1);
  EXPECT_EQ(default_runtime_folder(), "/a/b");
  unsetenv("KINLOOP_RUNTIME_DIR");
  setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
  EXPECT_EQ(default_runtime_folder(), "/run/user/7/kinloop");
  unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(default_runtime_folder(), "/tmp/kinloop-" + std::to_string(getuid()));
}

TEST(ReachableAddress, WildcardHostsBecomeThatOfTheControlSocket) {
  EXPECT_EQ(reachable_address("tcp://0.0.0.0:5601", "tcp://rig7:5600"), "tcp://rig7:5601");
  EXPECT_EQ(reachable_address("tcp://*:5601", "tcp://10.0.0.4:5600"), "tcp://10.0.0.4:5601");
  EXPECT_EQ(reachable_address("tcp://[::]:5601", "tcp://[fe80::1]:5600"), "tcp://[fe80::1]:5601");
  EXPECT_EQ(reachable_address("tcp://0.0.0.0:5601", "tcp://eth0:0;rig7:5600"), "tcp://rig7:5601");
}

TEST(ReachableAddress, OverAControlSocketInTheFileSystemItIsThisHost) {
  EXPECT_EQ(reachable_address("tcp://*:5601", "ipc:///run/control"), "tcp://127.0.0.1:5601");
}

TEST(ReachableAddress, OthersStayAsTheyAre) {
  EXPECT_EQ(reachable_address("tcp://rig8:5601", "tcp://rig7:5600"), "tcp://rig8:5601");
  EXPECT_EQ(reachable_address("ipc:///run/sensors", "tcp://rig7:5600"), "ipc:///run/sensors");
}

struct DiscoveryPair {
  std::array<char, 41> public_key{}, secret_key{};
};

DiscoveryPair discovery_made_pair() {
  DiscoveryPair pair;
  EXPECT_EQ(zmq_curve_keypair(pair.public_key.data(), pair.secret_key.data()), 0);
  return pair;
}

class KeyFiles : public TemporaryFolder {};

TEST_F(KeyFiles, AClientsAndAServersFileMakeKeys) {
  const DiscoveryPair own = discovery_made_pair();
  const DiscoveryPair server = discovery_made_pair();
  write("own.key", std::string("# keep it\nname: mpc\nrole: control\nmade: today\npublic_key: ") +
                       own.public_key.data() + "\nsecret_key: " + own.secret_key.data() + "\n");
  write("server.pub", std::string("public_key: \"") + server.public_key.data() + "\"\r\n");

  const auto keys = read_keys(folder_ / "own.key", folder_ / "server.pub");

  ASSERT_TRUE(keys) << keys.error().message;
  EXPECT_EQ(keys->server_key, server.public_key.data());
  EXPECT_EQ(keys->public_key, own.public_key.data());
  EXPECT_EQ(keys->secret_key, own.secret_key.data());
}

TEST_F(KeyFiles, ASecretKeyAloneGivesItsPublicOne) {
  const DiscoveryPair own = discovery_made_pair();

  const auto file = parse_key_text(std::string("secret_key: ") + own.secret_key.data(), "own.key");

  ASSERT_TRUE(file);
  EXPECT_EQ(file->public_key, own.public_key.data());
}

TEST_F(KeyFiles, WhatIsNoKeyIsNamed) {
  const auto file = parse_key_text("public_key: abc", "a.key");

  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr("a.key: public_key is no key"));
  EXPECT_FALSE(parse_key_text("nothing here", "a.key"));
}

TEST_F(KeyFiles, APublicFileIsNoSecretOne) {
  const DiscoveryPair own = discovery_made_pair();
  write("own.pub", std::string("public_key: ") + own.public_key.data());

  const auto keys = read_keys(folder_ / "own.pub", folder_ / "own.pub");

  ASSERT_FALSE(keys);
  EXPECT_THAT(keys.error().message, HasSubstr("has no secret key"));
}

TEST_F(KeyFiles, HalfAPairIsRefused) {
  const DiscoveryPair own = discovery_made_pair();

  EXPECT_FALSE(checked_keys({own.public_key.data(), own.public_key.data(), ""}));
  EXPECT_FALSE(checked_keys({"", own.public_key.data(), own.secret_key.data()}));
  EXPECT_TRUE(checked_keys({own.public_key.data(), "", ""}));
  EXPECT_TRUE(checked_keys({}));
}

}  // namespace
}  // namespace kinloop::client
