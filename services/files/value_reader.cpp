// Owns the reading of one value of a file into a number, a vector, a word.
#include "services/files/value_reader.hpp"

#include <utility>

#include "core/base/nearest_name.hpp"
#include "services/files/numbered_name.hpp"

namespace kinloop {
namespace {

bool is_within(double value, Range range) {
  switch (range) {
    case Range::kAny:
      return true;
    case Range::kPositive:
      return value > 0.0;
    case Range::kNonNegative:
      return value >= 0.0;
    case Range::kZeroToOne:
      return value >= 0.0 && value <= 1.0;
  }
  return false;
}

const char* range_name(Range range) {
  switch (range) {
    case Range::kAny:
      return "any number";
    case Range::kPositive:
      return "positive";
    case Range::kNonNegative:
      return "zero or positive";
    case Range::kZeroToOne:
      return "between 0 and 1";
  }
  return "in range";
}

std::string expected_but_got(std::string_view expected, const YamlNode& node) {
  return "expected " + std::string(expected) + ", got " + std::string(kind_name(node));
}

}  // namespace

void ValueReader::report(const YamlNode& node, const std::string& path, std::string what) const {
  report_at(node.position, path, std::move(what));
}

void ValueReader::report(const YamlNode& node, const std::string& path, const ExpressionError& error) const {
  if (error.is_consequence) {
    diagnostics_->add_consequence();
  } else {
    report_at(node.position_in_text(error.offset), path, error.what);
  }
}

void ValueReader::report_at(SourcePosition position, const std::string& path, std::string what) const {
  diagnostics_->add(position, path, std::move(what), scope_->round());
}

std::optional<double> ValueReader::number(const YamlNode& node, const std::string& path, const Dimension& dimension,
                                          Range range) const {
  if (diagnostics_->is_full()) return std::nullopt;  // bounds the time a hostile file takes
  if (!node.is_scalar()) {
    report(node, path, expected_but_got(dimension.name(), node));
    return std::nullopt;
  }
  const Result<Quantity, ExpressionError> result = evaluate_expression(node.text, *scope_);
  if (!result) {
    report(node, path, result.error());
    return std::nullopt;
  }
  if (!result->fits(dimension)) {
    report(node, path, mismatch_text(dimension, *result));
    return std::nullopt;
  }
  if (!is_within(result->value, range)) {
    report(node, path, std::string("must be ") + range_name(range) + ", got " + shown(result->value));
    return std::nullopt;
  }
  return result->value;
}

std::optional<long long> ValueReader::integer(const YamlNode& node, const std::string& path, long long least,
                                              long long most) const {
  const std::optional<double> value = number(node, path, Dimension::none(), Range::kAny);
  if (!value) return std::nullopt;
  const std::optional<long long> whole = whole_number(*value);
  if (!whole || *whole < least || *whole > most) {
    report(node, path,
           "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most) + ", got " +
               shown(*value));
    return std::nullopt;
  }
  return *whole;
}

std::optional<bool> ValueReader::boolean(const YamlNode& node, const std::string& path) const {
  if (node.is_scalar() && !node.quoted) {
    if (node.text == "true") return true;
    if (node.text == "false") return false;
  }
  report(node, path,
         "expected true or false, got " + (node.is_scalar() ? in_quotes(node.text) : std::string(kind_name(node))));
  return std::nullopt;
}

std::optional<std::string> ValueReader::text(const YamlNode& node, const std::string& path) const {
  if (!node.is_scalar()) {
    report(node, path, expected_but_got("text", node));
    return std::nullopt;
  }
  if (node.text.empty()) {
    report(node, path, "must not be empty");
    return std::nullopt;
  }
  return node.text;
}

std::optional<std::string> ValueReader::name(const YamlNode& node, const std::string& path) const {
  if (!text(node, path)) return std::nullopt;
  Result<std::string, ExpressionError> name = numbered_name(node.text, *scope_);
  if (name) return std::move(*name);
  report(node, path, name.error());
  return std::nullopt;
}

std::optional<std::vector<std::string>> ValueReader::texts(const YamlNode& node, const std::string& path) const {
  if (!node.is_sequence()) {
    report(node, path, expected_but_got("a list of texts", node));
    return std::nullopt;
  }
  std::vector<std::string> all;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    std::optional<std::string> item = text(node.items[i], item_path(path, i));
    if (item) all.push_back(std::move(*item));
  }
  if (all.size() != node.items.size()) return std::nullopt;
  return all;
}

std::optional<std::vector<double>> ValueReader::numbers(const YamlNode& node, const std::string& path,
                                                        const Dimension& dimension, Range range) const {
  if (!node.is_sequence()) {
    report(node, path, expected_but_got("a list of numbers", node));
    return std::nullopt;
  }
  std::vector<double> all;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::optional<double> item = number(node.items[i], item_path(path, i), dimension, range);
    if (item) all.push_back(*item);
  }
  if (all.size() != node.items.size()) return std::nullopt;
  return all;
}

bool ValueReader::is_list_of(const YamlNode& node, const std::string& path, std::size_t count, const char* what) const {
  if (node.is_sequence() && node.items.size() == count) return true;
  std::string text =
      "expected a list of " + std::to_string(count) + " " + what + ", got " + std::string(kind_name(node));
  if (node.is_sequence()) text += " of " + std::to_string(node.items.size());
  report(node, path, std::move(text));
  return false;
}

std::optional<Eigen::Vector3d> ValueReader::vector3(const YamlNode& node, const std::string& path,
                                                    const Dimension& dimension) const {
  if (!is_list_of(node, path, 3, "numbers")) return std::nullopt;
  const std::optional<std::vector<double>> all = numbers(node, path, dimension, Range::kAny);
  if (!all) return std::nullopt;
  return Eigen::Vector3d((*all)[0], (*all)[1], (*all)[2]);
}

std::optional<Eigen::Matrix3d> ValueReader::matrix3(const YamlNode& node, const std::string& path,
                                                    const Dimension& dimension) const {
  if (!is_list_of(node, path, 3, "rows")) return std::nullopt;
  Eigen::Matrix3d matrix = Eigen::Matrix3d::Zero();
  bool is_good = true;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::optional<Eigen::Vector3d> row = vector3(node.items[i], item_path(path, i), dimension);
    is_good = is_good && row.has_value();
    if (row) matrix.row(static_cast<Eigen::Index>(i)) = row->transpose();
  }
  if (!is_good) return std::nullopt;
  return matrix;
}

std::optional<std::size_t> ValueReader::choice(const YamlNode& node, const std::string& path,
                                               std::span<const std::string_view> names) const {
  if (!node.is_scalar()) {
    report(node, path, expected_but_got("one of " + quoted_list(names), node));
    return std::nullopt;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == node.text) return i;
  }
  report(node, path, in_quotes(node.text) + " is not one of " + quoted_list(names) + did_you_mean(node.text, names));
  return std::nullopt;
}

}  // namespace kinloop
