// Finds the stored files in the source tree.
#include "tests/support/vectors.hpp"

#include <algorithm>
#include <utility>

#include "services/base/diagnostics.hpp"
#include "tests/support/error_text.hpp"

namespace kinloop::test {

std::filesystem::path vector_path(const std::string& name) {
  return std::filesystem::path(KINLOOP_SOURCE_DIR) / "tests" / "data" / "vectors" / (name + ".json");
}

std::filesystem::path trajectory_path(const std::string& file_name) {
  return std::filesystem::path(KINLOOP_SOURCE_DIR) / "tests" / "data" / "trajectories" / file_name;
}

std::vector<std::string> vector_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(vector_path("any").parent_path())) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

LoadedModel load_vectors(const std::string& name) {
  Result<LoadedModel, std::vector<Error>> loaded = load_model(vector_path(name));
  if (!loaded) std::fputs(to_text(loaded.error()).c_str(), stderr);
  return std::move(loaded).value();
}

}  // namespace kinloop::test
