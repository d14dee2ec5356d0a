// Owns Fields: reads the keys of one mapping and reports everything that is wrong with them.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/name_table.hpp"
#include "services/base/diagnostics.hpp"
#include "services/files/dimension.hpp"
#include "services/files/parameter_scope.hpp"
#include "services/files/value_reader.hpp"
#include "services/files/yaml_node.hpp"

namespace kinloop {

/// The allowed words and what each stands for.
template <class Enum>
using ChoiceTable = std::span<const KindName<Enum>>;

/// A cursor over one mapping. Each read marks its key as known. A read that fails adds to the diagnostics and gives a
/// harmless placeholder (zero, empty), so a loader reads on without checking and asks the diagnostics once at the end;
/// the `optional_` reads give nothing and the `_or` reads their fallback, both if the key is absent and if it is wrong.
/// Finally finish() reports the keys that nobody asked for. Node, diagnostics and scope must outlive it.
class Fields {
 public:
  /// `path` names the mapping in messages ("bodies[2]"); it is empty for the root of a file.
  Fields(const YamlNode& node, std::string path, Diagnostics& diagnostics, const ParameterScope& scope);

  bool has(std::string_view key);
  /// The value of the key, or null if it is absent; for fields that may have several shapes.
  const YamlNode* node(std::string_view key);

  double number(std::string_view key, const Dimension& dimension, Range range = Range::kAny);
  double number_or(std::string_view key, const Dimension& dimension, double fallback, Range range = Range::kAny);
  std::optional<double> optional_number(std::string_view key, const Dimension& dimension, Range range = Range::kAny);

  long long integer(std::string_view key, long long least, long long most);
  long long integer_or(std::string_view key, long long least, long long most, long long fallback);

  bool boolean(std::string_view key);
  bool boolean_or(std::string_view key, bool fallback);

  std::string text(std::string_view key);
  std::optional<std::string> optional_text(std::string_view key);
  /// A name, numbered by expressions in angle brackets: "bar<i + 1>".
  std::string name(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  std::optional<std::vector<std::string>> optional_texts(std::string_view key);

  Eigen::Vector3d vector3(std::string_view key, const Dimension& dimension);
  std::optional<Eigen::Vector3d> optional_vector3(std::string_view key, const Dimension& dimension);
  Eigen::Matrix3d matrix3(std::string_view key, const Dimension& dimension);
  std::vector<double> numbers(std::string_view key, const Dimension& dimension, Range range = Range::kAny);
  std::optional<std::vector<double>> optional_numbers(std::string_view key, const Dimension& dimension,
                                                      Range range = Range::kAny);

  /// One word of a table; nothing if it is absent or wrong, since what else the mapping may hold often depends on it.
  template <class Enum>
  [[nodiscard]] std::optional<Enum> choice(std::string_view key, ChoiceTable<Enum> table) {
    return find_choice(key, table, Need::kRequired);
  }
  template <class Enum>
  Enum choice_or(std::string_view key, ChoiceTable<Enum> table, Enum fallback) {
    return find_choice(key, table, Need::kOptional).value_or(fallback);
  }

  /// The mapping of the key.
  Fields child(std::string_view key);
  std::optional<Fields> optional_child(std::string_view key);
  /// The items of a list of mappings, with paths "key[0]", "key[1]", ...
  std::vector<Fields> list(std::string_view key);
  /// The same; an absent key is an empty list.
  std::vector<Fields> optional_list(std::string_view key);
  /// The list itself, for items that are not all alike; null if it is absent or no list.
  const YamlNode* sequence(std::string_view key);
  const YamlNode* optional_sequence(std::string_view key);
  /// The entries of a mapping whose keys are names chosen by the user, each with a mapping as value; an absent key is
  /// an empty one.
  std::vector<std::pair<std::string, Fields>> optional_entries(std::string_view key);

  /// Reports that the value of the key is wrong, or that the key should not be absent; an empty key is the mapping.
  void error(std::string_view key, std::string what);

  /// Reports every key that was not read. Not for a mapping of unknown type, whose keys cannot be judged.
  void finish();

  /// Whether the file may be as an earlier version took it (docs/compatibility.md).
  bool may_be_former() const noexcept;

  const std::string& path() const noexcept { return path_; }
  /// The path of a key of this mapping: "bodies[2].mass".
  std::string path_of(std::string_view key) const;
  const YamlNode& mapping() const noexcept { return *node_; }
  const ValueReader& values() const noexcept { return values_; }

 private:
  enum class Need { kRequired, kOptional };

  // The value of the key if there is one; reports a null, and an absent key if it is required.
  const YamlNode* find(std::string_view key, Need need);
  // What `read` makes of the value of the key, if there is one.
  template <class Read>
  auto find_and(std::string_view key, Need need, Read read)
      -> decltype(read(std::declval<const YamlNode&>(), std::string{})) {
    const YamlNode* value = find(key, need);
    if (value == nullptr) return std::nullopt;
    return read(*value, path_of(key));
  }

  template <class Enum>
  std::optional<Enum> find_choice(std::string_view key, ChoiceTable<Enum> table, Need need) {
    std::vector<std::string_view> names;
    for (const KindName<Enum>& row : table) names.push_back(row.name);
    const std::optional<std::size_t> index = find_and(
        key, need, [&](const YamlNode& value, const std::string& path) { return values_.choice(value, path, names); });
    if (!index) return std::nullopt;
    return table[*index].kind;
  }
  std::optional<double> find_number(std::string_view key, Need need, const Dimension& dimension, Range range);
  std::optional<long long> find_integer(std::string_view key, Need need, long long least, long long most);
  std::optional<bool> find_boolean(std::string_view key, Need need);
  std::optional<std::string> find_text(std::string_view key, Need need);
  std::optional<std::vector<std::string>> find_texts(std::string_view key, Need need);
  std::optional<Eigen::Vector3d> find_vector3(std::string_view key, Need need, const Dimension& dimension);
  std::optional<Eigen::Matrix3d> find_matrix3(std::string_view key, Need need, const Dimension& dimension);
  std::optional<std::vector<double>> find_numbers(std::string_view key, Need need, const Dimension& dimension,
                                                  Range range);
  const YamlNode* find_sequence(std::string_view key, Need need);
  std::vector<Fields> find_list(std::string_view key, Need need);
  Fields fields_of(const YamlNode& value, std::string path) const;
  bool is_readable() const noexcept { return node_->is_mapping(); }
  bool was_asked(std::string_view key) const;
  void mark_asked(std::string_view key);
  // The entry of the key under its former name, which is reported once unless the file may have it.
  const YamlEntry* find_former(std::string_view key);

  const YamlNode* node_;  // if it is no mapping, that was reported, and every read gives its placeholder in silence
  std::string path_;
  const ParameterScope* scope_;
  ValueReader values_;
  std::vector<std::string> asked_;
};

}  // namespace kinloop
