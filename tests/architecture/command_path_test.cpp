// Tests the table of docs/architecture.md: the files that a command passes are there, and are as few as it says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/architecture/tree_files.hpp"

namespace kinloop::architecture {
namespace {

namespace fs = std::filesystem;

std::string architecture_page() { return text_of_file(fs::path(KINLOOP_SOURCE_DIR) / "docs/architecture.md"); }

/// The files of the numbered rows, in their order.
std::vector<std::string> files_of_rows(const std::string& page) {
  static const std::regex row(R"(\| \d+ \| `([^`]+)` \|)");
  std::vector<std::string> files;
  for (std::sregex_iterator found(page.begin(), page.end(), row); found != std::sregex_iterator(); ++found) {
    files.push_back((*found)[1]);
  }
  return files;
}

/// "core/dynamics" of "core/dynamics/rcr/rcr.cpp".
std::string layer_folder(const std::string& file) { return file.substr(0, file.find('/', file.find('/') + 1)); }

/// How often the path comes back to a folder that it had left.
int count_returns(const std::vector<std::string>& files) {
  std::set<std::string> seen;
  std::string last;
  int returns = 0;
  for (const std::string& file : files) {
    const std::string folder = layer_folder(file);
    if (folder != last && !seen.insert(folder).second) ++returns;
    last = folder;
  }
  return returns;
}

TEST(CommandPath, EveryFileOfTheTableIsThere) {
  const std::vector<std::string> files = files_of_rows(architecture_page());

  EXPECT_GT(files.size(), 20U);
  for (const std::string& file : files) EXPECT_TRUE(fs::is_regular_file(fs::path(KINLOOP_SOURCE_DIR) / file)) << file;
  EXPECT_EQ(std::set<std::string>(files.begin(), files.end()).size(), files.size()) << "each once";
}

TEST(CommandPath, FilesAndReturnsAreCountedInTheText) {
  const std::string page = architecture_page();
  const std::vector<std::string> files = files_of_rows(page);

  EXPECT_THAT(page, testing::HasSubstr(std::to_string(files.size()) + " files, " +
                                       std::to_string(count_returns(files)) + " returns"));
}

TEST(CommandPath, PassesFewFilesAndComesBackToFewFolders) {
  constexpr std::size_t kMaxFiles = 35;
  constexpr int kMaxReturns = 12;

  EXPECT_LE(files_of_rows(architecture_page()).size(), kMaxFiles);
  EXPECT_LE(count_returns(files_of_rows(architecture_page())), kMaxReturns);
  EXPECT_EQ(count_returns({"core/a/x.cpp", "core/a/y.cpp", "core/b/x.cpp", "core/a/z.cpp", "core/b/c/y.cpp"}), 2);
}

}  // namespace
}  // namespace kinloop::architecture
