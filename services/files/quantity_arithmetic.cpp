// Owns arithmetic on quantities: the numbers and the rules for their dimensions.
#include "services/files/quantity_arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include "core/base/nearest_name.hpp"
#include "core/base/require.hpp"

namespace kinloop {
namespace {

using Knowledge = Quantity::Knowledge;

QuantityResult finite(double value, Knowledge knowledge, Dimension dimension) {
  if (!std::isfinite(value)) return std::string("the result is not a finite number");
  if (!dimension.is_bounded()) return std::string("the unit has too high a power");
  return Quantity{value, knowledge, dimension, {}};
}

std::string unit_text(const Quantity& a) {
  if (!a.written_unit.empty()) return in_quotes(a.written_unit);
  return a.dimension.is_none() ? "an angle or a ratio" : in_quotes(a.dimension.si_unit());
}

// What both operands of a sum or a comparison are, or nothing if they do not go together.
std::optional<Quantity> common_kind(const Quantity& a, const Quantity& b) {
  if (a.knowledge == Knowledge::kKnown && b.knowledge == Knowledge::kKnown) {
    if (!(a.dimension == b.dimension)) return std::nullopt;
    return a;
  }
  if (a.knowledge == Knowledge::kKnown) return a;
  if (b.knowledge == Knowledge::kKnown) return b;
  return a.knowledge == Knowledge::kUnknown ? a : b;
}

QuantityResult like_sum(const Quantity& a, const Quantity& b, double value, const char* verb) {
  const std::optional<Quantity> kind = common_kind(a, b);
  if (!kind) return std::string("cannot ") + verb + " " + unit_text(a) + " and " + unit_text(b);
  return finite(value, kind->knowledge, kind->dimension);
}

Knowledge knowledge_of_product(const Quantity& a, const Quantity& b) {
  if (a.knowledge == Knowledge::kUnknown || b.knowledge == Knowledge::kUnknown) return Knowledge::kUnknown;
  const bool both_pure = a.knowledge == Knowledge::kPure && b.knowledge == Knowledge::kPure;
  return both_pure ? Knowledge::kPure : Knowledge::kKnown;
}

Dimension dimension_or_none(const Quantity& a) {
  return a.knowledge == Knowledge::kKnown ? a.dimension : Dimension::none();
}

QuantityResult square_root(const Quantity& a) {
  if (a.value < 0.0) return std::string("the square root of a negative number");
  if (a.knowledge != Knowledge::kKnown) return finite(std::sqrt(a.value), a.knowledge, Dimension::none());
  if (!a.dimension.has_square_root()) return unit_text(a) + " has no square root";
  return finite(std::sqrt(a.value), Knowledge::kKnown, a.dimension.square_root());
}

struct PureFunction {
  std::string_view name;
  double (*evaluate)(double);
  Knowledge result;  // kKnown: an angle
};

constexpr std::array kPureFunctions = std::to_array<PureFunction>({
    {"sin", [](double x) { return std::sin(x); }, Knowledge::kPure},
    {"cos", [](double x) { return std::cos(x); }, Knowledge::kPure},
    {"tan", [](double x) { return std::tan(x); }, Knowledge::kPure},
    {"asin", [](double x) { return std::asin(x); }, Knowledge::kKnown},
    {"acos", [](double x) { return std::acos(x); }, Knowledge::kKnown},
    {"atan", [](double x) { return std::atan(x); }, Knowledge::kKnown},
});

constexpr std::array<std::string_view, 11> kFunctionNames{"sin",   "cos",  "tan", "asin", "acos", "atan",
                                                          "atan2", "sqrt", "abs", "min",  "max"};

QuantityResult call_pure(const PureFunction& function, const Quantity& a) {
  if (!a.fits(Dimension::none())) {
    return std::string(function.name) + " takes an angle or a pure number, not " + unit_text(a);
  }
  const double value = function.evaluate(a.value);
  if (std::isnan(value)) return std::string(function.name) + " is not defined there";
  return finite(value, function.result, Dimension::angle());
}

QuantityResult extreme(std::string_view name, std::span<const Quantity> arguments) {
  Quantity best = arguments[0];
  for (const Quantity& next : arguments.subspan(1)) {
    const double value = name == "min" ? std::min(best.value, next.value) : std::max(best.value, next.value);
    QuantityResult both = like_sum(best, next, value, "compare");
    if (!both) return both;
    best = *both;
  }
  return best;
}

}  // namespace

QuantityResult add(const Quantity& a, const Quantity& b) { return like_sum(a, b, a.value + b.value, "add"); }

QuantityResult subtract(const Quantity& a, const Quantity& b) { return like_sum(a, b, a.value - b.value, "subtract"); }

QuantityResult multiply(const Quantity& a, const Quantity& b) {
  return finite(a.value * b.value, knowledge_of_product(a, b), dimension_or_none(a).times(dimension_or_none(b)));
}

QuantityResult divide(const Quantity& a, const Quantity& b) {
  if (b.value == 0.0) return std::string("division by zero");
  return finite(a.value / b.value, knowledge_of_product(a, b), dimension_or_none(a).over(dimension_or_none(b)));
}

QuantityResult raise(const Quantity& base, const Quantity& exponent) {
  if (!exponent.fits(Dimension::none())) return "an exponent has no unit, not " + unit_text(exponent);
  const double value = std::pow(base.value, exponent.value);
  if (base.knowledge != Knowledge::kKnown) return finite(value, base.knowledge, Dimension::none());
  if (base.dimension.is_none()) return finite(value, Knowledge::kKnown, base.dimension);
  if (exponent.value == 0.5) return square_root(base);
  if (std::abs(exponent.value) > Dimension::kMaxExponent || std::trunc(exponent.value) != exponent.value) {
    return "a quantity in " + unit_text(base) + " can only be raised to a small whole number";
  }
  return finite(value, Knowledge::kKnown, base.dimension.to_the_power(static_cast<int>(exponent.value)));
}

Quantity negate(const Quantity& a) {
  Quantity result = a;
  result.value = -a.value;
  return result;
}

std::span<const std::string_view> function_names() noexcept { return kFunctionNames; }

bool is_function(std::string_view name) noexcept {
  return std::find(kFunctionNames.begin(), kFunctionNames.end(), name) != kFunctionNames.end();
}

QuantityResult call_function(std::string_view name, std::span<const Quantity> arguments) {
  require(is_function(name), "the function exists");
  const bool takes_many = name == "min" || name == "max";
  const std::size_t expected = name == "atan2" ? 2 : 1;
  if (takes_many ? arguments.empty() : arguments.size() != expected) {
    return std::string(name) + " takes " + (takes_many ? "at least 1" : std::to_string(expected)) + " argument" +
           (expected == 1 ? "" : "s") + ", got " + std::to_string(arguments.size());
  }
  for (const PureFunction& function : kPureFunctions) {
    if (function.name == name) return call_pure(function, arguments[0]);
  }
  if (name == "sqrt") return square_root(arguments[0]);
  if (name == "abs") return arguments[0].value < 0.0 ? negate(arguments[0]) : arguments[0];
  if (takes_many) return extreme(name, arguments);
  if (!common_kind(arguments[0], arguments[1])) {
    return "atan2 takes two quantities of one kind, not " + unit_text(arguments[0]) + " and " + unit_text(arguments[1]);
  }
  return finite(std::atan2(arguments[0].value, arguments[1].value), Knowledge::kKnown, Dimension::angle());
}

}  // namespace kinloop
