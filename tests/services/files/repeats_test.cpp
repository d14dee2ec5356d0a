// Tests that a repeat gives the model that its entries written out would give.
#include "services/files/repeats.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/constraints/compile.hpp"
#include "services/base/diagnostics.hpp"
#include "services/cli/check_report.hpp"
#include "services/files/load_model.hpp"
#include "services/files/model_file.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/model_text.hpp"

namespace kinloop {
namespace {

/// A chain of rods in the lists given.
ModelSpec repeats_read(const std::string& lists) {
  const auto spec = read_model_text("kinloop: 1\nparameters: {rods: 3, pitch: 20 cm}\n" + lists, "m.yaml");
  EXPECT_TRUE(spec) << (spec ? "" : to_text(spec.error()));
  return spec ? *spec : ModelSpec{};
}

std::string names(const ModelSpec& spec) {
  std::string all;
  for (const BodySpec& body : spec.bodies) all += body.name + " ";
  return all;
}

const std::string kNoJoints = "joints: []\n";

TEST(Repeats, CountFromZeroBetweenOtherEntries) {
  const ModelSpec spec = repeats_read(
      "bodies:\n  - {name: first, mass: 1}\n  - {repeat: rods, index: i, items: [{name: a<i>, mass: i + 1}, {name: "
      "b<i>, "
      "mass: 1}]}\n  - {name: last, mass: 1}\n" +
      kNoJoints);

  EXPECT_EQ(names(spec), "first a0 b0 a1 b1 a2 b2 last ");
  EXPECT_EQ(spec.bodies.at(5).mass, 3.0);
}

TEST(Repeats, NoneGivesNothing) {
  EXPECT_EQ(
      names(repeats_read("bodies:\n  - {name: a, mass: 1}\n  - {repeat: 0, index: i, items: [{name: b, mass: 1}]}\n" +
                         kNoJoints)),
      "a ");
}

TEST(Repeats, MayBeNested) {
  const ModelSpec spec = repeats_read(
      "bodies:\n  - repeat: 2\n    index: row\n    items:\n"
      "      - {repeat: row + 1, index: column, items: [{name: knot<row>_<column>, mass: 1}]}\n" +
      kNoJoints);

  EXPECT_EQ(names(spec), "knot0_0 knot1_0 knot1_1 ");
}

// 0.6 / 0.2 is 2.9999999999999996.
TEST(Repeats, ForgiveTheRoundingOfAQuotient) {
  EXPECT_EQ(
      names(repeats_read("bodies: [{repeat: 60 cm / pitch, index: i, items: [{name: a<i>, mass: 1}]}]\n" + kNoJoints)),
      "a0 a1 a2 ");
}

TEST(Repeats, AnIndexIsAPureNumberSoThatUnitsAreChecked) {
  const auto spec = read_model_text(
      "kinloop: 1\nparameters: {pitch: 20 cm}\n"
      "bodies: [{repeat: 2, index: i, items: [{name: a<i>, mass: i * pitch}]}]\n" +
          kNoJoints,
      "m.yaml");

  ASSERT_FALSE(spec);
  EXPECT_EQ(to_text(spec.error()), "m.yaml:3:59: bodies[0].items[0].mass (i = 0): expected a mass, got 'm'\n");
}

TEST(Repeats, WorkInEveryListAndForEveryReference) {
  const auto repeated = [](const std::string& entry) { return "[{repeat: 2, index: i, items: [{" + entry + "}]}]\n"; };
  const ModelSpec spec = repeats_read(
      "bodies: " + repeated("name: a<i>, mass: 1, inertia: [1, 1, 1]") +
      "joints: [{name: j0, type: revolute, predecessor: ground, successor: a0}, {repeat: 1, index: i, items: [{"
      "name: j<i + 1>, type: revolute, predecessor: a<i>, successor: a<i + 1>}]}]\n" +
      "loops: " + repeated("name: l<i>, type: planar, predecessor: ground, successor: a<i>") +
      "springs: " + repeated("name: s<i>, body_a: ground, body_b: a<i>, point_a: [(i + 1) * pitch, 0, 0]") +
      "bushings: " + repeated("name: b<i>, body_a: a<i>, body_b: ground, stiffness: 2 N/m * i") +
      "couplings: [{repeat: 1, index: i, items: [{name: c<i>, joint: j<i>, of: j<i + 1>}]}]\n" +
      "frames: " + repeated("name: f<i>, body: a<1 - i>"));

  EXPECT_EQ(spec.joints.at(1).predecessor, "a0");
  EXPECT_EQ(spec.loops.at(1).successor, "a1");
  EXPECT_DOUBLE_EQ(spec.springs.at(1).point_a.x(), 0.4);
  EXPECT_EQ(spec.bushings.at(1).stiffness, Vector3::Constant(2.0));
  EXPECT_EQ(spec.couplings.at(0).of, "j1");
  EXPECT_EQ(spec.frames.at(1).body, "a0");
  EXPECT_TRUE(compile(spec));
}

TEST(Repeats, TheLastOneHasANameOutsideTheRepeat) {
  const ModelSpec spec = repeats_read("bodies: [{repeat: rods, index: i, items: [{name: a<i>, mass: 1}]}]\n" +
                                      kNoJoints + "frames: [{name: tip, body: a<rods - 1>}]\n");

  EXPECT_EQ(spec.frames.at(0).body, "a2");
}

TEST(Repeats, AsManyAsAllowedAreRead) {
  const ModelSpec spec = repeats_read(
      "bodies:\n  - repeat: 100\n    index: i\n    items:\n"
      "      - {repeat: 100, index: j, items: [{name: a<100 * i + j>, mass: 1}]}\n" +
      kNoJoints);

  EXPECT_EQ(spec.bodies.size(), kMaxRepeatedEntries);
  EXPECT_EQ(spec.bodies.back().name, "a9999");
}

class Windows : public testing::TestWithParam<int> {};

TEST_P(Windows, OfTheFourBarAreOneParameter) {
  const auto n = static_cast<std::size_t>(GetParam());

  const auto loaded = load_model(test::config_path("n_four_bar"), {{}, {{"windows", std::to_string(n)}}});

  ASSERT_TRUE(loaded) << to_text(loaded.error());
  const Model& model = loaded->model;
  EXPECT_EQ(model.spec().bodies.size(), 2 * n + 1);
  EXPECT_EQ(model.loops().size(), n);
  EXPECT_EQ(model.spec().loops.back().predecessor, "bar" + std::to_string(n));
  const cli::CheckReport report = cli::check_model(model);
  EXPECT_EQ(report.mobility, 1);
  EXPECT_LT(report.gaps.back().distance_m, 1e-12 * static_cast<double>(n));
}

INSTANTIATE_TEST_SUITE_P(Some, Windows, testing::Values(1, 10, 40));

}  // namespace
}  // namespace kinloop
