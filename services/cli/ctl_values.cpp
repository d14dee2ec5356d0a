// Values have units as in model files; names are checked against the description, so that a typing error is guessed.
#include "services/cli/ctl_values.hpp"

#include "core/base/nearest_name.hpp"
#include "services/base/trimmed.hpp"
#include "services/cli/time_argument.hpp"
#include "services/files/expression.hpp"

namespace kinloop::cli {
namespace {

Error unknown(const std::string& what, const std::string& name, const std::vector<std::string_view>& known) {
  return {name, "there is no such " + what + did_you_mean(name, known) +
                    (known.empty() ? " (the plant has none)" : " (" + quoted_list(known) + ")")};
}

template <class List>
void add_names(const List& list, std::vector<std::string_view>& names) {
  for (const auto& one : list) names.push_back(one.name());
}

template <class List>
Result<int> index_in(const List& list, const std::string& what, const std::string& name) {
  for (int i = 0; i < list.size(); ++i) {
    if (list.Get(i).name() == name) return i;
  }
  std::vector<std::string_view> names;
  add_names(list, names);
  return unknown(what, name, names);
}

}  // namespace

Result<Assignment> read_assignment(const std::string& text) {
  const std::size_t sign = text.find('=');
  const std::string name(trimmed(std::string_view(text).substr(0, sign), " \t"));
  if (sign == std::string::npos || name.empty()) return Error{in_quotes(text), "expected NAME=VALUE"};
  const std::string value(trimmed(std::string_view(text).substr(sign + 1), " \t"));
  if (value.empty()) return Error{in_quotes(text), "there is no value after '='"};
  return Assignment{name, value};
}

Result<double> read_value(const std::string& where, const std::string& text, const std::string& unit) {
  const auto quantity = evaluate_expression(text, ParameterScope{});
  if (!quantity) return Error{where, in_quotes(text) + " is no number: " + quantity.error().what};
  const auto expected = evaluate_expression(unit.empty() ? "1" : "1 " + unit, ParameterScope{});
  // A unit that is unknown here says nothing against the number.
  if (expected && !quantity->fits(expected->dimension)) {
    return Error{where, mismatch_text(expected->dimension, *quantity)};
  }
  return quantity->value;
}

Result<double> read_optional_time(const std::string& option, const std::string& text) {
  if (text.empty()) return 0.0;
  return read_time(option, text);
}

Result<std::vector<double>> read_vector(const std::string& where, const std::vector<std::string>& texts,
                                        const std::string& unit) {
  std::vector<double> numbers;
  for (const std::string& text : texts) {
    const Result<double> number = read_value(where, text, unit);
    if (!number) return number.error();
    numbers.push_back(*number);
  }
  return numbers;
}

Result<std::string> unit_of_signal(const v1::Description& description, const std::string& signal) {
  for (const v1::Sensor& sensor : description.sensors()) {
    if (sensor.name() == signal) return sensor.unit();
  }
  for (const v1::Actuator& actuator : description.actuators()) {
    if (actuator.name() == signal) return actuator.unit();
  }
  std::vector<std::string_view> names;
  add_names(description.sensors(), names);
  add_names(description.actuators(), names);
  return unknown("sensor or actuator", signal, names);
}

Result<int> sensor_index(const v1::Description& description, const std::string& name) {
  return index_in(description.sensors(), "sensor", name);
}
Result<int> actuator_index(const v1::Description& description, const std::string& name) {
  return index_in(description.actuators(), "actuator", name);
}

Result<std::string> known_body(const v1::Description& description, const std::string& name) {
  const std::vector<std::string_view> bodies(description.bodies().begin(), description.bodies().end());
  for (const std::string_view body : bodies) {
    if (body == name) return name;
  }
  return unknown("body", name, bodies);
}

}  // namespace kinloop::cli
