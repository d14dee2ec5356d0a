// Tests that a file is written whole or not at all.
#include "services/base/write_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/temporary_folder.hpp"

namespace kinloop {
namespace {

namespace fs = std::filesystem;

class WriteFile : public TemporaryFolder {
 protected:
  static std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }
};

TEST_F(WriteFile, WritesAndReplaces) {
  EXPECT_FALSE(write_file(folder_ / "a", "first, longer").has_value());
  EXPECT_FALSE(write_file(folder_ / "a", std::string_view("x\0y", 3)).has_value());

  EXPECT_EQ(text_of(folder_ / "a"), std::string("x\0y", 3));
  EXPECT_EQ(files(), 1);
}

TEST_F(WriteFile, ALinkStaysALink) {
  std::ofstream(folder_ / "target") << "old";
  fs::create_symlink("target", folder_ / "link");

  EXPECT_FALSE(write_file(folder_ / "link", "new").has_value());

  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(text_of(folder_ / "target"), "new");
}

TEST_F(WriteFile, AMissingFolderIsAWrongPlace) {
  const auto failure = write_file(folder_ / "no" / "a", "x");

  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->stage, WriteStage::kOpen);
  EXPECT_EQ(failure->error.what, "No such file or directory");
  EXPECT_TRUE(write_file(folder_, "x").has_value());
}

TEST_F(WriteFile, AFullDeviceIsAFailureOfTheDevice) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";

  const auto failure = write_file("/dev/full", "x");

  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->stage, WriteStage::kWrite);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace kinloop
