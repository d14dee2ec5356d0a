// Tests that a new type of actuator is one file and one entry: nobody else in core tells the types apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "tests/architecture/tree_files.hpp"

namespace kinloop::architecture {
namespace {

TEST(ActuatorKnowledge, StandsInTheTableOfActuators) {
  std::set<std::string> found;
  for (const char* folder : {"core", "rt"}) {
    for (const char* extension : {".cpp", ".hpp"}) {
      for (const std::filesystem::path& file : tree_files(folder, extension)) {
        const std::string name = file.lexically_relative(KINLOOP_SOURCE_DIR).generic_string();
        if (name.starts_with("core/actuators/")) continue;
        std::ifstream stream(file);
        for (std::string line; std::getline(stream, line);) {
          if (line.find("ActuatorKind::") != std::string::npos) found.insert(name);
        }
      }
    }
  }

  EXPECT_THAT(found, testing::IsEmpty());
}

}  // namespace
}  // namespace kinloop::architecture
