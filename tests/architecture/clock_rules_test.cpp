// Tests that core and rt know no clock that somebody can set: settimeofday and leap seconds change nothing there.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "tests/architecture/tree_files.hpp"

namespace kinloop::architecture {
namespace {

namespace fs = std::filesystem;

const std::regex kSettableClock(R"(CLOCK_REALTIME|CLOCK_TAI|system_clock|gettimeofday|\btime\(nullptr\)|utc_clock)");

TEST(Architecture, CoreAndRtReadNoClockThatCanBeSet) {
  int looked_at = 0;
  for (const char* folder : {"core", "rt"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(KINLOOP_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      EXPECT_FALSE(std::regex_search(text_of_file(entry.path()), kSettableClock)) << entry.path();
      ++looked_at;
    }
  }
  EXPECT_GT(looked_at, 100);
}

TEST(Architecture, SuchAClockWouldBeSeen) {
  EXPECT_TRUE(std::regex_search("clock_gettime(CLOCK_REALTIME, &now);", kSettableClock));
  EXPECT_TRUE(std::regex_search("std::chrono::system_clock::now()", kSettableClock));
}

}  // namespace
}  // namespace kinloop::architecture
