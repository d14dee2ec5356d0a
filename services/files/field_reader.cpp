// Owns Fields: reads the keys of one mapping and reports everything that is wrong with them.
#include "services/files/field_reader.hpp"

#include <algorithm>

#include "core/base/nearest_name.hpp"
#include "services/base/former_keys.hpp"

namespace kinloop {
namespace {

// Stands for a mapping that is absent or has the wrong shape, which was reported where it was noticed.
const YamlNode kNoMapping;

}  // namespace

Fields::Fields(const YamlNode& node, std::string path, Diagnostics& diagnostics, const ParameterScope& scope)
    : node_(&node), path_(std::move(path)), scope_(&scope), values_(diagnostics, scope) {
  if (is_readable() || &node == &kNoMapping) return;
  values_.report(node, path_, "expected a mapping of keys to values, got " + std::string(kind_name(node)));
}

std::string Fields::path_of(std::string_view key) const {
  if (key.empty()) return path_;
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

bool Fields::was_asked(std::string_view key) const {
  return std::find(asked_.begin(), asked_.end(), key) != asked_.end();
}

void Fields::mark_asked(std::string_view key) {
  if (!was_asked(key)) asked_.emplace_back(key);
}

const YamlEntry* Fields::find_former(std::string_view key) {
  const std::string_view former = former_name(key);
  const YamlEntry* entry = former.empty() ? nullptr : node_->find(former);
  if (entry == nullptr || was_asked(former)) return entry;
  mark_asked(former);
  if (values_.diagnostics().former_keys() == FormerKeys::kRefused) {
    values_.report_at(entry->key_position, path_, in_quotes(former) + " is called " + in_quotes(key) + " now");
  }
  return entry;
}

bool Fields::may_be_former() const noexcept { return values_.diagnostics().former_keys() == FormerKeys::kAccepted; }

bool Fields::has(std::string_view key) { return node(key) != nullptr; }

const YamlNode* Fields::node(std::string_view key) {
  mark_asked(key);
  const YamlEntry* entry = node_->find(key);
  if (entry == nullptr) entry = find_former(key);
  return entry == nullptr ? nullptr : &entry->value;
}

const YamlNode* Fields::find(std::string_view key, Need need) {
  const YamlNode* value = node(key);
  if (!is_readable()) return nullptr;
  if (value == nullptr) {
    if (need == Need::kRequired) values_.report(*node_, path_, "missing key " + in_quotes(key));
    return nullptr;
  }
  if (value->is_null()) {
    values_.report(*value, path_of(key), "has no value");
    return nullptr;
  }
  return value;
}

std::optional<double> Fields::find_number(std::string_view key, Need need, const Dimension& dimension, Range range) {
  return find_and(key, need, [&](const YamlNode& value, const std::string& path) {
    return values_.number(value, path, dimension, range);
  });
}

std::optional<long long> Fields::find_integer(std::string_view key, Need need, long long least, long long most) {
  return find_and(key, need, [&](const YamlNode& value, const std::string& path) {
    return values_.integer(value, path, least, most);
  });
}

std::optional<bool> Fields::find_boolean(std::string_view key, Need need) {
  return find_and(key, need,
                  [&](const YamlNode& value, const std::string& path) { return values_.boolean(value, path); });
}

std::optional<std::string> Fields::find_text(std::string_view key, Need need) {
  return find_and(key, need, [&](const YamlNode& value, const std::string& path) { return values_.text(value, path); });
}

std::optional<std::vector<std::string>> Fields::find_texts(std::string_view key, Need need) {
  return find_and(key, need,
                  [&](const YamlNode& value, const std::string& path) { return values_.texts(value, path); });
}

std::optional<Eigen::Vector3d> Fields::find_vector3(std::string_view key, Need need, const Dimension& dimension) {
  return find_and(key, need, [&](const YamlNode& value, const std::string& path) {
    return values_.vector3(value, path, dimension);
  });
}

std::optional<Eigen::Matrix3d> Fields::find_matrix3(std::string_view key, Need need, const Dimension& dimension) {
  return find_and(key, need, [&](const YamlNode& value, const std::string& path) {
    return values_.matrix3(value, path, dimension);
  });
}

std::optional<std::vector<double>> Fields::find_numbers(std::string_view key, Need need, const Dimension& dimension,
                                                        Range range) {
  return find_and(key, need, [&](const YamlNode& value, const std::string& path) {
    return values_.numbers(value, path, dimension, range);
  });
}

double Fields::number(std::string_view key, const Dimension& dimension, Range range) {
  return find_number(key, Need::kRequired, dimension, range).value_or(0.0);
}
double Fields::number_or(std::string_view key, const Dimension& dimension, double fallback, Range range) {
  return find_number(key, Need::kOptional, dimension, range).value_or(fallback);
}
std::optional<double> Fields::optional_number(std::string_view key, const Dimension& dimension, Range range) {
  return find_number(key, Need::kOptional, dimension, range);
}

long long Fields::integer(std::string_view key, long long least, long long most) {
  return find_integer(key, Need::kRequired, least, most).value_or(least);
}
long long Fields::integer_or(std::string_view key, long long least, long long most, long long fallback) {
  return find_integer(key, Need::kOptional, least, most).value_or(fallback);
}

bool Fields::boolean(std::string_view key) { return find_boolean(key, Need::kRequired).value_or(false); }
bool Fields::boolean_or(std::string_view key, bool fallback) {
  return find_boolean(key, Need::kOptional).value_or(fallback);
}

std::string Fields::text(std::string_view key) { return find_text(key, Need::kRequired).value_or(""); }
std::optional<std::string> Fields::optional_text(std::string_view key) { return find_text(key, Need::kOptional); }
std::string Fields::name(std::string_view key) {
  return find_and(key, Need::kRequired,
                  [&](const YamlNode& value, const std::string& path) { return values_.name(value, path); })
      .value_or("");
}
std::vector<std::string> Fields::texts(std::string_view key) {
  return find_texts(key, Need::kRequired).value_or(std::vector<std::string>{});
}
std::optional<std::vector<std::string>> Fields::optional_texts(std::string_view key) {
  return find_texts(key, Need::kOptional);
}

Eigen::Vector3d Fields::vector3(std::string_view key, const Dimension& dimension) {
  return find_vector3(key, Need::kRequired, dimension).value_or(Eigen::Vector3d::Zero());
}
std::optional<Eigen::Vector3d> Fields::optional_vector3(std::string_view key, const Dimension& dimension) {
  return find_vector3(key, Need::kOptional, dimension);
}
Eigen::Matrix3d Fields::matrix3(std::string_view key, const Dimension& dimension) {
  return find_matrix3(key, Need::kRequired, dimension).value_or(Eigen::Matrix3d::Zero());
}
std::vector<double> Fields::numbers(std::string_view key, const Dimension& dimension, Range range) {
  return find_numbers(key, Need::kRequired, dimension, range).value_or(std::vector<double>{});
}
std::optional<std::vector<double>> Fields::optional_numbers(std::string_view key, const Dimension& dimension,
                                                            Range range) {
  return find_numbers(key, Need::kOptional, dimension, range);
}

Fields Fields::fields_of(const YamlNode& value, std::string path) const {
  return {value, std::move(path), values_.diagnostics(), *scope_};
}

Fields Fields::child(std::string_view key) {
  const YamlNode* value = find(key, Need::kRequired);
  return fields_of(value == nullptr ? kNoMapping : *value, path_of(key));
}

std::optional<Fields> Fields::optional_child(std::string_view key) {
  const YamlNode* value = find(key, Need::kOptional);
  if (value == nullptr) return std::nullopt;
  return fields_of(*value, path_of(key));
}

std::vector<Fields> Fields::list(std::string_view key) { return find_list(key, Need::kRequired); }
std::vector<Fields> Fields::optional_list(std::string_view key) { return find_list(key, Need::kOptional); }

const YamlNode* Fields::sequence(std::string_view key) { return find_sequence(key, Need::kRequired); }
const YamlNode* Fields::optional_sequence(std::string_view key) { return find_sequence(key, Need::kOptional); }

const YamlNode* Fields::find_sequence(std::string_view key, Need need) {
  const YamlNode* value = find(key, need);
  if (value == nullptr || value->is_sequence()) return value;
  values_.report(*value, path_of(key), "expected a list, got " + std::string(kind_name(*value)));
  return nullptr;
}

std::vector<Fields> Fields::find_list(std::string_view key, Need need) {
  std::vector<Fields> items;
  const YamlNode* value = find_sequence(key, need);
  if (value == nullptr) return items;
  const std::string path = path_of(key);
  items.reserve(value->items.size());
  for (std::size_t i = 0; i < value->items.size(); ++i) {
    items.push_back(fields_of(value->items[i], item_path(path, i)));
  }
  return items;
}

std::vector<std::pair<std::string, Fields>> Fields::optional_entries(std::string_view key) {
  std::vector<std::pair<std::string, Fields>> all;
  const YamlNode* value = find(key, Need::kOptional);
  if (value == nullptr) return all;
  const Fields named = fields_of(*value, path_of(key));
  for (const YamlEntry& entry : value->entries) {
    all.emplace_back(entry.key, fields_of(entry.value, named.path_of(entry.key)));
  }
  return all;
}

void Fields::error(std::string_view key, std::string what) {
  const YamlNode* value = key.empty() ? nullptr : node(key);
  values_.report(value == nullptr ? *node_ : *value, path_of(key), std::move(what));
}

void Fields::finish() {
  const std::vector<std::string_view> known(asked_.begin(), asked_.end());
  for (const YamlEntry& entry : node_->entries) {
    if (values_.diagnostics().is_full()) return;
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    values_.report_at(entry.key_position, path_,
                      "unknown key " + in_quotes(entry.key) + did_you_mean(entry.key, known));
  }
}

}  // namespace kinloop
