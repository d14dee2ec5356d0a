// Finds the model and rig files in the source tree.
#include "tests/support/model_files.hpp"

#include <algorithm>

namespace kinloop::test {
namespace {

std::filesystem::path file(const char* folder, const std::string& name) {
  return std::filesystem::path(KINLOOP_SOURCE_DIR) / folder / (name + ".yaml");
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::filesystem::path config_path(const std::string& name) { return file("configs/models", name); }
std::filesystem::path bad_model_path(const std::string& name) { return file("tests/bad_models", name); }
std::filesystem::path rig_path(const std::string& name) { return file("configs/rigs", name); }
std::filesystem::path bad_rig_path(const std::string& name) { return file("tests/bad_rigs", name); }

std::vector<std::string> config_names() { return names_in(config_path("any").parent_path()); }
std::vector<std::string> bad_model_names() { return names_in(bad_model_path("any").parent_path()); }
std::vector<std::string> rig_names() { return names_in(rig_path("any").parent_path()); }
std::vector<std::string> bad_rig_names() { return names_in(bad_rig_path("any").parent_path()); }

}  // namespace kinloop::test
