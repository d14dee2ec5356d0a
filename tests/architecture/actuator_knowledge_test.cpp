// Tests that a new type of actuator is one file and one entry, in core and in the rig files: nobody else tells the
// types apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "tests/architecture/tree_files.hpp"

namespace kinloop::architecture {
namespace {

/// Files below the folder that name a kind of actuator.
std::set<std::string> files_that_name_kinds(const char* folder) {
  std::set<std::string> found;
  for (const char* extension : {".cpp", ".hpp"}) {
    for (const std::filesystem::path& file : tree_files(folder, extension)) {
      std::ifstream stream(file);
      for (std::string line; std::getline(stream, line);) {
        if (line.find("ActuatorKind::") == std::string::npos) continue;
        found.insert(file.lexically_relative(KINLOOP_SOURCE_DIR).generic_string());
      }
    }
  }
  return found;
}

TEST(ActuatorKnowledge, StandsInTheTableOfActuators) {
  const std::set<std::string> of_core = files_that_name_kinds("core");

  EXPECT_THAT(of_core, testing::Each(testing::StartsWith("core/actuators/")));
  EXPECT_THAT(of_core, testing::Contains("core/actuators/dc_motor.cpp"));
  EXPECT_THAT(files_that_name_kinds("rt"), testing::IsEmpty());
}

TEST(ActuatorKnowledge, OfRigFilesStandsInOneFileAKind) {
  const std::set<std::string> expected = {"services/rig/cylinder_syntax.cpp", "services/rig/dc_motor_syntax.cpp",
                                          "services/rig/force_syntax.cpp"};

  EXPECT_EQ(files_that_name_kinds("services"), expected);
}

}  // namespace
}  // namespace kinloop::architecture
