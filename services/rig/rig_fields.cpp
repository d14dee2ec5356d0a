// What several sections read alike: names, ranges, words in the place of numbers; and warnings.
#include <utility>

#include "core/base/nearest_name.hpp"
#include "services/files/expression.hpp"
#include "services/rig/rig_sections.hpp"
#include "services/rig/rig_words.hpp"

namespace kinloop {

void warn(Fields& fields, std::string_view key, std::string what, const RigScope& scope) {
  if (scope.warnings == nullptr) return;
  const YamlNode* value = key.empty() ? nullptr : fields.node(key);
  const YamlNode& place = value == nullptr ? fields.mapping() : *value;
  scope.warnings->add(place.position, fields.path_of(key), std::move(what));
}

bool is_word(Fields& fields, std::string_view key, std::string_view word) {
  const YamlNode* value = fields.node(key);
  return value != nullptr && value->is_scalar() && value->text == word;
}

std::string RigNames::read(Fields& item) {
  std::string name = item.text("name");
  if (name.empty()) return name;
  if (!is_identifier(name)) {
    item.error("name", in_quotes(name) + " is no name: a letter or '_', then letters, digits and '_'");
  } else if (!names_.insert(name).second) {
    item.error("name", "another " + std::string(kind_) + " is named " + in_quotes(name));
  }
  return name;
}

std::optional<RigRange> read_range(Fields& fields, std::string_view key, const Dimension& dimension) {
  const YamlNode* value = fields.node(key);
  if (value == nullptr || is_word(fields, key, kNoneWord)) return std::nullopt;
  if (!value->is_sequence() || value->items.size() != 2) {
    fields.error(key, "expected the two ends [lower, upper], got " + std::string(kind_name(*value)) +
                          (value->is_sequence() ? " of " + std::to_string(value->items.size()) : ""));
    return std::nullopt;
  }
  const std::optional<std::vector<double>> ends = fields.optional_numbers(key, dimension);
  if (!ends) return std::nullopt;
  const RigRange range{(*ends)[0], (*ends)[1]};
  if (range.lower < range.upper) return range;
  fields.error(key, "the lower end comes first and is below the upper one, got " + shown(range.lower) + " and " +
                        shown(range.upper));
  return std::nullopt;
}

std::string no_such(const char* kind, const std::string& name, const std::vector<std::string>& known) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  return std::string("the rig has no ") + kind + " " + in_quotes(name) + did_you_mean(name, names);
}

std::vector<Fields> read_list(Fields& fields, std::string_view key, std::size_t most, std::string_view what) {
  std::vector<Fields> items = fields.optional_list(key);
  if (items.size() > most) {
    const std::string noun = what.empty() ? "" : " " + std::string(what);
    fields.error(key, "at most " + std::to_string(most) + noun + ", got " + std::to_string(items.size()));
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(most), items.end());
  }
  return items;
}

}  // namespace kinloop
