// Tests files as other programs write them: what is wrong with them and can be done without is mended and said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/constraints/compile.hpp"
#include "core/model/model.hpp"
#include "services/import/sdf.hpp"
#include "services/import/urdf.hpp"
#include "tests/services/import/import_fixture.hpp"

namespace kinloop {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string sinful_link(const std::string& name, const std::string& mass, const std::string& moments) {
  return "<link name=\"" + name + "\"><inertial><mass value=\"" + mass + "\"/><inertia ixy=\"0\" ixz=\"0\" iyz=\"0\" " +
         moments + "/></inertial></link>\n";
}

std::string sinful_hinge(const std::string& name, const std::string& parent, const std::string& child,
                         const std::string& more = "") {
  return "<joint name=\"" + name + "\" type=\"continuous\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/><axis xyz=\"0 0 1\"/>" + more + "</joint>\n";
}

std::string sinful_weld(const std::string& parent, const std::string& child) {
  return "<joint name=\"" + parent + child + "\" type=\"fixed\"><parent link=\"" + parent + "\"/><child link=\"" +
         child + "\"/></joint>\n";
}

const std::string kSoundMoments = R"(ixx="1" iyy="1" izz="1")";

ImportResult sinful_robot(const std::string& content, const ImportOptions& options = {}) {
  return import_urdf_text("<robot name=\"r\">\n" + content + "</robot>", "r.urdf", options);
}

/// The warnings of a file that loads and compiles.
std::vector<std::string> warnings_of_sins(const ImportResult& model) {
  if (!model) {
    ADD_FAILURE() << testing::PrintToString(lines_of(model.error()));
    return {};
  }
  EXPECT_TRUE(compile(model->spec)) << model->spec.name;
  return lines_of(model->warnings);
}

TEST(ForeignSins, ANegativeMomentIsMendedAndSaid) {
  const std::string text = sinful_link("a", "1", kSoundMoments) + sinful_link("b", "1", R"(ixx="3" iyy="2" izz="-1")") +
                           sinful_hinge("j", "a", "b");
  const ImportResult model = sinful_robot(text);

  EXPECT_THAT(
      warnings_of_sins(model),
      Contains("r.urdf:3:16: link 'b': no body has this inertia: its principal moments -1, 2, 3 kg m^2 are taken "
               "as 0, 2, 3"));
  EXPECT_TRUE(model->spec.bodies[0].inertia.isApprox(Vector3(3.0, 2.0, 0.0).asDiagonal().toDenseMatrix()));
}

TEST(ForeignSins, AreRefusedWhereOneWantsThat) {
  const std::string text = sinful_link("a", "1", kSoundMoments) + sinful_link("b", "1", R"(ixx="3" iyy="2" izz="-1")") +
                           sinful_hinge("j", "a", "b");
  const ImportResult model = sinful_robot(text, {.impossible_masses = ImpossibleMasses::kRefused});

  ASSERT_FALSE(model);
  EXPECT_THAT(lines_of(model.error()), ElementsAre(HasSubstr("r.urdf:3:16: link 'b': no body has this inertia")));
}

TEST(ForeignSins, WhatIsImpossibleAloneMayBePossibleInItsBody) {
  const std::string text = sinful_link("a", "1", kSoundMoments) + sinful_link("b", "1", kSoundMoments) +
                           sinful_link("antenna", "0.1", R"(ixx="0.1" iyy="0.1" izz="-0.1")") +
                           sinful_link("foot", "0", R"(ixx="0.5" iyy="0.5" izz="0.5")") + sinful_hinge("j", "a", "b") +
                           sinful_weld("b", "antenna") + sinful_weld("b", "foot");
  const ImportResult model = sinful_robot(text, {.impossible_masses = ImpossibleMasses::kRefused});

  EXPECT_THAT(warnings_of_sins(model), Not(Contains(HasSubstr("inertia"))));
  EXPECT_NEAR(model->spec.bodies[0].inertia(2, 2), 1.4, 1e-12);
  EXPECT_NEAR(model->spec.bodies[0].mass, 1.1, 1e-12);
}

TEST(ForeignSins, WhatIsNegativeByRoundingIsZeroWithoutAWord) {
  for (const std::string moments : {R"(ixx="1" iyy="1" izz="-1e-10")", R"(ixx="1" iyy="1" izz="0")"}) {
    const ImportResult model = sinful_robot(sinful_link("a", "1", kSoundMoments) + sinful_link("b", "1", moments) +
                                                R"(<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
<axis xyz="1 0 0"/></joint>)",
                                            {.impossible_masses = ImpossibleMasses::kRefused});

    EXPECT_THAT(warnings_of_sins(model), Not(Contains(HasSubstr("inertia")))) << moments;
  }
}

TEST(ForeignSins, InertiaWithoutMassIsIgnoredAndSaid) {
  const ImportResult model =
      sinful_robot(sinful_link("a", "1", kSoundMoments) + sinful_link("b", "0", kSoundMoments) +
                   sinful_link("c", "1", kSoundMoments) + sinful_hinge("j", "a", "b") + sinful_hinge("k", "b", "c"));

  EXPECT_THAT(warnings_of_sins(model),
              Contains("r.urdf:3:16: link 'b': has inertia but no mass: its inertia is ignored"));
}

