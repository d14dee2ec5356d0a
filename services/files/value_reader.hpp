// Owns the reading of one value of a file into a number, a vector, a word.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/field_path.hpp"
#include "services/base/diagnostics.hpp"
#include "services/files/dimension.hpp"
#include "services/files/expression.hpp"
#include "services/files/parameter_scope.hpp"
#include "services/files/yaml_node.hpp"

namespace kinloop {

/// Which values of a number make sense.
enum class Range { kAny, kPositive, kNonNegative, kZeroToOne };

/// Reads values; each function gives nothing if the value is wrong, after it reported that under `path`.
/// The diagnostics and the scope must outlive it.
class ValueReader {
 public:
  ValueReader(Diagnostics& diagnostics, const ParameterScope& scope) : diagnostics_(&diagnostics), scope_(&scope) {}

  /// A number, a quantity with a unit or an expression; the result is in SI units.
  std::optional<double> number(const YamlNode& node, const std::string& path, const Dimension& dimension,
                               Range range) const;
  /// A whole number within [least, most].
  std::optional<long long> integer(const YamlNode& node, const std::string& path, long long least,
                                   long long most) const;
  /// `true` or `false`, not in quotes.
  std::optional<bool> boolean(const YamlNode& node, const std::string& path) const;
  /// Text that is not empty.
  std::optional<std::string> text(const YamlNode& node, const std::string& path) const;
  /// A name, in which expressions in angle brackets become numbers: "bar<i + 1>".
  std::optional<std::string> name(const YamlNode& node, const std::string& path) const;
  std::optional<std::vector<std::string>> texts(const YamlNode& node, const std::string& path) const;
  std::optional<std::vector<double>> numbers(const YamlNode& node, const std::string& path, const Dimension& dimension,
                                             Range range) const;
  /// A list of three numbers.
  std::optional<Eigen::Vector3d> vector3(const YamlNode& node, const std::string& path,
                                         const Dimension& dimension) const;
  /// A list of three rows of three numbers.
  std::optional<Eigen::Matrix3d> matrix3(const YamlNode& node, const std::string& path,
                                         const Dimension& dimension) const;
  /// The place of the word in the list of allowed names.
  std::optional<std::size_t> choice(const YamlNode& node, const std::string& path,
                                    std::span<const std::string_view> names) const;

  /// Reports what is wrong with a value.
  void report(const YamlNode& node, const std::string& path, std::string what) const;
  void report_at(SourcePosition position, const std::string& path, std::string what) const;
  Diagnostics& diagnostics() const noexcept { return *diagnostics_; }
  const ParameterScope& scope() const noexcept { return *scope_; }

 private:
  // A mistake in the text of a value; only counts if it was reported where it was made.
  void report(const YamlNode& node, const std::string& path, const ExpressionError& error) const;
  bool is_list_of(const YamlNode& node, const std::string& path, std::size_t count, const char* what) const;

  Diagnostics* diagnostics_;
  const ParameterScope* scope_;
};

}  // namespace kinloop
