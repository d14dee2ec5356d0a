// Tests that every kind of file finds its reader.
#include "services/files/load_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "services/files/diagnostics.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop {
namespace {

using testing::HasSubstr;

constexpr const char* kRobot =
    "<?xml version=\"1.0\"?>\n<robot name=\"r\"><link name=\"world\"/><link name=\"arm\"><inertial><mass value=\"1\"/>"
    "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j\" "
    "type=\"continuous\"><parent link=\"world\"/><child link=\"arm\"/><axis xyz=\"0 1 0\"/></joint></robot>\n";

std::string written(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path) << text;
  return path.string();
}

TEST(LoadModel, EveryModelThatComesWithTheProjectLoads) {
  const std::filesystem::path folder = std::filesystem::path(KINLOOP_SOURCE_DIR) / "configs" / "models";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto loaded = load_model(entry.path());
    ASSERT_TRUE(loaded) << to_text(loaded.error());
    EXPECT_EQ(loaded->kind, FileKind::kKinloop);
    ++count;
  }
  EXPECT_GT(count, 0);
}

TEST(LoadModel, UrdfIsKnownByExtensionAndByContent) {
  for (const char* name : {"robot.urdf", "robot.URDF", "robot.xml"}) {
    const auto loaded = load_model(written(name, kRobot));

    ASSERT_TRUE(loaded) << to_text(loaded.error());
    EXPECT_EQ(loaded->kind, FileKind::kUrdf);
    EXPECT_EQ(loaded->model.nv(), 1);
  }
}

TEST(LoadModel, AFileOfNoKnownKindSaysWhatIsExpected) {
  const auto loaded = load_model(written("shopping.yaml", "milk: 2\neggs: 12\n"));

  ASSERT_FALSE(loaded);
  EXPECT_THAT(to_text(loaded.error()), HasSubstr("is neither a Kinloop model"));
}

TEST(LoadModel, ErrorsOfAModelHavePlaces) {
  const auto loaded = load_model(written("broken.yaml", "bodies: {arm: {mass: heavy}}\njoints: {}\n"));

  ASSERT_FALSE(loaded);
  EXPECT_THAT(to_text(loaded.error()), HasSubstr("broken.yaml:1:"));
}

}  // namespace
}  // namespace kinloop
