// Tests the parameters section: order, cycles, and one report per mistake.
#include "services/files/parameters.hpp"

#include <gtest/gtest.h>

#include <string>

#include "services/files/yaml_document.hpp"
#include "tests/support/error_text.hpp"

namespace kinloop {
namespace {

struct Read {
  ParameterScope scope;
  std::string errors;
};

Read parameters_read(const std::string& text) {
  const auto document = parse_yaml(text, "m.yaml");
  EXPECT_TRUE(document);
  Diagnostics diagnostics("m.yaml");
  Read result;
  result.scope = read_parameters(document->root, diagnostics);
  result.errors = to_text(diagnostics.errors());
  return result;
}

TEST(Parameters, MayReferToEachOtherInAnyOrder) {
  const Read result = parameters_read("a: 2 * b + 10 mm\nb: c\nc: 100 mm\n");

  EXPECT_EQ(result.errors, "");
  EXPECT_DOUBLE_EQ(result.scope.value("a")->value, 0.21);
  EXPECT_EQ(result.scope.value("b")->dimension, Dimension::length());
}

TEST(Parameters, ACycleIsReportedOnceWithItsNames) {
  const Read result = parameters_read("z: a\na: 2 * b\nb: c\nc: a + 1\n");

  EXPECT_EQ(result.errors, "m.yaml:2:1: parameters.a: refers to itself: a -> b -> c -> a\n");
  EXPECT_FALSE(result.scope.value("z"));
}

TEST(Parameters, SeparateCyclesAreReportedSeparately) {
  const Read result = parameters_read("a: a\nb: c\nc: b\nd: 1\n");

  EXPECT_EQ(result.errors,
            "m.yaml:1:1: parameters.a: refers to itself: a -> a\n"
            "m.yaml:2:1: parameters.b: refers to itself: b -> c -> b\n");
  EXPECT_TRUE(result.scope.value("d"));
}

TEST(Parameters, AMistakeIsReportedOnceAndNotWhereItIsUsed) {
  const Read result = parameters_read("a: 3 furlong\nb: 2 * a\nc: b + 1\n");

  EXPECT_EQ(result.errors, "m.yaml:1:6: parameters.a: unknown unit 'furlong'\n");
}

TEST(Parameters, NamesMustBeFreeAndWellFormed) {
  const Read result = parameters_read("pi: 3\n2x: 1\nsin: 2\na: [1]\n");

  EXPECT_EQ(result.errors,
            "m.yaml:1:1: parameters: 'pi' is the name of a constant or function\n"
            "m.yaml:2:1: parameters: '2x' is not a name: a letter or '_', then letters, digits and '_'\n"
            "m.yaml:3:1: parameters: 'sin' is the name of a constant or function\n"
            "m.yaml:4:4: parameters.a: expected a number or an expression, got a list\n");
}

TEST(Parameters, AParameterMayHaveTheNameOfAUnit) {
  const Read result = parameters_read("g: 9.81 m/s^2\nweight: 2 kg * g\n");

  EXPECT_EQ(result.errors, "");
  EXPECT_DOUBLE_EQ(result.scope.value("weight")->value, 19.62);
}

TEST(Parameters, ALongChainNeedsNoStack) {
  std::string text;
  for (int i = 0; i < 9999; ++i) text += "p" + std::to_string(i) + ": p" + std::to_string(i + 1) + "\n";
  const Read result = parameters_read(text + "p9999: 4\n");

  EXPECT_EQ(result.errors, "");
  EXPECT_DOUBLE_EQ(result.scope.value("p0")->value, 4.0);
}

}  // namespace
}  // namespace kinloop
