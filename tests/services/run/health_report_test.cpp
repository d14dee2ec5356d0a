// Tests what systemd is told: it arrives, and a systemd that reads nothing holds up nobody.
#include "services/run/health_report.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "tests/support/temporary_folder.hpp"

namespace kinloop::run {
namespace {

class HealthReportTest : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    const std::string path = (folder_ / "notify").string();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ASSERT_LT(path.size(), sizeof address.sun_path);
    std::memcpy(address.sun_path, path.c_str(), path.size());
    socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    ASSERT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);  // NOLINT: one thread
  }
  void TearDown() override {
    ::unsetenv("NOTIFY_SOCKET");  // NOLINT: one thread
    ::close(socket_);
    TemporaryFolder::TearDown();
  }
  /// The next message; empty: there is none.
  std::string received() const {
    std::array<char, 256> bytes{};
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
    return count > 0 ? std::string(bytes.data(), static_cast<std::size_t>(count)) : "";
  }

  int socket_ = -1;
};

TEST_F(HealthReportTest, TellsThatThePlantRunsAndThatAllIsWell) {
  auto report = HealthReport::open("").value();
  report.ready();
  report.pet(1);

  EXPECT_EQ(received(), "READY=1\nSTATUS=the plant runs");
  EXPECT_EQ(received(), "WATCHDOG=1");
}

TEST_F(HealthReportTest, IsNotHeldUpByWhoReadsNothingAndTellsReadinessOnceThereIsRoom) {
  int sent = 0;
  while (notify_systemd("WATCHDOG=1") && sent < 100'000) ++sent;
  ASSERT_LT(sent, 100'000) << "the queue of the socket is bounded";
  auto report = HealthReport::open("").value();
  report.ready();

  const auto start = std::chrono::steady_clock::now();
  for (int i = 1; i < 50; ++i) report.pet(std::int64_t{i} * 10'000'000'000);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));

  while (!received().empty()) continue;
  report.pet(1);
  EXPECT_EQ(received(), "READY=1\nSTATUS=the plant runs");
}

}  // namespace
}  // namespace kinloop::run
