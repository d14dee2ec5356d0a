// Tests that a new joint type is one file and one entry: nobody else switches over the types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "tests/architecture/tree_files.hpp"

namespace kinloop::architecture {
namespace {

TEST(JointKnowledge, StandsInTheTableOfJoints) {
  std::set<std::string> found;
  for (const char* folder : {"core", "rt", "services"}) {
    for (const std::filesystem::path& file : tree_files(folder, ".cpp")) {
      const std::string name = file.lexically_relative(KINLOOP_SOURCE_DIR).generic_string();
      if (name.starts_with("core/joints/")) continue;
      std::ifstream stream(file);
      for (std::string line; std::getline(stream, line);) {
        if (line.find("case JointType::") != std::string::npos) found.insert(name);
      }
    }
  }

  EXPECT_THAT(found, testing::IsEmpty());
}

}  // namespace
}  // namespace kinloop::architecture
