// Owns the reading of the tree's sources, for the rules that are checked on their text.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace kinloop::architecture {

/// Files below a folder of the tree whose names end so; what npm brought is not ours.
inline std::vector<std::filesystem::path> tree_files(const std::string& folder, std::string_view ending) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::filesystem::path(KINLOOP_SOURCE_DIR) / folder)) {
    const std::string path = entry.path().string();
    if (entry.is_regular_file() && path.ends_with(ending) && path.find("/node_modules/") == std::string::npos) {
      files.push_back(entry.path());
    }
  }
  return files;
}

inline std::string text_of_file(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace kinloop::architecture
