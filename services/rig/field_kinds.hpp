// Owns the kinds of values in rig files: how each is read, written and described in the schema.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/integrators/constraint_projection.hpp"
#include "core/spatial/types.hpp"
#include "services/files/dimension.hpp"
#include "services/files/parameter_settings.hpp"
#include "services/rig/rig_field.hpp"
#include "services/rig/rig_times.hpp"
#include "services/rig/rig_words.hpp"

namespace kinloop {

/// "type": "array" of so many.
std::string array_schema(std::size_t count, std::string_view items);
inline constexpr std::string_view kQuantitySchema = R"({"$ref": "#/definitions/quantity"})";
/// A quantity; `bounds` hold where it is a bare number.
std::string quantity_schema(std::string_view bounds);
std::string words_schema(const std::vector<std::string_view>& words);

/// A number, with a word that stands for a value of its own. The unit may depend on the rig: then it is a member of the
/// scope, and numbers are written bare.
struct Number {
  Dimension dimension = Dimension::none();
  std::string_view unit = {};
  Range range = Range::kAny;
  std::string_view word = {};
  double stands_for = std::numeric_limits<double>::quiet_NaN();
  Dimension RigScope::*of_scope = nullptr;
  std::string_view bounds = {};  // in the schema, where the range is not all

  void read(const KeyReading& key, double& value) const;
  std::string text(double value, const WriteScope& /*scope*/) const;
  std::string schema() const;
};
/// In the unit of the command or the signal, or in that per second.
inline Number in_unit(Dimension RigScope::*unit, Range range = Range::kAny) {
  return {.range = range, .of_scope = unit};
}

/// An integer; with the word `none` a bound that there may not be, which then is 0.
struct Whole {
  long long least, most;
  std::string_view word = {};
  long long stands_for = 0;

  template <class Int>
  void read(const KeyReading& key, Int& value) const {
    value = static_cast<Int>(read_or(key, static_cast<long long>(value)));
  }
  template <class Int>
  std::string text(Int value, const WriteScope& /*scope*/) const {
    const bool is_word = !word.empty() && static_cast<long long>(value) == stands_for;
    return is_word ? std::string(word) : std::to_string(value);
  }
  std::string schema() const;

 private:
  long long read_or(const KeyReading& key, long long fallback) const;
};

struct YesNo {
  static void read(const KeyReading& key, bool& value) { value = key.fields.boolean_or(key.name, value); }
  static std::string text(bool value, const WriteScope& /*scope*/) { return std::string(yes_or_no(value)); }
  static std::string schema() { return R"("type": "boolean")"; }
};

/// An empty text is not written, or as its word.
struct Text {
  std::string_view word = {};
  std::string_view pattern = {};

  void read(const KeyReading& key, std::string& value) const;
  std::string text(const std::string& value, const WriteScope& /*scope*/) const;
  std::string schema() const;
};

/// A name of an item, unique in its list.
struct ItemName {
  static void read(const KeyReading& key, std::string& value) { value = key.scope.names->read(key.fields); }
  static std::string text(const std::string& value, const WriteScope& /*scope*/) { return in_double_quotes(value); }
  static std::string schema() { return R"("type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$")"; }
};

/// One of a list of names of the rig.
struct OneOf {
  const char* kind;
  std::vector<std::string> RigNameLists::*names;

  void read(const KeyReading& key, std::string& value) const;
  static std::string text(const std::string& value, const WriteScope& /*scope*/) {
    return Text{}.text(value, {0.0, value});
  }
  static std::string schema() { return Text{}.schema(); }
};

/// A word of a table.
template <class Enum>
struct Word {
  ChoiceTable<Enum> (*words)();

  void read(const KeyReading& key, Enum& value) const { value = key.fields.choice_or(key.name, words(), value); }
  std::string text(Enum value, const WriteScope& /*scope*/) const { return std::string(name_of(value)); }
  std::string schema() const {
    std::vector<std::string_view> names;
    for (const KindName<Enum>& choice : words()) names.push_back(choice.name);
    return words_schema(names);
  }
};

/// The name of a method, kept as it is.
struct Method {
  std::vector<std::string_view> (*names)();

