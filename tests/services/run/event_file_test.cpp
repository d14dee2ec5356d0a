// Tests the file of events: bounded, renamed when it is full, and complete again after a disk had no room.
#include "services/run/event_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "tests/support/temporary_folder.hpp"

namespace kinloop::run {
namespace {

using testing::HasSubstr;

class EventFileTest : public TemporaryFolder {
 protected:
  std::vector<std::string> lines_of(const std::string& name) const {
    std::vector<std::string> lines;
    std::ifstream file(folder_ / name);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  static bool soon(const std::function<bool()>& condition) {
    for (int i = 0; i < 2000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return condition();
  }

  std::ostringstream said_;
  log::Log log_{{log::Level::kWarning, log::Format::kText}, {&said_}};
};

TEST_F(EventFileTest, NeverTakesMoreThanItsBounds) {
  {
    EventFile file(folder_ / "events.jsonl", {1000, 3, 100000}, log::Logger(log_, "test"));
    for (int i = 0; i < 1000; ++i) file.add("line " + std::to_string(i) + "\n");
  }

  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    ++files;
    EXPECT_LE(entry.file_size(), 1000U) << entry.path();
  }
  EXPECT_EQ(files, 3U);
  EXPECT_EQ(lines_of("events.jsonl").back(), "line 999");
  EXPECT_FALSE(lines_of("events.1.jsonl").empty());
  EXPECT_FALSE(lines_of("events.2.jsonl").empty());
}

TEST_F(EventFileTest, GoesOnWithWholeLinesOnceTheDiskHasRoomAgain) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  {
    EventFile file(folder_ / "events.jsonl", {}, log::Logger(log_, "test"));
    rlimit small = before;
    small.rlim_cur = 105;  // in the middle of a line
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 100; i < 200; ++i) file.add("line " + std::to_string(i) + "\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(lines_of("events.jsonl").size(), 11U) << "nothing of the line that did not fit";
    EXPECT_TRUE(soon([&] { return lines_of("events.jsonl").size() == 100; }));
  }
  log_.close();

  const auto lines = lines_of("events.jsonl");
  ASSERT_EQ(lines.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(lines[static_cast<std::size_t>(i)], "line " + std::to_string(100 + i));
  EXPECT_THAT(said_.str(), HasSubstr("cannot be written, and are tried again: File too large"));
  EXPECT_THAT(said_.str(), HasSubstr("can be written again"));
}

TEST_F(EventFileTest, CountsWhatFoundNoRoomWhileItWaited) {
  const auto later = folder_ / "later";
  {
    EventFile file(later / "events.jsonl", {1U << 20U, 2, 10}, log::Logger(log_, "test"));
    for (int i = 0; i < 50; ++i) file.add("line\n");
    std::filesystem::create_directory(later);
    EXPECT_TRUE(soon([&] { return lines_of("later/events.jsonl").size() == 11; }));
  }

  EXPECT_EQ(lines_of("later/events.jsonl").back(), R"({"event":"events_lost","value":40})");
}

}  // namespace
}  // namespace kinloop::run