TEST(ForeignSins, AMimicOfAnUnknownJointMovesByItself) {
  const ImportResult model = sinful_robot(sinful_link("a", "1", kSoundMoments) + sinful_link("b", "1", kSoundMoments) +
                                          sinful_hinge("j1", "a", "b", "<mimic joint=\"j2\"/>"));

  EXPECT_THAT(warnings_of_sins(model),
              Contains(HasSubstr("joint 'j1': moves by itself: it mimics 'j2', and no joint has that "
                                 "name; did you mean 'j1'?")));
  EXPECT_TRUE(model->spec.couplings.empty());
}

TEST(ForeignSins, ALinkNamedGroundGetsAnotherName) {
  const ImportResult model = sinful_robot(
      sinful_link("base", "1", kSoundMoments) + sinful_link("ground", "1", kSoundMoments) +
      sinful_link("b", "1", kSoundMoments) + sinful_hinge("j", "base", "ground") + sinful_hinge("k", "ground", "b"));

  EXPECT_THAT(warnings_of_sins(model), Contains(HasSubstr("link 'ground': is called 'ground_link' here")));
  EXPECT_EQ(model->spec.bodies[0].name, "ground_link");
  EXPECT_EQ(model->spec.joints[1].predecessor, "ground_link");
}

TEST(ForeignSins, ARobotWithoutANameIsNamedAfterItsFile) {
  const ImportResult model = import_urdf_text(
      "<?xml version=\"1.0\"?>\n<!-- <robot> -->\n<robot>" + sinful_link("a", "1", kSoundMoments) + "</robot>",
      "dir/my arm.urdf", {});

  EXPECT_THAT(warnings_of_sins(model), Contains("dir/my arm.urdf:3:1: <robot> has no name: named after the file"));
  EXPECT_EQ(model->spec.name, "my_arm");
}

TEST(ForeignSins, ElementsOfOtherProgramsAreCounted) {
  const ImportResult model = sinful_robot(sinful_link("a", "1", kSoundMoments) + "<gazebo/><transmission/><gazebo/>");

  EXPECT_THAT(warnings_of_sins(model), Contains("r.urdf: elements ignored: <gazebo> 2, <transmission> 1"));
}

std::string sinful_sdf_link(const std::string& name) {
  return "<link name='" + name + "'><inertial><mass>1</mass></inertial></link>\n";
}

std::string sinful_sdf_hinge(const std::string& name, const std::string& parent, const std::string& child,
                             const std::string& axis) {
  return "<joint name='" + name + "' type='revolute'><parent>" + parent + "</parent><child>" + child +
         "</child><axis><xyz>" + axis + "</xyz></axis></joint>\n";
}

ImportResult geared_sdf(const std::string& first, const std::string& second) {
  return import_sdf_text(
      "<sdf version='1.7'><model name='m'>\n" + sinful_sdf_link("carrier") + sinful_sdf_link("rotor") +
          sinful_sdf_link("arm") + first + second +
          "<joint name='gears' type='gearbox'><parent>rotor</parent><child>arm</child>"
          "<gearbox_reference_body>carrier</gearbox_reference_body><gearbox_ratio>0.25</gearbox_ratio>"
          "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint></model></sdf>",
      "m.sdf", {});
}

TEST(ForeignSins, AGearboxCouplesTheJointsOfItsBodies) {
  const std::string rotor = sinful_sdf_hinge("spin", "carrier", "rotor", "0 0 1");

  const ImportResult same = geared_sdf(rotor, sinful_sdf_hinge("turn", "carrier", "arm", "0 0 1"));
  warnings_of_sins(same);
  ASSERT_EQ(same->spec.couplings.size(), 1U);
  EXPECT_EQ(same->spec.couplings[0].joint, "turn");
  EXPECT_EQ(same->spec.couplings[0].of, "spin");
  EXPECT_EQ(same->spec.couplings[0].ratio, -0.25);

  const ImportResult other_axis = geared_sdf(rotor, sinful_sdf_hinge("turn", "carrier", "arm", "0 0 -1"));
  warnings_of_sins(other_axis);
  EXPECT_EQ(other_axis->spec.couplings.at(0).ratio, 0.25);

  const ImportResult other_end = geared_sdf(rotor, sinful_sdf_hinge("turn", "arm", "carrier", "0 0 1"));
  warnings_of_sins(other_end);
  EXPECT_EQ(other_end->spec.couplings.at(0).ratio, 0.25);
}

TEST(ForeignSins, AGearboxWithoutItsJointsIsIgnoredAndSaid) {
  const ImportResult model = geared_sdf(sinful_sdf_hinge("spin", "carrier", "rotor", "0 0 1"),
                                        sinful_sdf_hinge("turn", "rotor", "arm", "0 0 1"));

  EXPECT_THAT(warnings_of_sins(model),
              Contains(HasSubstr("joint 'gears': is ignored: no revolute joint is between 'carrier' and 'arm'")));
}

TEST(ForeignSins, ElementsOfAModelThatAreNotReadAreSaid) {
  const ImportResult model =
      import_sdf_text("<sdf version='1.7' xmlns:drake='drake'><model name='m'>\n" + sinful_sdf_link("a") +
                          "<drake:linear_bushing_rpy/><drake:linear_bushing_rpy/></model></sdf>",
                      "m.sdf", {});

  EXPECT_THAT(warnings_of_sins(model),
              Contains(HasSubstr("model 'm': <drake:linear_bushing_rpy> is ignored: 2 of them")));
}

}  // namespace
}  // namespace kinloop
