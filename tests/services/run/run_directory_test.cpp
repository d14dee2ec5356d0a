// Tests that the directory of a run is a folder of its own, whatever the rig is called and whatever lies there.
#include "services/run/run_directory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <ctime>

#include "tests/support/temporary_folder.hpp"

namespace kinloop::run {
namespace {

using RunDirectoryTest = TemporaryFolder;

TEST_F(RunDirectoryTest, NamesAreNoWayToAnotherPlace) {
  for (const std::string name : {"../../away", "a/b", ".hidden", "bell\a\x1b[2J", "line\nbreak"}) {
    const auto made = RunDirectory::create(folder_ / "runs", name);

    ASSERT_TRUE(made) << name;
    EXPECT_EQ(made->path().parent_path(), folder_ / "runs") << name;
    const std::string file = made->path().filename().string();
    EXPECT_NE(file.front(), '.') << name;
    for (const char c : file) EXPECT_GE(static_cast<unsigned char>(c), 0x20U) << name;
  }
}

TEST_F(RunDirectoryTest, ALinkInItsPlaceIsNotFollowed) {
  const auto first = RunDirectory::create(folder_ / "runs", "rig");
  ASSERT_TRUE(first);
  std::filesystem::create_directory(folder_ / "elsewhere");
  // Names end with the second and the process: the next ones are those of the seconds to come.
  const std::string name = first->path().filename().string();
  const std::size_t time = name.find('-') + 1;
  std::filesystem::remove(first->path());
  int links = 0;
  const std::time_t now = std::time(nullptr);
  for (std::time_t second = now - 1; second < now + 30; ++second) {
    std::tm utc{};
    ::gmtime_r(&second, &utc);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &utc);
    const std::string other = name.substr(0, time) + text.data() + name.substr(time + std::strlen(text.data()));
    std::filesystem::create_symlink(folder_ / "elsewhere", folder_ / "runs" / other);
    ++links;
  }
  ASSERT_EQ(links, 31);

  const auto made = RunDirectory::create(folder_ / "runs", "rig");

  EXPECT_FALSE(made) << made->path();
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "elsewhere"));
}

}  // namespace
}  // namespace kinloop::run
