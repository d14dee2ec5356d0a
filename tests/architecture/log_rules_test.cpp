// Tests who may log: the library stays behind services/log, and nothing of the plant's own process reaches it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/architecture/tree_files.hpp"

namespace kinloop::architecture {
namespace {

TEST(Architecture, OnlySourcesOfTheLogIncludeItsLibrary) {
  const std::filesystem::path root = std::filesystem::path(KINLOOP_SOURCE_DIR) / "services";
  int includes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::filesystem::path& file = entry.path();
    if (file.extension() != ".cpp" && file.extension() != ".hpp") continue;
    if (text_of_file(file).find("#include <spdlog/") == std::string::npos) continue;
    EXPECT_EQ(file.parent_path(), root / "log") << file;
    EXPECT_EQ(file.extension(), ".cpp") << file << ": a heavy header stays out of headers";
    ++includes;
  }
  EXPECT_GE(includes, 1);
}

TEST(Architecture, ThePlantDoesNotLog) {
  int looked_at = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(KINLOOP_SOURCE_DIR) / "services" / "run")) {
    if (!entry.path().filename().string().starts_with("plant_")) continue;
    EXPECT_EQ(text_of_file(entry.path()).find("services/log"), std::string::npos) << entry.path();
    ++looked_at;
  }
  EXPECT_GE(looked_at, 4);
}

}  // namespace
}  // namespace kinloop::architecture
