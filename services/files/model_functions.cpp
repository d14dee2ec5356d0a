// Reads functions of one variable: prescribed motions over time, cam profiles over the angle.
#include <array>
#include <utility>

#include "services/files/expression.hpp"
#include "services/files/model_sections.hpp"

namespace kinloop {
namespace {

using NumberPair = std::array<double, 2>;

/// The dimension of the coefficient of x^power, with a name a person knows where there is one.
Dimension coefficient_dimension(const Dimension& argument, const Dimension& value, std::size_t power) {
  if (power == 0 || argument.is_none()) return value;
  if (power > static_cast<std::size_t>(Dimension::kMaxExponent) - 2) return Dimension::any();
  const Dimension computed = value.over(argument.to_the_power(static_cast<int>(power)));
  for (const Dimension& known :
       {Dimension::speed(), Dimension::acceleration(), Dimension::angular_speed(), Dimension::angular_acceleration()}) {
    if (known == computed) return known;
  }
  return computed;
}

void read_polynomial(Fields& function, const Dimension& argument, const Dimension& value, FunctionSpec& spec) {
  const YamlNode* list = function.node("polynomial");
  if (list == nullptr) return;
  const std::string path = function.path_of("polynomial");
  if (!list->is_sequence()) {
    function.error("polynomial",
                   "expected a list of coefficients, lowest power first, got " + std::string(kind_name(*list)));
    return;
  }
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const Dimension dimension = coefficient_dimension(argument, value, i);
    const auto number = function.values().number(list->items[i], item_path(path, i), dimension, Range::kAny);
    spec.polynomial.push_back(number.value_or(0.0));
  }
}

std::vector<NumberPair> read_pairs(Fields& function, std::string_view key, const Dimension& first,
                                   const Dimension& second) {
  std::vector<NumberPair> pairs;
  const YamlNode* list = function.node(key);
  if (list == nullptr) return pairs;
  if (!list->is_sequence()) {
    function.error(key, "expected a list of pairs, got " + std::string(kind_name(*list)));
    return pairs;
  }
  const ValueReader& values = function.values();
  const std::string list_path = function.path_of(key);
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    if (values.diagnostics().is_full()) return pairs;
    const YamlNode& item = list->items[i];
    const std::string path = item_path(list_path, i);
    if (!item.is_sequence() || item.items.size() != 2) {
      std::string what = "expected a pair of numbers, got " + std::string(kind_name(item));
      if (item.is_sequence()) what += " of " + std::to_string(item.items.size());
      values.report(item, path, std::move(what));
      continue;
    }
    const auto a = values.number(item.items[0], item_path(path, 0), first, Range::kAny);
    const auto b = values.number(item.items[1], item_path(path, 1), second, Range::kAny);
    pairs.push_back({a.value_or(0.0), b.value_or(0.0)});
  }
  return pairs;
}

/// One hertz is a turn a second, but as a number it is 1/s: taken for rad/s it would be wrong by 2 pi.
bool is_written_in_hertz(Fields& function) {
  const YamlNode* frequency = function.node("frequency");
  if (frequency == nullptr || !frequency->is_scalar()) return false;
  const auto quantity = evaluate_expression(frequency->text, function.values().scope());
  return quantity && quantity->written_unit.ends_with("Hz");
}

}  // namespace

FunctionSpec read_function(Fields& function, const Dimension& argument, const Dimension& value) {
  FunctionSpec spec;
  const Dimension frequency = argument.is_none() ? Dimension::none() : Dimension::angular_speed();
  read_polynomial(function, argument, value, spec);
  spec.harmonics = read_pairs(function, "harmonics", value, value);
  if (is_written_in_hertz(function)) {
    function.error("frequency", "is an angular frequency, in rad/s or rpm; for 2 Hz write '2*pi*2 Hz'");
  } else {
    spec.frequency_rad = function.number_or("frequency", frequency, spec.frequency_rad);
  }
  for (const auto& [x, y] : read_pairs(function, "table", argument, value)) {
    spec.table_x.push_back(x);
    spec.table_y.push_back(y);
  }
  spec.table_period = function.number_or("period", argument, 0.0, Range::kPositive);
  if (function.has("frequency") && !function.has("harmonics")) function.error("frequency", "needs 'harmonics'");
  if (function.has("period") && !function.has("table")) function.error("period", "needs a 'table'");
  if (!function.has("polynomial") && !function.has("harmonics") && !function.has("table")) {
    function.error("", "needs at least one of 'polynomial', 'harmonics', 'table'");
  }
  function.finish();
  return spec;
}

}  // namespace kinloop
