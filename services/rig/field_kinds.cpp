// Reads and writes values of each kind.
#include "services/rig/field_kinds.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/nearest_name.hpp"

namespace kinloop {

std::string array_schema(std::size_t count, std::string_view items) {
  const std::string size = std::to_string(count);
  return R"("type": "array", "minItems": )" + size + R"(, "maxItems": )" + size + R"(, "items": )" + std::string(items);
}

std::string quantity_schema(std::string_view bounds) {
  std::string schema = R"("allOf": [)" + std::string(kQuantitySchema) + "]";
  if (!bounds.empty()) schema += R"(, "if": {"type": "number"}, "then": {)" + std::string(bounds) + "}";
  return schema;
}

std::string words_schema(const std::vector<std::string_view>& words) {
  std::string list;
  for (const std::string_view word : words) list += (list.empty() ? "\"" : ", \"") + std::string(word) + "\"";
  return "\"enum\": [" + list + "]";
}

void Number::read(const KeyReading& key, double& value) const {
  const Dimension& expected = of_scope != nullptr ? key.scope.*of_scope : dimension;
  if (key.is_word(word)) {
    value = stands_for;
  } else if (key.is_required) {
    value = key.fields.number(key.name, expected, range);
  } else {
    value = key.fields.number_or(key.name, expected, value, range);
  }
}

std::string Number::text(double value, const WriteScope& /*scope*/) const {
  return value == stands_for ? std::string(word) : number(value, unit);
}

std::string Number::schema() const {
  if (!bounds.empty()) return quantity_schema(bounds);
  switch (range) {
    case Range::kAny:
      break;
    case Range::kPositive:
      return quantity_schema(R"("exclusiveMinimum": 0)");
    case Range::kNonNegative:
      return quantity_schema(R"("minimum": 0)");
    case Range::kZeroToOne:
      return quantity_schema(R"("minimum": 0, "maximum": 1)");
  }
  return quantity_schema("");
}

long long Whole::read_or(const KeyReading& key, long long fallback) const {
  if (key.is_word(word)) return stands_for;
  if (word != kNoneWord) return key.fields.integer_or(key.name, least, most, fallback);
  constexpr long long kAbsentOrWrong = -1;
  const long long bound = key.fields.integer_or(key.name, 0, most, kAbsentOrWrong);
  if (bound == 0) key.error("must be at least 1, got 0; 'none' is no limit");
  return bound == kAbsentOrWrong ? fallback : bound;
}

std::string Whole::schema() const {
  return R"("anyOf": [{"type": "integer", "minimum": )" + std::to_string(least) + R"(, "maximum": )" +
         std::to_string(most) + R"(}, {"$ref": "#/definitions/expression"}])";
}

void Text::read(const KeyReading& key, std::string& value) const {
  if (key.is_word(word)) return;
  value = key.is_required ? key.fields.text(key.name) : key.fields.optional_text(key.name).value_or(value);
}

std::string Text::text(const std::string& value, const WriteScope& /*scope*/) const {
  return value.empty() ? std::string(word) : in_double_quotes(value);
}

std::string Text::schema() const {
  return R"("type": "string", )" +
         (pattern.empty() ? R"("minLength": 1)" : "\"pattern\": \"" + std::string(pattern) + "\"");
}

void OneOf::read(const KeyReading& key, std::string& value) const {
  if (!key.is_required && !key.fields.has(key.name)) return;
  value = key.fields.text(key.name);
  const std::vector<std::string>& all = key.scope.lists->*names;
  const bool is_open = names == &RigNameLists::bodies && key.scope.model == nullptr;
  if (value.empty() || is_open || std::find(all.begin(), all.end(), value) != all.end()) return;
  key.error(no_such(kind, value, all));
}

void Method::read(const KeyReading& key, std::string& value) const {
  const YamlNode* node = key.fields.node(key.name);
  if (node == nullptr) return;
  const std::vector<std::string_view> all = names();
  const std::optional<std::size_t> index = key.fields.values().choice(*node, key.fields.path_of(key.name), all);
  if (index) value = all[*index];
}

std::string Ticks::text(std::int64_t steps, const WriteScope& scope) const {
  if (rounding == Rounding::kDown && steps == 0) return std::string(kNoneWord);
  return number(static_cast<double>(steps) * scope.dt_s, "s");
}

std::string Limits::range_text(double lower, double upper) {
  if (!std::isfinite(lower) || !std::isfinite(upper)) return std::string(kNoneWord);
  return "[" + number(lower) + ", " + number(upper) + "]";
}

void Point::read(const KeyReading& key, Vector3& point) const {
  point = key.is_required ? key.fields.vector3(key.name, dimension)
                          : key.fields.optional_vector3(key.name, dimension).value_or(point);
}

std::string Point::text(const Vector3& point, const WriteScope& /*scope*/) {
  return "[" + number(point.x()) + ", " + number(point.y()) + ", " + number(point.z()) + "]";
}

}  // namespace kinloop
