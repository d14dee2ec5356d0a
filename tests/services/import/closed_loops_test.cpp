// Tests the loops of a URDF: by its own element <loop>, and by a file beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/constraints/compile.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/model/model.hpp"
#include "services/files/load_model.hpp"
#include "tests/services/import/import_fixture.hpp"

namespace kinloop {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::string barred_link(const std::string& name) {
  return "<link name='" + name +
         "'><inertial><origin xyz='0.1 0.02 0'/><mass value='1.5'/><inertia ixx='0.01' ixy='0' ixz='0' iyy='0.02' "
         "iyz='0' izz='0.03'/></inertial></link>\n";
}

std::string barred_hinge(const std::string& name, const std::string& parent, const std::string& child,
                         const std::string& xyz, const std::string& rpy = "0 0 0") {
  return "<joint name='" + name + "' type='continuous'><parent link='" + parent + "'/><child link='" + child +
         "'/><origin xyz='" + xyz + "' rpy='" + rpy + "'/><axis xyz='0 1 0'/></joint>\n";
}

constexpr double kElevation_rad = 1.0;

/// A parallelogram in the x-z plane, open behind its coupler; crank and rocker rise from the x axis.
const std::string kOpenFourBar = "<robot name='four_bar'>\n<link name='world'/>\n" + barred_link("crank") +
                                 barred_link("coupler") + barred_link("rocker") +
                                 barred_hinge("j1", "world", "crank", "0 0 0", "0 -1 0") +
                                 barred_hinge("j2", "crank", "coupler", "0.3 0 0", "0 1 0") +
                                 barred_hinge("j3", "world", "rocker", "0.5 0 0", "0 -1 0");

/// By the law of the parallelogram: crank and rocker turn alike, the coupler keeps its direction and moves as the end
/// of the crank does.
std::map<std::string, double> accelerations_by_law() {
  constexpr double kMass = 1.5, kInertia = 0.02, kArm = 0.1, kCrank = 0.3, kGravity = 9.81;
  const double J = 2.0 * (kInertia + kMass * kArm * kArm) + kMass * kCrank * kCrank;
  const double moment = kGravity * std::cos(kElevation_rad) * kMass * (2.0 * kArm + kCrank);
  return {{"j1", moment / J}, {"j2", -moment / J}, {"j3", moment / J}};  // about y, which lets what rises along x fall
}

std::string with_tips(const std::string& joint_of_b) {
  return kOpenFourBar + "<link name='tip_a'/><link name='tip_b'/>\n" +
         "<joint name='a' type='fixed'><parent link='coupler'/><child link='tip_a'/><origin xyz='0.5 0 0'/></joint>\n" +
         joint_of_b + "</robot>";
}

const std::string kFixedTip =
    "<joint name='b' type='fixed'><parent link='rocker'/><child link='tip_b'/><origin xyz='0.3 0 0' rpy='0 1 0'/>"
    "</joint>\n";

Result<LoadedModel, std::vector<Error>> load_with_loops(const std::string& robot, const std::string& loops) {
  LoadOptions options;
  if (!loops.empty()) options.closed_loops = write_test_file("loops.yaml", loops);
  return load_model(write_test_file("robot.urdf", robot), options);
}

std::vector<std::string> errors_with_loops(const std::string& robot, const std::string& loops) {
  const auto loaded = load_with_loops(robot, loops);
  return loaded ? std::vector<std::string>{} : lines_of(loaded.error());
}

/// Of the hinges, at rest.
std::map<std::string, double> hinge_accelerations(const std::string& robot, const std::string& loops) {
  const auto loaded = load_with_loops(robot, loops);
  if (!loaded) {
    ADD_FAILURE() << testing::PrintToString(lines_of(loaded.error()));
    return {};
  }
  const Model& model = loaded->model;
  Workspace ws(model);
  const auto dynamics = make_dynamics("auto", model);
  EXPECT_TRUE(dynamics);
  EXPECT_EQ(accelerations(model, State(model), Loads(model), **dynamics, ws), StepStatus::kOk);
  std::map<std::string, double> all;
  for (int i = 0; i < model.nv(); ++i) {
    const std::string name = model.speed_name(i);
    if (name == "j1" || name == "j2" || name == "j3") all[name] = ws.vdot[i];
  }
  return all;
}

void expect_the_law(const std::map<std::string, double>& found) {
  for (const auto& [joint, value] : accelerations_by_law()) {
    ASSERT_TRUE(found.contains(joint)) << joint;
    EXPECT_NEAR(found.at(joint), value, 1e-10 * std::abs(value)) << joint;
  }
}

TEST(ClosedLoops, AnElementOfTheUrdfClosesALoop) {
  const std::string loop =
      "<loop name='close' type='revolute'><predecessor link='coupler'><origin xyz='0.5 0 0'/></predecessor>"
      "<successor link='rocker'><origin xyz='0.3 0 0' rpy='0 1 0'/></successor><axis xyz='0 1 0'/></loop>\n</robot>";

  expect_the_law(hinge_accelerations(kOpenFourBar + loop, ""));
}

TEST(ClosedLoops, AFileSaysWhichOriginsCoincide) {
  expect_the_law(hinge_accelerations(with_tips(kFixedTip), "closed_loop: [[tip_a, tip_b]]\ntype: ['3d']\n"));
}

TEST(ClosedLoops, AFileSaysWhichFramesCoincideInAll) {
  const std::string robot = with_tips(barred_hinge("b", "rocker", "tip_b", "0.3 0 0", "0 1 0"));

  expect_the_law(hinge_accelerations(robot, "closed_loop: [[tip_a, tip_b]]\n"));
  expect_the_law(hinge_accelerations(robot, "closed_loop: [[a, b]]\ntype: [6D]\n"));  // frames of joints
}

TEST(ClosedLoops, AFileSaysWhichJointsAreOfOtherTypes) {
  const std::string robot = with_tips(
      "<joint name='b' type='continuous'><parent link='rocker'/><child link='tip_b'/>"
      "<origin xyz='0.3 0 0' rpy='0 1 0'/><axis xyz='1 0 0'/></joint>\n");

  for (const char* type : {"SPHERICAL", "CARDAN", "UJOINT_YX", "UJOINT_YZ", "UJOINT_ZY"}) {
    expect_the_law(hinge_accelerations(
        robot, std::string("closed_loop: [[tip_a, tip_b]]\njoint_name: [b]\njoint_type: [") + type + "]\n"));
  }
}

TEST(ClosedLoops, AUniversalJointTurnsAboutItsTwoAxesAlone) {
  const std::string robot = with_tips(barred_hinge("b", "rocker", "tip_b", "0.3 0 0", "0 1 0"));

  const auto found =
      hinge_accelerations(robot, "closed_loop: [[tip_a, tip_b]]\njoint_name: [b]\njoint_type: [UJOINT_XZ]\n");

  for (const auto& [joint, value] : found) EXPECT_NEAR(value, 0.0, 1e-9) << joint;
}

TEST(ClosedLoops, WhatIsNotReadIsSaid) {
  const auto loaded =
      load_with_loops(with_tips(kFixedTip), "closed_loop: [[tip_a, tip_b]]\ntype: [3d]\nname_mot: [j1]\n");

  ASSERT_TRUE(loaded);
  EXPECT_THAT(lines_of(loaded->warnings), Contains(HasSubstr("loops.yaml:3:1: name_mot: is ignored")));
}

TEST(ClosedLoops, NamesThatAreNotThereHaveTheirPlace) {
  EXPECT_THAT(
      errors_with_loops(with_tips(kFixedTip),
                        "closed_loop: [[tip_a, tip_c]]\ntype: [3d]\njoint_name: [bb]\njoint_type: [FIXED]\n"),
      ElementsAre(HasSubstr("loops.yaml:1:15: frame 'tip_c': there is no such link or joint; did you mean 'tip_"),
                  HasSubstr("loops.yaml:3:14: joint 'bb': there is no such joint; did you mean 'b'?")));
}

TEST(ClosedLoops, AFileThatIsWrongIsRefusedWithAllThatIs) {
  EXPECT_THAT(
      errors_with_loops(with_tips(kFixedTip),
                        "closed_loop: [[tip_a], 3]\ntype: [4d, 3d]\njoint_name: [b]\njoint_type: [BALL]\n"),
      ElementsAre(HasSubstr("loops.yaml:1:15: closed_loop[0]: expected the names of two frames"),
                  HasSubstr("loops.yaml:1:24: closed_loop[1]: expected the names of two frames"),
                  HasSubstr("loops.yaml:4:14: joint_type[0]: 'BALL' is none of 'SPHERICAL', 'CARDAN', 'FIXED',")));
  EXPECT_THAT(errors_with_loops(with_tips(kFixedTip), "closed_loop: [[tip_a, tip_b]]\ntype: [3d, 6d]\n"),
              ElementsAre(HasSubstr("loops.yaml:2:7: type: has 2 entries, closed_loop has 1")));
  EXPECT_THAT(errors_with_loops(with_tips(kFixedTip), "loops: []\n"), Contains(HasSubstr("missing key 'closed_loop'")));
}

TEST(ClosedLoops, OnlyAUrdfTakesAFileOfThem) {
  LoadOptions options;
  options.closed_loops = write_test_file("loops.yaml", "closed_loop: []\n");

  const auto loaded = load_model(std::string(KINLOOP_SOURCE_DIR) + "/configs/models/four_bar.yaml", options);

  ASSERT_FALSE(loaded);
  EXPECT_THAT(lines_of(loaded.error()), ElementsAre(HasSubstr("closes loops of a URDF, not of Kinloop model")));
}

TEST(ClosedLoops, AnElementThatIsWrongIsRefusedWithAllThatIs) {
  const std::string loops =
      "<loop type='revolut'><predecessor link='coupler'><origin xyz='0.5 0'/></predecessor><axis xyz='0 0 0'/></loop>\n"
      "<loop name='l' type='revolute'><predecessor link='couple'/><successor/><axis xyz='0 0 0'/></loop>\n</robot>";

  EXPECT_THAT(errors_with_loops(kOpenFourBar + loops, ""),
              ElementsAre(HasSubstr("loop '': has no name"), HasSubstr("loop '': has no <successor>"),
                          HasSubstr("type 'revolut' is none of 'revolute',"), HasSubstr("is no list of three numbers"),
                          HasSubstr("no link is named 'couple'; did you mean 'coupler'?"),
                          HasSubstr("<successor> has no attribute 'link'"), HasSubstr("<axis> is zero")));
}

}  // namespace
}  // namespace kinloop
