// Owns StopTest: a rig of a program that is to be stopped, and what its memory says of it, for tests.
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/input.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>

#include <kinloop/client/keys.hpp>
#include <kinloop/client/plant.hpp>
#include <kinloop/client/stop.hpp>
#include <zmq.hpp>

#include "rt/policies/emergency_stop.hpp"
#include "services/base/text_file.hpp"
#include "services/net/stop_socket.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/system/running_rig.hpp"

namespace kinloop {

inline constexpr std::uint64_t kMaxTicks = 2;

/// A bare connection to "tcp://127.0.0.1:port".
class Caller {
 public:
  explicit Caller(const std::string& address) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{0, 300'000};
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    ::connect(socket_, reinterpret_cast<const sockaddr*>(&place), sizeof(place));
  }
  /// What it was not let say by then is lost.
  ~Caller() {
    const linger at_once{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    ::close(socket_);
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  bool say(const std::string& bytes) const {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  void hear() const {
    std::array<char, 64> bytes{};
    (void)::recv(socket_, bytes.data(), bytes.size(), 0);
  }

 private:
  int socket_;
};

/// A plant with sockets in the test's folder.
class StopTest : public TemporaryFolder {
 protected:
  void TearDown() override {
    rig_.reset();
    ::unsetenv("KINLOOP_RUNTIME_DIR");  // NOLINT: one thread
    TemporaryFolder::TearDown();
  }

  void start(const std::string& mode, const std::vector<std::string>& more = {}) {
    rig_.emplace(folder_, mode, "watchdog: {timeout: 20 s}\n" + more_of_rig_, more);
  }
  rt::PlantMemory& memory() { return rig_->memory(); }
  pid_t child(const std::string& name) const { return rig_->child(name); }

  /// By `kinloop ctl stop`, as people do it; it says at which step.
  void expect_stop_by_ctl() {
    Process ctl({"ctl", "stop"});
    const std::string out = ctl.read_output();
    EXPECT_EQ(ctl.wait(), 0) << ctl.read_errors();
    EXPECT_THAT(out, testing::HasSubstr("own: all actuators are made safe at step "));
    expect_latched_of_somebody();
  }
  /// By the socket alone.
  void expect_stop_by_socket() {
    const auto stopped = client::request_stop("own", patient());
    ASSERT_TRUE(stopped) << stopped.error().message;
    EXPECT_EQ(stopped->rig, "own");
    EXPECT_LE(stopped->receipt.tick, stopped->receipt.asked_tick + kMaxTicks);
    expect_latched();
  }
  /// By a client that was connected before.
  void expect_stop_by(client::Plant& plant) {
    const auto effect = plant.emergency_stop();
    ASSERT_TRUE(effect) << effect.error().message;
    EXPECT_GT(effect->tick, 0U) << "a stop socket confirmed it";
    expect_latched_of_somebody();
  }
  static client::Plant connected(const std::string& name, client::Keys keys = {}) {
    client::Options options = patient();
    options.keys = std::move(keys);
    auto plant = client::Plant::connect(name, options);
    EXPECT_TRUE(plant) << (plant ? "" : plant.error().message);
    return std::move(plant).value();
  }
  /// Of the plant's endpoint of that name whose address begins so.
  static std::string address_of(const client::Plant& plant, const std::string& socket, const std::string& scheme) {
    for (const v1::Endpoint& endpoint : plant.description().endpoints()) {
      if (endpoint.socket() == socket && endpoint.address().starts_with(scheme)) return endpoint.address();
    }
    return {};
  }
  /// The control address beside which that stop socket would be.
  static std::string beside(const std::string& stop, int ports) {
    const std::size_t colon = stop.rfind(':');
    return stop.substr(0, colon + 1) + std::to_string(std::stoi(stop.substr(colon + 1)) - ports);
  }
  static client::Options patient() {
    client::Options options;
    options.timeout = kPatience;
    return options;
  }
  /// All ways were asked; the first to confirm counts, and who asked may be gone before others were reached.
  void expect_latched_of_somebody() {
    std::size_t writer = rt::kStopWriters;
    ASSERT_TRUE(comes([&] {
      writer = 0;
      while (writer < rt::kStopWriters && memory().stops[writer].count.load() == 0) ++writer;
      return writer < rt::kStopWriters;
    }));
    expect_latched(writer);
  }
  void expect_latched(std::size_t writer = kSupervisor) {
    const rt::StopReceipt& receipt = memory().stop_receipts[writer];
    const rt::StopWord& word = memory().stops[writer];
    ASSERT_TRUE(comes([&] { return word.count.load() > 0 && receipt.count.load() == word.count.load(); }));
    // Who asked may be interrupted between the word and its tick.
    EXPECT_TRUE(comes([&] { return word.asked_tick.load() != 0; }));
    EXPECT_LE(receipt.tick.load(), word.asked_tick.load() + kMaxTicks);
    if (!reads_pose_) return;
    EXPECT_TRUE(comes([&] { return is_stopped(); }));
  }
  /// For tests in which io does not read what the plant shows.
  bool is_stopped() {
    const auto pose = memory().pose.take();
    return pose.value != nullptr && pose.value->stopped == 1;
  }

  int end() { return rig_->end(); }

  static constexpr auto kSupervisor = static_cast<std::size_t>(rt::StopWriter::kSupervisor);
  static constexpr auto kIo = static_cast<std::size_t>(rt::StopWriter::kIo);
  std::optional<RunningRig> rig_;
  std::string more_of_rig_;
  bool reads_pose_ = false;  // where io does not
};

}  // namespace kinloop
