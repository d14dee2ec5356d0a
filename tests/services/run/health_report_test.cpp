// Tests what systemd is told: it arrives, and a systemd that reads nothing holds up nobody.
#include "services/run/health_report.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

#include "tests/support/notify_socket.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::run {
namespace {

class HealthReportTest : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    systemd_.emplace(folder_ / "notify");
    ::setenv("NOTIFY_SOCKET", (folder_ / "notify").c_str(), 1);  // NOLINT: one thread
  }
  void TearDown() override {
    ::unsetenv("NOTIFY_SOCKET");  // NOLINT: one thread
    TemporaryFolder::TearDown();
  }
  std::string received() const { return systemd_->next(); }

  std::optional<NotifySocket> systemd_;
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
