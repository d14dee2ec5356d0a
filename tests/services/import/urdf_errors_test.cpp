// Tests what the import of URDF says about bad files, and that hostile ones do no harm.
#include <gtest/gtest.h>

#include <locale>

#include "services/import/urdf.hpp"
#include "services/import/xml_element.hpp"
#include "tests/services/import/import_fixture.hpp"

namespace kinloop {
namespace {

using Lines = std::vector<std::string>;

Lines urdf_errors_errors_of(const std::string& text) {
  const ImportResult model = import_urdf(write_test_file("bad.urdf", text));
  return model ? Lines{"no error"} : lines_of(model.error());
}

/// The text between two lines, so that it starts in line 2.
Lines urdf_errors_errors_of_content(const std::string& content) {
  return urdf_errors_errors_of("<robot name=\"r\">\n" + content + "\n</robot>\n");
}

TEST(UrdfErrors, NamesAFileThatDoesNotExist) {
  const ImportResult model = import_urdf("no/such.urdf");

  ASSERT_FALSE(model);
  EXPECT_EQ(model.error(), (std::vector<Error>{{"no/such.urdf", "cannot open the file: No such file or directory"}}));
}

TEST(UrdfErrors, TellsOtherFormats) {
  EXPECT_EQ(urdf_errors_errors_of("<sdf version=\"1.7\"/>"),
            (Lines{"bad.urdf:1:1: is no URDF: its root is <sdf>, not <robot> (an SDF file)"}));
  EXPECT_EQ(urdf_errors_errors_of("model: x"), (Lines{"bad.urdf: is no XML: Error document empty."}));
  EXPECT_EQ(urdf_errors_errors_of(""), (Lines{"bad.urdf: is no XML: Error document empty."}));
}

TEST(UrdfErrors, PlacesASlipInTheXml) {
  EXPECT_EQ(urdf_errors_errors_of("<robot name=\"r\">\n  <link name=\"a\">\n</robot>\n"),
            (Lines{"bad.urdf:3:1: is no XML: Error reading end tag."}));
}

TEST(UrdfErrors, ReportsAllProblemsOfLinksAtOnce) {
  EXPECT_EQ(urdf_errors_errors_of_content(R"(<link name="a"><inertial><mass value="1,5"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="nan" iyz="0"/></inertial></link>
<link name="a"/>
<link/>
<link name="b"><inertial><origin xyz="1 2"/><mass/></inertial></link>
<link name="c"><visual><geometry><box size="1 2 x"/></geometry></visual></link>
<link name="d"><visual/></link>)"),
            (Lines{"bad.urdf:2:32: link 'a': <mass> value='1,5' is no number",
                   "bad.urdf:3:1: link 'a': <inertia> has no attribute 'izz'",
                   "bad.urdf:3:34: link 'a': <inertia> iyy='nan' is no number",
                   "bad.urdf:4:1: link 'a': the link in line 2 has the same name", "bad.urdf:5:1: <link> has no name",
                   "bad.urdf:6:16: link 'b': <inertial> has no <inertia>",
                   "bad.urdf:6:34: link 'b': <origin> xyz='1 2' is no list of three numbers",
                   "bad.urdf:6:45: link 'b': <mass> has no attribute 'value'",
                   "bad.urdf:7:39: link 'c': <box> size='1 2 x' is no list of three numbers",
                   "bad.urdf:8:16: link 'd': <visual> has no <geometry>"}));
}

TEST(UrdfErrors, ReportsAllProblemsOfJointsAtOnce) {
  EXPECT_EQ(
      urdf_errors_errors_of_content(R"(<link name="a"/><link name="b"/>
<joint name="j1" type="hinge"><parent link="a"/><child link="b"/></joint>
<joint name="j2" type="fixed"><parent link="x"/></joint>
<joint name="j3" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 0"/></joint>
<joint name="j3" type="fixed"/>
<joint name="j4"><parent/><child link="a"/></joint>
<joint name="j5" type="prismatic"><parent link="b"/><child link="a"/><limit lower="q"/><mimic joint="k"/></joint>
<joint name="j6" type="revolut"><parent link="b"/><child link="b"/></joint>)"),
      (Lines{"bad.urdf:3:18: joint 'j1': type 'hinge' is none of 'revolute', 'continuous', 'prismatic', 'fixed', "
             "'floating', 'planar'",
             "bad.urdf:4:1: joint 'j2': <joint> has no <child>",
             "bad.urdf:4:39: joint 'j2': parent: no link is named 'x'",
             "bad.urdf:5:1: joint 'j3': link 'b' is already the child of joint 'j1'; what closes a loop is a <loop>",
             "bad.urdf:5:1: joint 'j3': a revolute joint needs a <limit>", "bad.urdf:5:75: joint 'j3': <axis> is zero",
             "bad.urdf:6:1: joint 'j3': the joint in line 5 has the same name", "bad.urdf:7:1: joint 'j4': has no type",
             "bad.urdf:7:18: joint 'j4': <parent> has no attribute 'link'",
             "bad.urdf:8:70: joint 'j5': <limit> has no attribute 'effort'",
             "bad.urdf:8:70: joint 'j5': <limit> has no attribute 'velocity'",
             "bad.urdf:8:77: joint 'j5': <limit> lower='q' is no number",
             "bad.urdf:9:1: joint 'j6': joins link 'b' with itself",
             "bad.urdf:9:1: joint 'j6': link 'b' is already the child of joint 'j1'; what closes a loop is a <loop>",
             "bad.urdf:9:18: joint 'j6': type 'revolut' is none of 'revolute', 'continuous', 'prismatic', "
             "'fixed', 'floating', 'planar'; did you mean 'revolute'?"}));
}

TEST(UrdfErrors, FindsASecondRoot) {
  EXPECT_EQ(urdf_errors_errors_of_content("<link name=\"a\"/>\n<link name=\"b\"/>"),
            (Lines{"bad.urdf:3:1: link 'b': is the child of no joint, as is link 'a': a URDF has one root"}));
}

TEST(UrdfErrors, FindsACycleBesideTheTree) {
  EXPECT_EQ(urdf_errors_errors_of_content(R"(<link name="root"/><link name="a"/><link name="b"/>
<joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>
<joint name="ba" type="fixed"><parent link="b"/><child link="a"/></joint>)"),
            (Lines{"bad.urdf:4:1: joint 'ba': is part of a cycle of joints; what closes a loop is a <loop>"}));
}

TEST(UrdfErrors, RefusesAFileWithoutLinks) {
  EXPECT_EQ(urdf_errors_errors_of("<robot name=\"r\"/>"), (Lines{"bad.urdf:1:1: has no links"}));
}

TEST(UrdfErrors, RefusesImpossibleMasses) {
  EXPECT_EQ(urdf_errors_errors_of_content(
                R"(<link name="a"><inertial><mass value="-1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
</inertial></link>)"),
            (Lines{"bad.urdf:2:16: link 'a': the mass is negative"}));
}

TEST(UrdfErrors, RefusesImpossibleJointValues) {
  EXPECT_EQ(
      urdf_errors_errors_of_content(R"(<link name="a"/><link name="b"/><link name="c"/><link name="d"/>
<joint name="ab" type="revolute"><parent link="a"/><child link="b"/>
<limit lower="2" upper="1" effort="0" velocity="0"/></joint>
<joint name="bc" type="continuous"><parent link="b"/><child link="c"/>
<dynamics damping="-1" friction="-1"/></joint>
<joint name="cg" type="floating"><parent link="c"/><child link="d"/>
<mimic joint="ab"/></joint>)"),
      (Lines{"bad.urdf:4:1: joint 'ab': the lower limit is above the upper one",
             "bad.urdf:6:1: joint 'bc': the damping is negative", "bad.urdf:6:1: joint 'bc': the friction is negative",
             "bad.urdf:8:1: joint 'cg': mimic: joint 'cg' has not exactly one coordinate"}));
}

TEST(UrdfErrors, PassesOnWhatOnlyUrdfdomRefusesAndPrintsNothing) {
  testing::internal::CaptureStderr();
  const Lines lines = urdf_errors_errors_of("<robot name=\"r\" version=\"9.9\"><link name=\"a\"/></robot>");

  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with("bad.urdf: urdfdom refuses it: ")) << lines[0];
}

TEST(UrdfErrors, RefusesEntitiesBeforeTheyCanGrow) {
  EXPECT_EQ(urdf_errors_errors_of(
                "<?xml version=\"1.0\"?>\n<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]>\n"
                "<robot name=\"&b;\"/>"),
            (Lines{"bad.urdf:2:1: document type declarations and entities are not accepted"}));
}

TEST(UrdfErrors, RefusesDeepNesting) {
  std::string text = "<robot name=\"r\">\n";
  for (int i = 0; i < 1000000; ++i) text += "<a>";

  EXPECT_EQ(urdf_errors_errors_of(text), (Lines{"bad.urdf:2:190: elements are nested more than 64 deep"}));
}

TEST(UrdfErrors, RefusesBytesThatAreNoText) {
  EXPECT_EQ(urdf_errors_errors_of("<robot name=\"r\xff\"/>"), (Lines{"bad.urdf:1:15: the file is not text in UTF-8"}));
  EXPECT_EQ(urdf_errors_errors_of(std::string("<robot name=\"r\0\"/>", 18)),
            (Lines{"bad.urdf:1:15: the file is not text in UTF-8"}));
}

TEST(UrdfErrors, RefusesANameThatIsAReferenceToNul) {
  EXPECT_EQ(urdf_errors_errors_of("<robot name=\"r\"><link name=\"&#x0;\"/></robot>"),
            (Lines{"bad.urdf:1:17: <link> has no name"}));
}

TEST(UrdfErrors, RefusesAFileThatIsTooLarge) {
  const std::filesystem::path path = write_test_file("large.urdf", "");
  std::filesystem::resize_file(path, kMaxImportBytes + 1);  // sparse

  const ImportResult model = import_urdf(path);

  std::filesystem::remove(path);
  ASSERT_FALSE(model);
  EXPECT_EQ(lines_of(model.error()), (Lines{"large.urdf: the file is larger than 64 MiB"}));
}

TEST(UrdfErrors, SurvivesEveryWayToCutAFileShort) {
  const std::string text = R"(<?xml version="1.0"?><!-- c --><robot name="r"><link name="a"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><![CDATA[x]]></robot>)";
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_NE(urdf_errors_errors_of(text.substr(0, length)), (Lines{"no error"})) << length;
  }
}

/// Writes 1.5 as "1,5", as in most of Europe.
class UrdfErrorsCommaDecimals : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(UrdfLocale, ReadsDecimalPointsWhateverTheLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new UrdfErrorsCommaDecimals));

  const ImportResult model = import_urdf(write_test_file("l.urdf", R"(<robot name="r"><link name="a"><inertial>
      <origin xyz="0.125 0 0"/><mass value="1.5"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
      </inertial></link></robot>)"));

  std::locale::global(before);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->spec.bodies[0].mass, 1.5);
  EXPECT_EQ(model->spec.bodies[0].com.x(), 0.125);
}

}  // namespace
}  // namespace kinloop
