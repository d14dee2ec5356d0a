// Tests the language of numbers: arithmetic, units, names, and where an error is.
#include "services/files/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <string>

namespace kinloop {
namespace {

constexpr double kExpressionPi = std::numbers::pi;

ParameterScope scope_with_crank() {
  ParameterScope scope;
  scope.set("crank", Quantity{0.2, Quantity::Knowledge::kKnown, Dimension::length(), {}});
  scope.set("ratio", Quantity{3.0, Quantity::Knowledge::kPure, Dimension::none(), {}});
  scope.set("s", Quantity{2.0, Quantity::Knowledge::kPure, Dimension::none(), {}});
  scope.set("broken", std::nullopt);
  return scope;
}

double value_of(const std::string& text) {
  const auto result = evaluate_expression(text, scope_with_crank());
  EXPECT_TRUE(result) << text << ": " << (result ? "" : result.error().what);
  return result ? result->value : std::nan("");
}

std::string unit_of(const std::string& text) {
  const auto result = evaluate_expression(text, scope_with_crank());
  if (!result) return result.error().what;
  if (result->knowledge == Quantity::Knowledge::kPure) return "pure";
  if (result->knowledge == Quantity::Knowledge::kUnknown) return "unknown";
  return result->dimension.si_unit();
}

std::string error_of(const std::string& text) {
  const auto result = evaluate_expression(text, scope_with_crank());
  return result ? "accepted" : std::to_string(result.error().offset) + ": " + result.error().what;
}

TEST(Expression, FollowsTheUsualPrecedence) {
  EXPECT_DOUBLE_EQ(value_of("1 + 2 * 3"), 7.0);
  EXPECT_DOUBLE_EQ(value_of("(1 + 2) * 3"), 9.0);
  EXPECT_DOUBLE_EQ(value_of("8 / 4 / 2"), 1.0);
  EXPECT_DOUBLE_EQ(value_of("8 - 4 - 2"), 2.0);
  EXPECT_DOUBLE_EQ(value_of("2^3^2"), 512.0);
  EXPECT_DOUBLE_EQ(value_of("-2^2"), -4.0);
  EXPECT_DOUBLE_EQ(value_of("2^-1"), 0.5);
  EXPECT_DOUBLE_EQ(value_of("2 - -3"), 5.0);
}

TEST(Expression, ReadsNumbersInEveryUsualForm) {
  EXPECT_DOUBLE_EQ(value_of("5"), 5.0);
  EXPECT_DOUBLE_EQ(value_of(".5"), 0.5);
  EXPECT_DOUBLE_EQ(value_of("5."), 5.0);
  EXPECT_DOUBLE_EQ(value_of("-1.5e-3"), -0.0015);
  EXPECT_DOUBLE_EQ(value_of("+2E+2"), 200.0);
}

TEST(Expression, CallsFunctions) {
  EXPECT_DOUBLE_EQ(value_of("sin(30 deg)"), 0.5);
  EXPECT_DOUBLE_EQ(value_of("atan2(1, -1)"), 0.75 * kExpressionPi);
  EXPECT_DOUBLE_EQ(value_of("sqrt(crank^2)"), 0.2);
  EXPECT_DOUBLE_EQ(value_of("min(3, 1, 2) + max(4) + abs(-1) + cos(0) + tan(0)"), 7.0);
  EXPECT_DOUBLE_EQ(value_of("asin(1) + acos(1) + atan(0)"), kExpressionPi / 2.0);
}

TEST(Expression, MixesParametersAndUnits) { EXPECT_DOUBLE_EQ(value_of("2 * crank + 30 mm"), 0.43); }

TEST(Expression, ReadsUnitsWithAndWithoutABlank) {
  EXPECT_DOUBLE_EQ(value_of("180 deg"), kExpressionPi);
  EXPECT_DOUBLE_EQ(value_of("180deg"), kExpressionPi);
  EXPECT_DOUBLE_EQ(value_of("1e3mm"), 1.0);
}

TEST(Expression, ReadsCompositeUnits) {
  EXPECT_DOUBLE_EQ(value_of("60 rpm"), 2.0 * kExpressionPi);
  EXPECT_DOUBLE_EQ(value_of("36 km/h"), 10.0);
  EXPECT_DOUBLE_EQ(value_of("2 m/s^2"), 2.0);
  EXPECT_DOUBLE_EQ(value_of("5 g*mm^2"), 5e-9);
  EXPECT_DOUBLE_EQ(value_of("7.8 kg/m^3"), 7.8);
  EXPECT_DOUBLE_EQ(value_of("3 N/mm"), 3000.0);
  EXPECT_DOUBLE_EQ(value_of("1 N*m/deg"), 180.0 / kExpressionPi);
  EXPECT_DOUBLE_EQ(value_of("4 N m"), value_of("4 N*m"));
  EXPECT_DOUBLE_EQ(value_of("4 N m s/rad"), value_of("4 Nm*s/rad"));
  EXPECT_DOUBLE_EQ(value_of("5 s^-1"), value_of("5 Hz"));
  EXPECT_DOUBLE_EQ(value_of("1 lbf"), 4.4482216152605);
}

TEST(Expression, ReadsElectricalUnits) {
  EXPECT_DOUBLE_EQ(value_of("24 V / 2 ohm"), 12.0);
  EXPECT_DOUBLE_EQ(value_of("3 mH"), 3e-3);
  EXPECT_EQ(unit_of("24 V / 2 ohm"), unit_of("1 mA"));
  EXPECT_EQ(unit_of("1 H/ohm"), unit_of("1 s"));
  EXPECT_EQ(unit_of("1 Nm/A"), unit_of("1 V*s/rad"));
  EXPECT_EQ(unit_of("1 V*A"), unit_of("1 W"));
  EXPECT_EQ(unit_of("1 V"), "kg*m^2/s^3/A");
}

TEST(Expression, AUnitStandsOnlyBehindANumberOrWithoutBlanksInAUnit) {
  EXPECT_DOUBLE_EQ(value_of("3 m/s"), 3.0);
  EXPECT_DOUBLE_EQ(value_of("3 m / s"), 1.5);  // the parameter s
  EXPECT_DOUBLE_EQ(value_of("2 * s"), 4.0);
  EXPECT_DOUBLE_EQ(value_of("2 mm*ratio"), 0.006);
  EXPECT_DOUBLE_EQ(value_of("2 mm*min(ratio, 4)"), 0.006);
}

TEST(Expression, APowerBehindAUnitBelongsToTheUnit) {
  EXPECT_DOUBLE_EQ(value_of("30 mm^2"), 30e-6);
  EXPECT_DOUBLE_EQ(value_of("30 mm ^ 2"), 30e-6);
  EXPECT_DOUBLE_EQ(value_of("(30 mm)^2"), 900e-6);
}

TEST(Expression, KeepsDimensionsThroughArithmetic) {
  EXPECT_EQ(unit_of("2 * 30 mm"), "m");
  EXPECT_EQ(unit_of("30 mm + 1"), "m");
  EXPECT_EQ(unit_of("crank * 5 N"), "kg*m^2/s^2");
  EXPECT_EQ(unit_of("crank / 2 mm"), "1");
  EXPECT_EQ(unit_of("sqrt(4 m^2)"), "m");
  EXPECT_EQ(unit_of("2 * 3"), "pure");
  EXPECT_EQ(unit_of("atan(1)"), "1");
}

TEST(Expression, AParameterWithoutAUnitIsCompatibleWithEverything) {
  EXPECT_EQ(unit_of("ratio"), "unknown");
  EXPECT_EQ(unit_of("ratio * 3 mm"), "unknown");
  EXPECT_EQ(unit_of("ratio + 3 mm"), "m");
}

TEST(Expression, RefusesToMixDimensions) {
  EXPECT_EQ(error_of("2 kg + 3 mm"), "5: cannot add 'kg' and 'mm'");
  EXPECT_EQ(error_of("crank - 1 s"), "6: cannot subtract 'm' and 's'");
  EXPECT_EQ(error_of("min(1 m, 2 deg)"), "0: cannot compare 'm' and 'deg'");
  EXPECT_EQ(error_of("sin(3 mm)"), "0: sin takes an angle or a pure number, not 'mm'");
  EXPECT_EQ(error_of("2^(3 m)"), "1: an exponent has no unit, not 'm'");
  EXPECT_EQ(error_of("sqrt(2 m)"), "0: 'm' has no square root");
}

TEST(Expression, SaysWhereTheErrorIs) {
  EXPECT_EQ(error_of("2 * crnak"), "4: unknown parameter 'crnak'; did you mean 'crank'?");
  EXPECT_EQ(error_of("12 m + 3 mmm"), "9: unknown unit 'mmm'; did you mean 'mm'?");
  EXPECT_EQ(error_of("12 crank"), "3: unknown unit 'crank'; write '*' to multiply by the parameter");
  EXPECT_EQ(error_of("sim(2)"), "0: unknown function 'sim'; did you mean 'sin'?");
  EXPECT_EQ(error_of("1 + (2 * 3"), "4: '(' without ')'");
  EXPECT_EQ(error_of("1 + 2)"), "5: ')' without '('");
  EXPECT_EQ(error_of("1 +"), "3: expected a number or a name at the end");
  EXPECT_EQ(error_of("1 2"), "2: expected an operator before '2'");
  EXPECT_EQ(error_of("3 $"), "2: expected an operator before '$'");
  EXPECT_EQ(error_of(""), "0: expected a number, got an empty text");
  EXPECT_EQ(error_of("atan2(1)"), "0: atan2 takes 2 arguments, got 1");
  EXPECT_EQ(error_of("3 m / kg"),
            "6: unknown parameter 'kg'; a unit stands behind a number and has no blanks around "
            "'*' and '/'");
}

TEST(Expression, RefusesWhatIsNotFinite) {
  EXPECT_EQ(error_of("1 / 0"), "2: division by zero");
  EXPECT_EQ(error_of("1e999"), "0: the number '1e999' is out of range");
  EXPECT_EQ(error_of("1e300 * 1e300"), "6: the result is not a finite number");
  EXPECT_EQ(error_of("(-8)^0.5"), "4: the result is not a finite number");
  EXPECT_EQ(error_of("asin(2)"), "0: asin is not defined there");
  EXPECT_EQ(error_of(".inf"), "0: expected a number before '.inf'");
  EXPECT_EQ(error_of("nan"), "0: unknown parameter 'nan'");
}

TEST(Expression, AnErrorCausedByABrokenParameterIsMarkedAsConsequence) {
  const auto result = evaluate_expression("2 * broken", scope_with_crank());

  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().is_consequence);
}

TEST(Expression, BoundsDepthAndLength) {
  EXPECT_EQ(error_of(std::string(1000, '(') + "1"), "64: nested deeper than 64 levels");
  EXPECT_NE(error_of("2" + std::string(2000, '^')), "accepted");
  EXPECT_DOUBLE_EQ(value_of(std::string(4000, '-') + "1"), 1.0);
  EXPECT_EQ(error_of(std::string(5000, '1')), "0: an expression may not be longer than 4096 bytes");
}

TEST(Expression, ListsTheParametersItUses) {
  const auto names = parameters_used("2 m/s * (a + 3 b - sin(c)) / 0");

  ASSERT_EQ(names.size(), 1U);  // reading ends at the unknown unit b
  EXPECT_EQ(names[0].name, "a");
  EXPECT_EQ(names[0].offset, 9U);
}

TEST(Expression, ListsParametersWhateverTheirValues) {
  EXPECT_EQ(parameters_used("1 / (a - a) + asin(b) + 2 mm*c").size(), 4U);
}

TEST(Expression, SurvivesAnyText) {
  const std::string letters = "0123456789.eE+-*/^(), abmskgNsincoqrt\t\xC3\xA9";
  std::mt19937 random(11);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    const std::size_t length = random() % 24;
    for (std::size_t k = 0; k < length; ++k) text += letters[random() % letters.size()];
    const auto result = evaluate_expression(text, scope_with_crank());
    if (result) {
      EXPECT_TRUE(std::isfinite(result->value)) << text;
    }
  }
}

TEST(Dimension, SaysWhatWasExpectedAndWhatCame) {
  const auto mass = evaluate_expression("3 kg", {});
  const auto area = evaluate_expression("(2 m) * (3 mm)", {});
  const auto angle = evaluate_expression("atan(1)", {});

  EXPECT_EQ(mismatch_text(Dimension::length(), *mass), "expected a length, got 'kg'");
  EXPECT_EQ(mismatch_text(Dimension::length(), *area), "expected a length, got 'm^2'");
  EXPECT_EQ(mismatch_text(Dimension::length(), *angle), "expected a length, got an angle or a ratio");
}

}  // namespace
}  // namespace kinloop
