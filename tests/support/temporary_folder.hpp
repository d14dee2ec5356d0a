// Owns folders of a test's own, which no other run of the tests can write to: TemporaryFolder, gone at the end of the
// test, and process_folder(), gone at the end of the process.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace kinloop {

/// A new folder for the caller alone; empty where none can be made.
inline std::filesystem::path make_temporary_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "kinloop-test-XXXXXX").string();
  return mkdtemp(pattern.data()) != nullptr ? std::filesystem::path(pattern) : std::filesystem::path();
}

/// For what has no fixture. Precondition: not called first in a forked child, whose end would remove it.
inline const std::filesystem::path& process_folder() {
  struct Folder {
    Folder() : path(make_temporary_folder()) { EXPECT_FALSE(path.empty()); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
    const std::filesystem::path path;
  };
  static const Folder folder;
  return folder.path;
}

class TemporaryFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = make_temporary_folder();
    ASSERT_FALSE(folder_.empty());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Folders on the way are made.
  void write(const std::filesystem::path& file, std::string_view text) const {
    std::filesystem::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << text;
  }

  std::filesystem::path folder_;
};

}  // namespace kinloop