  void read(const KeyReading& key, std::string& value) const;
  static std::string text(const std::string& value, const WriteScope& /*scope*/) { return value; }
  std::string schema() const { return words_schema(names()); }
};

/// A rate that divides the rig's, kept as every how many steps.
struct Rate {
  static void read(const KeyReading& key, int& every) { every = read_every(key.fields, key.scope); }
  static std::string text(int every, const WriteScope& scope) { return number(1.0 / (scope.dt_s * every), "Hz"); }
  static std::string schema() { return quantity_schema(R"("exclusiveMinimum": 0)"); }
};

struct Delay {
  static void read(const KeyReading& key, double& delay_s) {
    delay_s = read_delay(key.fields, key.name, delay_s, key.scope);
  }
  static std::string text(double delay_s, const WriteScope& /*scope*/) { return number(delay_s, "s"); }
  static std::string schema() { return quantity_schema(R"("minimum": 0, "maximum": 10)"); }
};

/// A time, kept in steps; rounded down it is a bound, and 0 is none.
struct Ticks {
  Rounding rounding;

  void read(const KeyReading& key, std::int64_t& steps) const {
    steps = read_steps(key.fields, key.name, rounding, key.scope);
  }
  std::string text(std::int64_t steps, const WriteScope& scope) const;
  std::string schema() const {
    return quantity_schema(rounding == Rounding::kUp ? R"("minimum": 0)" : R"("exclusiveMinimum": 0)");
  }
};

/// [lower, upper] or none, kept as two members of a structure.
struct Limits {
  template <class Bounds>
  static void read(const KeyReading& key, Bounds& bounds) {
    const std::optional<RigRange> range = read_range(key.fields, key.name, key.scope.value);
    if (!range) return;
    bounds.lower = range->lower;
    bounds.upper = range->upper;
  }
  template <class Bounds>
  static std::string text(const Bounds& bounds, const WriteScope& /*scope*/) {
    return range_text(bounds.lower, bounds.upper);
  }
  template <class Bounds>
  static bool equal(const Bounds& a, const Bounds& b) {
    return a.lower == b.lower && a.upper == b.upper;
  }
  static std::string schema() { return R"("anyOf": [{"const": "none"}, {)" + array_schema(2, kQuantitySchema) + "}]"; }
  /// "[lower, upper]", `none` where they are not finite.
  static std::string range_text(double lower, double upper);
};

struct Point {
  Dimension dimension;

  void read(const KeyReading& key, Vector3& point) const;
  static std::string text(const Vector3& point, const WriteScope& /*scope*/);
  static std::string schema() { return array_schema(3, kQuantitySchema); }
};

/// A mapping of parameters of a model to texts, kept as they are; of none nothing is written.
template <class Spec>
RigField<Spec> settings_field(std::string_view name, std::string schema, std::string_view meaning,
                              std::vector<ParameterSetting> Spec::*settings) {
  RigField<Spec> made{{name, meaning, derived("none"), std::move(schema)}, {}, {}, {}};
  made.write = [=](const Spec& spec, const WriteScope& /*scope*/, Lines& lines) {
    if ((spec.*settings).empty()) return;
    lines.open(name);
    for (const ParameterSetting& setting : spec.*settings) {
      lines.add(in_double_quotes(setting.name), in_double_quotes(setting.value));
    }
    lines.close();
  };
  made.compare = [=](const Spec& a, const Spec& b, const std::string& path, std::vector<std::string>& differing) {
    if (a.*settings != b.*settings) differing.push_back(path + std::string(name));
  };
  return made;
}

/// A kind made of functions, for a key that is like no other.
template <class T>
struct Special {
  void (*read_value)(const KeyReading& key, T& value);
  std::string (*text_of)(const T& value, const WriteScope& scope);
  std::string json;

  void read(const KeyReading& key, T& value) const { read_value(key, value); }
  std::string text(const T& value, const WriteScope& scope) const { return text_of(value, scope); }
  std::string schema() const { return json; }
};

}  // namespace kinloop
