// Tests that every kind of file finds its reader.
#include "services/files/load_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "services/base/diagnostics.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop {
namespace {

using testing::HasSubstr;

constexpr const char* kRobot =
    "<?xml version=\"1.0\"?>\n<robot name=\"r\"><link name=\"world\"/><link name=\"arm\"><inertial><mass value=\"1\"/>"
    "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j\" "
    "type=\"continuous\"><parent link=\"world\"/><child link=\"arm\"/><axis xyz=\"0 1 0\"/></joint></robot>\n";

std::string written(const std::string& name, const std::string& text) {
  const std::filesystem::path path = process_folder() / name;
  std::ofstream(path) << text;
  return path.string();
}

TEST(LoadModel, EveryModelThatComesWithTheProjectLoads) {
  const std::vector<std::string> names = test::config_names();
  for (const std::string& name : names) {
    const auto loaded = load_model(test::config_path(name));
    ASSERT_TRUE(loaded) << to_text(loaded.error());
    EXPECT_EQ(loaded->kind, FileKind::kKinloop);
  }
  EXPECT_FALSE(names.empty());
}

TEST(LoadModel, UrdfIsKnownByExtensionAndByContent) {
  for (const char* name : {"robot.urdf", "robot.URDF", "robot.xml"}) {
    const auto loaded = load_model(written(name, kRobot));

    ASSERT_TRUE(loaded) << to_text(loaded.error());
    EXPECT_EQ(loaded->kind, FileKind::kUrdf);
    EXPECT_EQ(loaded->model.nv(), 1);
  }
}

TEST(LoadModel, AParameterMayBeSetFromOutside) {
  const auto loaded =
      load_model(test::config_path("n_four_bar"), {{}, {{"windows", "2"}, {"length", "windows * 80 cm"}}});

  ASSERT_TRUE(loaded) << to_text(loaded.error());
  EXPECT_EQ(loaded->model.loops().size(), 2U);
  EXPECT_DOUBLE_EQ(loaded->model.spec().bodies.at(0).com.x(), 0.8);
}

TEST(LoadModel, WhatIsWrongWithASettingIsSaidOfTheSetting) {
  const auto errors = [](const std::filesystem::path& path, const ParameterSetting& setting) {
    const auto loaded = load_model(path, {{}, {setting}});
    return loaded ? "" : to_text(loaded.error());
  };
  const std::filesystem::path path = test::config_path("n_four_bar");

  EXPECT_EQ(errors(path, {"windws", "3"}),
            "--set windws: the model has no parameter 'windws'; did you mean 'windows'?\n");
  EXPECT_EQ(errors(path, {"length", "3 mn"}),
            path.string() + ": parameters.length (--set): unknown unit 'mn'; did you mean 'mN'?\n");
  EXPECT_EQ(errors(test::vector_path("pendulum"), {"length", "3"}),
            "--set length: only a Kinloop model has parameters, not test vectors\n");
  EXPECT_EQ(errors(written("set.urdf", kRobot), {"length", "3"}),
            "--set length: only a Kinloop model has parameters, not URDF\n");
  EXPECT_EQ(errors(written("none.yaml", "kinloop: 1\nbodies: []\njoints: []\n"), {"length", "3"}),
            "--set length: the model has no parameters\n");
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
