// Tests the two readers of a run's events: programs read the file, people the log.
#include "services/run/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/status.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::run {
namespace {

class EventLogTest : public TemporaryFolder {
 protected:
  /// What is said of these events where lines of `level` and above are wanted.
  std::string said(log::Level level, const std::vector<rt::Event>& events) const {
    std::ostringstream console;
    {
      log::Log log({level, log::Format::kText}, {&console});
      EventLog event_log(folder_ / "events.jsonl", {"coupler", "gear"}, 0.5, log::Logger(log, "supervisor"));
      for (const rt::Event& event : events) event_log.add(event, 0);
    }
    return console.str();
  }
  std::vector<std::string> kinds_in_file() const {
    std::vector<std::string> kinds;
    std::ifstream file(folder_ / "events.jsonl");
    for (std::string line; std::getline(file, line);) kinds.push_back(nlohmann::json::parse(line)["event"]);
    return kinds;
  }

  const rt::Event paused_{1'000'000'000, 5, rt::EventKind::kPaused, 0};
  const rt::Event stopped_{2'000'000'000, 6, rt::EventKind::kMadeSafe, 0};
  const rt::Event failed_{3'000'000'000, 7, rt::EventKind::kOverrunLimit, 12};
};

/// The times are the plant's, as on the page: 0.5 s a step here, whenever the host's clock says it was.
TEST_F(EventLogTest, EachKindHasItsLevel) {
  const std::string paused = "2.5 s: paused\n";
  const std::string stopped = "3 s: emergency stop: all actuators are safe until they are re-armed\n";
  const std::string failed = "3.5 s: too many steps ended too late: 12\n";

  EXPECT_EQ(said(log::Level::kInfo, {paused_, stopped_, failed_}), paused + stopped + failed);
  EXPECT_EQ(said(log::Level::kWarning, {paused_, stopped_, failed_}), stopped + failed);
  EXPECT_EQ(said(log::Level::kError, {paused_, stopped_, failed_}), failed);
}

TEST_F(EventLogTest, AFailedStepNamesTheConstraintThatWasNotKept) {
  const auto failure = [](StepStatus status, int constraint) {
    const std::int64_t value = static_cast<std::int64_t>(status) + (std::int64_t{constraint} << 8);
    return rt::Event{1'000'000'000, 7, rt::EventKind::kStepFailed, value};
  };
  const std::string said_of_gear = said(log::Level::kError, {failure(StepStatus::kUnverified, 2)});
  const std::string said_of_none = said(log::Level::kError, {failure(StepStatus::kLoopsOpen, 0)});

  EXPECT_EQ(said_of_gear,
            "3.5 s: step 8 failed: " + std::string(describe(StepStatus::kUnverified)) + ", least of all 'gear'\n");
  EXPECT_EQ(said_of_none, "3.5 s: step 8 failed: " + std::string(describe(StepStatus::kLoopsOpen)) + "\n");
}

TEST_F(EventLogTest, TheFileHasThemAllWhateverTheLevelAndHoweverMany) {
  std::vector<rt::Event> events(1000, paused_);
  events.push_back(failed_);

  said(log::Level::kError, events);

  const std::vector<std::string> kinds = kinds_in_file();
  ASSERT_EQ(kinds.size(), events.size());
  EXPECT_EQ(kinds.front(), "paused");
  EXPECT_EQ(kinds.back(), "overrun_limit");
}

}  // namespace
}  // namespace kinloop::run
