// Tests Fields: what a loader gets, and what the user is told.
#include "services/files/field_reader.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numbers>
#include <string>

#include "services/files/parameters.hpp"
#include "services/files/yaml_document.hpp"
#include "tests/support/error_text.hpp"

namespace kinloop {
namespace {

enum class Shape { kBox, kSphere, kCylinder };
constexpr std::array<KindName<Shape>, 3> kShapes{
    {{Shape::kBox, "box"}, {Shape::kSphere, "sphere"}, {Shape::kCylinder, "cylinder"}}};

// A file and everything that reading it needs.
class FieldsTest : public testing::Test {
 protected:
  Fields fields(const std::string& text, const std::string& path = "") {
    auto document = parse_yaml(text, "m.yaml");
    EXPECT_TRUE(document) << (document ? "" : to_text(document.error()));
    if (document) document_ = std::move(*document);
    return {document_.root, path, diagnostics_, scope_};
  }
  std::string errors() const { return to_text(diagnostics_.errors()); }

  YamlDocument document_;
  Diagnostics diagnostics_{"m.yaml"};
  ParameterScope scope_;
};

TEST_F(FieldsTest, ReadsEveryKindOfValue) {
  Fields f = fields(
      "name: arm\nmass: 2 kg\ncom: [0, 10 mm, -1]\ninertia: [[1, 0, 0], [0, 2, 0], [0, 0, 3 kg*m^2]]\n"
      "count: 3\nfixed: true\ngains: [1, 2, 3, 4]\ntags: [a, b]\nshape: sphere\n");

  EXPECT_EQ(f.text("name"), "arm");
  EXPECT_DOUBLE_EQ(f.number("mass", Dimension::mass(), Range::kPositive), 2.0);
  EXPECT_EQ(f.vector3("com", Dimension::length()), Eigen::Vector3d(0.0, 0.01, -1.0));
  EXPECT_DOUBLE_EQ(f.matrix3("inertia", Dimension::inertia())(2, 2), 3.0);
  EXPECT_EQ(f.integer("count", 0, 10), 3);
  EXPECT_TRUE(f.boolean("fixed"));
  EXPECT_EQ(f.numbers("gains", Dimension::none()).size(), 4U);
  EXPECT_EQ(f.texts("tags"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(f.choice<Shape>("shape", kShapes), Shape::kSphere);
  f.finish();
  EXPECT_EQ(errors(), "");
}

TEST_F(FieldsTest, AnAbsentOptionalKeyIsNoError) {
  Fields f = fields("a: 1\n");

  EXPECT_EQ(f.optional_number("x", Dimension::mass()), std::nullopt);
  EXPECT_DOUBLE_EQ(f.number_or("y", Dimension::mass(), 7.0), 7.0);
  EXPECT_EQ(f.choice_or<Shape>("z", kShapes, Shape::kCylinder), Shape::kCylinder);
  EXPECT_FALSE(f.optional_child("c"));
  EXPECT_TRUE(f.optional_list("l").empty());
  EXPECT_EQ(errors(), "");
}

TEST_F(FieldsTest, AMissingKeyPointsAtItsParent) {
  Fields f = fields("bodies:\n  - name: arm\n");

  f.list("bodies")[0].number("mass", Dimension::mass());

  EXPECT_EQ(errors(), "m.yaml:2:5: bodies[0]: missing key 'mass'\n");
}

TEST_F(FieldsTest, AnUnknownKeyIsReportedWithASuggestion) {
  Fields f = fields("mas: 1\nzzz: 2\n", "bodies[2]");

  f.optional_number("mass", Dimension::mass());
  f.finish();

  EXPECT_EQ(errors(),
            "m.yaml:1:1: bodies[2]: unknown key 'mas'; did you mean 'mass'?\n"
            "m.yaml:2:1: bodies[2]: unknown key 'zzz'\n");
}

TEST_F(FieldsTest, AWrongDimensionNamesBoth) {
  Fields f = fields("length: 3 kg\nmass: 30 deg\n");

  f.number("length", Dimension::length());
  f.number("mass", Dimension::mass());

  EXPECT_EQ(errors(),
            "m.yaml:1:9: length: expected a length, got 'kg'\n"
            "m.yaml:2:7: mass: expected a mass, got 'deg'\n");
}

TEST_F(FieldsTest, AnErrorInAnExpressionPointsIntoIt) {
  Fields f = fields("length: \"2 * crnak\"\n");
  scope_.set("crank", Quantity{});

  f.number("length", Dimension::length());

  EXPECT_EQ(errors(), "m.yaml:1:14: length: unknown parameter 'crnak'; did you mean 'crank'?\n");
}

TEST_F(FieldsTest, AWrongParameterIsNotReportedAgainWhereItIsUsed) {
  Fields f = fields("length: 2 * crank\n");
  scope_.set("crank", std::nullopt);

  f.number("length", Dimension::length());

  EXPECT_EQ(errors(), "");
}

TEST_F(FieldsTest, ANumberOutOfItsRangeIsAnError) {
  Fields f = fields("mass: -2\nduty: 1.5\ncount: 2.5\n");

  f.number("mass", Dimension::mass(), Range::kPositive);
  f.number("duty", Dimension::none(), Range::kZeroToOne);
  f.integer("count", 0, 8);

  EXPECT_EQ(errors(),
            "m.yaml:1:7: mass: must be positive, got -2\n"
            "m.yaml:2:7: duty: must be between 0 and 1, got 1.5\n"
            "m.yaml:3:8: count: expected a whole number from 0 to 8, got 2.5\n");
}

TEST_F(FieldsTest, AWrongShapeIsAnError) {
  Fields f = fields("mass: [1]\ncom: [1, 2]\ninertia: 3\nname: {a: 1}\nflag: yes\nempty:\n");

  f.number("mass", Dimension::mass());
  f.vector3("com", Dimension::length());
  f.matrix3("inertia", Dimension::inertia());
  f.text("name");
  f.boolean("flag");
  f.optional_text("empty");

  EXPECT_EQ(errors(),
            "m.yaml:1:7: mass: expected a mass, got a list\n"
            "m.yaml:2:6: com: expected a list of 3 numbers, got a list of 2\n"
            "m.yaml:3:10: inertia: expected a list of 3 rows, got a single value\n"
            "m.yaml:4:7: name: expected text, got a mapping\n"
            "m.yaml:5:7: flag: expected true or false, got 'yes'\n"
            "m.yaml:6:1: empty: has no value\n");
}

TEST_F(FieldsTest, EveryWrongItemOfAVectorIsReported) {
  Fields f = fields("com: [x, 1, 2 s]\n", "bodies[1]");

  f.vector3("com", Dimension::length());

  EXPECT_EQ(errors(),
            "m.yaml:1:7: bodies[1].com[0]: unknown parameter 'x'\n"
            "m.yaml:1:13: bodies[1].com[2]: expected a length, got 's'\n");
}

TEST_F(FieldsTest, AWrongChoiceListsTheAllowedOnes) {
  Fields f = fields("type: spere\n");

  EXPECT_EQ(f.choice<Shape>("type", kShapes), std::nullopt);

  EXPECT_EQ(errors(), "m.yaml:1:7: type: 'spere' is not one of 'box', 'sphere', 'cylinder'; did you mean 'sphere'?\n");
}

TEST_F(FieldsTest, AMissingChildIsReportedOnce) {
  Fields f = fields("a: 1\n");

  Fields child = f.child("shape");
  child.number("radius", Dimension::length());
  child.child("deeper").text("name");
  child.finish();

  EXPECT_EQ(errors(), "m.yaml:1:1: missing key 'shape'\n");
}

TEST_F(FieldsTest, AnItemThatIsNoMappingIsReportedOnce) {
  Fields f = fields("bodies: [1, {name: b}]\n");

  for (Fields& body : f.list("bodies")) body.text("name");

  EXPECT_EQ(errors(), "m.yaml:1:10: bodies[0]: expected a mapping of keys to values, got a single value\n");
}

TEST_F(FieldsTest, NamedEntriesComeInFileOrderWithTheirPaths) {
  Fields f = fields("frames:\n  tip: {x: 1}\n  base: {x: 2}\n");

  const auto frames = f.optional_entries("frames");

  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].first, "tip");
  EXPECT_EQ(frames[1].second.path(), "frames.base");
}

TEST_F(FieldsTest, ALoaderMayReportItsOwnErrors) {
  Fields f = fields("a: 1\nb: 2\n", "rig");

  f.error("b", "must differ from a");
  f.error("c", "is needed with b");

  EXPECT_EQ(errors(), "m.yaml:1:1: rig.c: is needed with b\nm.yaml:2:4: rig.b: must differ from a\n");
}

TEST(Diagnostics, AreSortedAndCapped) {
  Diagnostics diagnostics("m.yaml");
  for (int line = 70; line > 0; --line) diagnostics.add({line, 1}, "", "wrong");

  const std::vector<Error> errors = diagnostics.errors();

  ASSERT_EQ(errors.size(), Diagnostics::kShownErrors + 1);
  EXPECT_EQ(to_line(errors.front()), "m.yaml:1:1: wrong");
  EXPECT_EQ(to_line(errors.back()), "m.yaml: and 20 more errors");
}

}  // namespace
}  // namespace kinloop
