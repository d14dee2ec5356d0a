// Tests that a new joint type is one file and one entry: nobody else tells the types apart without the compiler's help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "tests/architecture/tree_files.hpp"

namespace kinloop::architecture {
namespace {

// Switches over all types without a default, which do not compile where one is missing.
const std::set<std::string> kExhaustive = {"services/import/reverse_joint.cpp", "services/plot/joint_marks.cpp"};

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

  EXPECT_EQ(found, kExhaustive);
}

}  // namespace
}  // namespace kinloop::architecture
